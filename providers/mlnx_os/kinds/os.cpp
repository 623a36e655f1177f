// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/diagnose.hpp"
#include "providers/mlnx_os/kinds/rows.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"
#include "providers/os/package_version.hpp"

namespace fabric::providers::onyx {

namespace {

constexpr const char* kRelease = "release";
constexpr const char* kMinimum = "minimum";

struct Version {
  std::string product;  // "onyx", "mlnx-os"
  std::string release;  // "3.9.1014"
  std::string model;    // "" = unknown; "x86onie" is none
};

Result<Version> version_of(const NodeFacts& facts) {
  const std::string_view text = FABRIC_TRY(answer(facts, kVersionProbe));
  const OnyxShow show = FABRIC_TRY(parse_onyx_show(text));
  Version version;
  for (const OnyxSection& section : show.sections) {
    for (const OnyxEntry& entry : section.entries) {
      if (entry.key == "Product name") version.product = to_lower(entry.value.value_or(""));
      if (entry.key == "Product release") version.release = entry.value.value_or("");
      const bool is_model = entry.key == "Product model" && entry.value != "x86onie";
      if (is_model) version.model = entry.value.value_or("");
    }
  }
  if (version.release.empty())
    return Error{ErrorCode::invalid, "`show version` has no line 'Product release'"};
  return version;
}

// "mlnx-os-3", "onyx", "3.9": missing parts are ignored.
bool is_release(const Version& found, std::string_view wanted) {
  for (const std::string_view product : {"mlnx-os", "onyx"}) {
    if (wanted == product) return true;  // two names of one system, by its ports (E-onyx-version)
    if (wanted.starts_with(std::string{product} + "-")) wanted.remove_prefix(product.size() + 1);
  }
  return found.release == wanted || found.release.starts_with(std::string{wanted} + ".");
}

std::vector<Probe> probes_of_os() {
  return {{kVersionProbe, "show version"}};
}

bool os_supports(const Resource& /*resource*/, std::string_view feature) {
  return feature == kRelease || feature == kMinimum;
}

std::vector<Observation> observe_os(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const Result<Version> found = version_of(facts);
  std::vector<Observation> observations;
  for (const Resource& resource : wanted) {
    Observation& observation = observations.emplace_back(Observation{resource.address, {}});
    for (const auto& [name, desired] : resource.desired) {
      Reading& running = observation.attributes[name].running.emplace(
          Reading::unknown(found ? "" : found.error().message));
      if (!found) continue;
      const std::string wants = to_text(desired.value);
      const bool fits = name == kRelease ? is_release(*found, to_lower(wants))
                                         : is_older_version(found->release, wants) == false;
      running = fits ? Reading::of(desired.value)
                     : Reading::unknown(fmt::format("it runs {}", found->release));
      if (fits) continue;
      report_finding_at(
          diagnostics,
          resource,
          desired.source,
          "os-mismatch",
          fmt::format(
              "{} runs {} {}, but the document asks for {}{}",
              resource.address.node.str(),
              found->product == "onyx" ? "Onyx" : "MLNX-OS",
              found->release,
              wants,
              name == kRelease ? "" : " or newer"))
          .with_help("fabric changes no operating system: update the node, or correct `os`");
    }
  }
  return observations;
}

Map os_inventory(const NodeFacts& facts) {
  const Result<Version> found = version_of(facts);
  if (!found) return {{"system", Map{{"unknown", found.error().message}}}};
  Map map{{"product", found->product}, {"release", found->release}};
  if (!found->model.empty()) map.emplace("model", found->model);
  return {{"system", std::move(map)}};
}

Result<Work> work_on_os(const Change& change, const WorkContext& /*context*/) {
  return Error{
      ErrorCode::invalid,
      fmt::format("{}: fabric changes no operating system", change.resource.address.str())};
}

}  // namespace

// Release of the system; only checked.
Provider os_provider() {
  return {
      .kind = "os",
      .probes = probes_of_os,
      .supports = os_supports,
      .observe = observe_os,
      .inventory = os_inventory,
      .disruption = always(Disruption::none),
      .work = work_on_os,
  };
}

}  // namespace fabric::providers::onyx
