// SPDX-License-Identifier: Apache-2.0
#include "providers/os/os_version.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/diagnose.hpp"
#include "providers/os/package_version.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kRelease = "release";
constexpr const char* kMinimum = "minimum";

// "cumulus", "cumulus-5", "5.9" for 5.9.1: missing parts are ignored.
bool is_release(const OsVersion& found, std::string_view wanted) {
  for (const std::string& word : found.words) {
    if (wanted == word) return true;
    if (wanted.starts_with(word + "-") || wanted.starts_with(word + " ")) {
      wanted.remove_prefix(word.size() + 1);
      break;
    }
  }
  return found.version == wanted || found.version.starts_with(std::string{wanted} + ".");
}

Reading reading_of(
    const Resource& resource,
    const std::string& attribute,
    const DesiredAttribute& desired,
    const Result<OsVersion>& found,
    Diagnostics& diagnostics) {
  if (!found) return Reading::unknown(found.error().message);
  const std::string wanted = to_text(desired.value);
  const bool fits = attribute == kRelease ? is_release(*found, to_lower(wanted))
                                          : is_older_version(found->version, wanted) == false;
  if (fits) return Reading::of(desired.value);
  report_finding_at(
      diagnostics,
      resource,
      desired.source,
      "os-mismatch",
      fmt::format(
          "{} runs {} {}, but the document asks for {}{}",
          resource.address.node.str(),
          found->name,
          found->version,
          wanted,
          attribute == kRelease ? "" : " or newer"))
      .with_help("fabric changes no operating system: update the node, or correct `os`");
  return Reading::unknown(fmt::format("it runs {} {}", found->name, found->version));
}

}  // namespace

Provider os_version_provider(Result<OsVersion> (*version_of)(const NodeFacts& facts)) {
  return {
      .kind = kinds::kOs,
      .supports =
          [](const Resource&, std::string_view feature) {
            return feature == kRelease || feature == kMinimum;
          },
      .observe =
          [version_of](
              std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
            const Result<OsVersion> version = version_of(facts);
            return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
              for (const auto& [name, desired] : resource.desired)
                observation.attributes[name].running =
                    reading_of(resource, name, desired, version, diagnostics);
            });
          },
      .disruption = always(Disruption::none),
      .work = [](const Change& change, const WorkContext&) -> Result<Work> {
        return Error{
            ErrorCode::invalid,
            fmt::format("{}: fabric changes no operating system", change.resource.address.str())};
      }};
}

}  // namespace fabric::providers
