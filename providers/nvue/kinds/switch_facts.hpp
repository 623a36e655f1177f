// SPDX-License-Identifier: Apache-2.0
// Facts of a switch with NVUE: its running state, its applied configuration, and the configuration
// of its next boot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/observation.hpp"
#include "engine/provider/provider.hpp"
#include "providers/nvue/parsers/nvue_json.hpp"

namespace fabric::providers::nvue {

inline constexpr const char* kVersionProbe = "nvue-version";
inline constexpr const char* kSystemProbe = "nvue-system";
inline constexpr const char* kInterfaceProbe = "nvue-interface";
inline constexpr const char* kAppliedProbe = "nvue-applied";
inline constexpr const char* kStartupProbe = "nvue-startup";
inline constexpr const char* kRevisionProbe = "nvue-revision";
inline constexpr const char* kLldpProbe = "nvue-lldp";
inline constexpr const char* kMlagProbe = "nvue-mlag";
inline constexpr const char* kRoceProbe = "nvue-roce";
inline constexpr const char* kManagerProbe = "nvue-sm";

// The probes of ports, bonds and VLANs.
std::vector<Probe> configuration_probes();

// The output of a probe. Fails with ErrorCode::invalid, in the switch's own words, if the probe did
// not run or failed.
Result<std::string_view> answer(const NodeFacts& facts, std::string_view probe);

// The version. `nv show system version` of early releases lacks it; there `nv show system` has it.
Result<NvueVersion> told_version(const NodeFacts& facts);
// True from Cumulus 5.15 on: addresses stand under `ipv4` and `ipv6`, not under `ip`.
bool has_families(const NodeFacts& facts);
// The words that turn a branch on in this release: "enable on", or "state enabled" (E-nvue-on).
std::vector<std::string> switched_on(const NodeFacts& facts);
// True if a branch is on, in either spelling. Null: off.
bool is_on(const Value* branch);

struct SwitchFacts {
  // `facts` must outlive this.
  explicit SwitchFacts(const NodeFacts& facts);

  const NodeFacts& node;
  Result<std::vector<NvueInterface>> interfaces;  // as they run
  Result<Value> applied;                          // the applied configuration
  Result<Value> startup;                          // the configuration of the next boot

  // Null if there is none.
  const NvueInterface* interface(std::string_view name) const;
};

// "swp7" for the document's "7" on Cumulus; "sw1p2" and "swp7s0" are unchanged.
std::string native_port(std::string_view written);
// The document's name: "7" for "swp7".
std::string written_port(std::string_view native);

// The functions below read trees as parse_nvue_config() makes them.
// The VLAN of untagged frames at an interface; "" = it is in no bridge, or refuses them.
std::string untagged_vlan(const Value& tree, const std::string& interface);
// The VLAN of untagged frames as a number.
Reading access_vlan_in(const Value& tree, const std::string& interface);
// The VLAN settings of an interface in its bridge; null: it is in no bridge, or has none.
const Value* own_vlans(const Value& tree, const std::string& interface);
// True if a mapping of VLANs, "10", "20-30" or "all" (E-nvue-port-vlans), has the id. Null: false.
bool has_vlan(const Value* vlans, std::uint64_t id);
std::string bridge_of(const Value& tree, std::string_view interface);
// The bridge domain for bridged ports: the only one there is, or the default one.
std::string bridge_domain(const Value& tree);
std::string bond_with(const Value& tree, std::string_view port);
std::vector<std::string> members_of(const Value& tree, std::string_view bond);

// The reading of each tree by the same question: what runs (unless `running` tells it better), and
// the next boot's. A tree that could not be read makes its layer unknown.
template <class Ask>
LayeredReading configured(const SwitchFacts& facts, const Ask& ask) {
  LayeredReading reading;
  reading.running =
      facts.applied ? ask(*facts.applied) : Reading::unknown(facts.applied.error().message);
  reading.persistent =
      facts.startup ? ask(*facts.startup) : Reading::unknown(facts.startup.error().message);
  return reading;
}

}  // namespace fabric::providers::nvue
