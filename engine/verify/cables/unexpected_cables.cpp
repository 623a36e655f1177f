// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/verify/cables/cables.hpp"

namespace fabric::verify {

namespace {

Diagnostic unexpected_finding(const FabricSpec& spec, const UnexpectedCable& cable) {
  Diagnostic finding{
      Severity::warning,
      "cable-unexpected",
      {},
      fmt::format("cable {} - {} is not in the document", cable.a, cable.b),
      "add the cable to the document, or list the port under `ports`, or unplug the cable",
      {},
      Subject::parse(cable.a)};
  if (const NodeSpec* node = spec.find_node(cable.a.substr(0, cable.a.find('/'))))
    finding.range = node->range;
  return finding;
}

}  // namespace

void add_unexpected_findings(
    const FabricSpec& spec, const std::vector<UnexpectedCable>& cables, Findings& findings) {
  constexpr std::size_t kShownOneByOne = 5;
  std::optional<Findings::Number> all;
  if (cables.size() > kShownOneByOne) {
    Diagnostic many = unexpected_finding(spec, cables.front());
    many.message = fmt::format(
        "{} links of the subnets are not in the document, for example {} - {}",
        cables.size(),
        cables.front().a,
        cables.front().b);
    many.help = "write the cables, list the ports under `ports`, or unplug the cables";
    all = findings.add(std::move(many));
  }
  for (const UnexpectedCable& cable : cables) {
    const Findings::Number number =
        findings.add(unexpected_finding(spec, cable), all, Effect::member);
    for (const std::string* end : {&cable.a, &cable.b}) {
      const std::string node = Subject::parse(*end).name;
      findings.also_about(number, node);
      if (all) findings.also_about(*all, node);
    }
  }
}

void add_shared_guid_findings(const std::vector<SharedGuid>& guids, Findings& findings) {
  for (const SharedGuid& each : guids) {
    std::string message =
        fmt::format("'{}' has the GUID {}, which no card can have", each.name, each.guid.str());
    if (!each.places.empty()) {
      message = fmt::format(
          "the GUID {} ('{}') is at {} at the same time: several adapters have it, or a cable was "
          "moved while the subnet was read",
          each.guid.str(),
          each.name,
          join(each.places, " and "));
    }
    findings.add(
        {Severity::error,
         "identity-duplicate",
         {},
         std::move(message),
         "give each card its own GUID, which its label shows, with the firmware tool (flint -guid)",
         {},
         {}});
  }
}

}  // namespace fabric::verify
