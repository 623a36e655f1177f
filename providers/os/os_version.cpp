// SPDX-License-Identifier: Apache-2.0
#include "providers/os/os_version.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/diagnose.hpp"

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
        return impossible(change.resource, "fabric changes no operating system");
      }};
}

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Empty if it does not begin with one, or one is out of range.
std::vector<std::uint64_t> numbers_of(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  while (!text.empty() && is_digit(text.front())) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end]))
      ++end;
    const auto number = parse_unsigned(text.substr(0, end), 10);
    if (!number) return {};
    numbers.push_back(*number);
    text.remove_prefix(end);
    if (text.empty() || (text.front() != '.' && text.front() != '-')) break;
    text.remove_prefix(1);
  }
  return numbers;
}

}  // namespace

std::optional<bool> is_older_version(std::string_view found, std::string_view minimum) {
  const std::vector<std::uint64_t> a = numbers_of(trim(found));
  const std::vector<std::uint64_t> b = numbers_of(trim(minimum));
  if (a.empty() || b.empty()) return std::nullopt;
  return a < b;
}

}  // namespace fabric::providers
