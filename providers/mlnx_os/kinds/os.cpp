// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.hpp"
#include "providers/mlnx_os/kinds/rows.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"
#include "providers/os/os_version.hpp"

namespace fabric::providers::onyx {

namespace {

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

// Two names of one system, by its ports (E-onyx-version).
Result<OsVersion> os_version(const NodeFacts& facts) {
  const Version version = FABRIC_TRY(version_of(facts));
  const std::string name = version.product == "onyx" ? "Onyx" : "MLNX-OS";
  return OsVersion{name, {"mlnx-os", "onyx"}, version.release};
}

Map os_inventory(const NodeFacts& facts) {
  const Result<Version> found = version_of(facts);
  if (!found) return {{"system", Map{{"unknown", found.error().message}}}};
  Map map{{"product", found->product}, {"release", found->release}};
  if (!found->model.empty()) map.emplace("model", found->model);
  return {{"system", std::move(map)}};
}

}  // namespace

// Release of the system; only checked.
Provider os_provider() {
  Provider row = os_version_provider(os_version);
  row.probes = [] {
    return std::vector<Probe>{{kVersionProbe, "show version"}};
  };
  row.inventory = os_inventory;
  return row;
}

}  // namespace fabric::providers::onyx
