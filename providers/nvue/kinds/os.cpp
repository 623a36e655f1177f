// SPDX-License-Identifier: Apache-2.0
#include "providers/nvue/kinds/rows.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"
#include "providers/os/os_version.hpp"

namespace fabric::providers::nvue {

namespace {

std::vector<Probe> probes_of_os() {
  return {
      {kVersionProbe, "nv show system version -o json\n"},
      {kSystemProbe, "nv show system -o json\n"},
      {kRevisionProbe, "nv config revision -o json\n"}};
}

Result<OsVersion> os_version(const NodeFacts& facts) {
  const NvueVersion version = FABRIC_TRY(told_version(facts));
  const std::string name = version.product == "nvos" ? "NVOS" : "Cumulus Linux";
  return OsVersion{name, {version.product}, version.release};
}

Map os_inventory(const NodeFacts& facts) {
  Map map;
  const Result<NvueVersion> version = told_version(facts);
  map.emplace(
      "system", version ? to_value(*version) : Value{Map{{"unknown", version.error().message}}});
  const Result<std::string_view> text = answer(facts, kRevisionProbe);
  const auto revisions =
      text ? parse_nvue_revisions(*text) : Result<std::vector<NvueRevision>>{text.error()};
  if (!revisions) {
    map.emplace("revisions", Map{{"unknown", revisions.error().message}});
    return map;
  }
  // The revisions that another login has begun, or has to confirm: an applied one is seen at the
  // ports.
  std::vector<NvueRevision> open;
  for (const NvueRevision& each : *revisions)
    if (each.state == "pending" || each.state == "confirm") open.push_back(each);
  map.emplace("revisions", to_value(open));
  return map;
}

}  // namespace

// Release of the system; only checked.
Provider os_provider() {
  Provider row = os_version_provider(os_version);
  row.probes = probes_of_os;
  row.inventory = os_inventory;
  return row;
}

}  // namespace fabric::providers::nvue
