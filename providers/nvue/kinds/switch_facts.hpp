// SPDX-License-Identifier: Apache-2.0
// Facts of a switch with NVUE: its running state, its applied configuration, and that of its next
// boot.
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

// Of ports, bonds and VLANs.
std::vector<Probe> configuration_probes();

// What a probe printed. Fails with ErrorCode::invalid where it was not asked or failed, in the
// switch's own words.
Result<std::string_view> answer(const NodeFacts& facts, std::string_view probe);

// `nv show system version` of early releases has no release; `nv show system` has it there.
Result<NvueVersion> told_version(const NodeFacts& facts);
// What turns a branch on in the words of the release: "enable on", or "state enabled" (E-nvue-on).
// Cumulus from 5.15 on: addresses stand under `ipv4` and `ipv6`, not under `ip`.
bool has_families(const NodeFacts& facts);
std::vector<std::string> switched_on(const NodeFacts& facts);
// True in either spelling. Null: nothing is set there.
bool is_on(const Value* branch);

struct SwitchFacts {
  // `facts` outlives this.
  explicit SwitchFacts(const NodeFacts& facts);

  const NodeFacts& node;
  Result<std::vector<NvueInterface>> interfaces;  // as they run
  Result<Value> applied;                          // what is asked for
  Result<Value> startup;                          // the configuration of the next boot

  // Null if there is none.
  const NvueInterface* interface(std::string_view name) const;
};

// "swp7" of "7" on Cumulus; "sw1p2" and "swp7s0" are themselves.
std::string native_port(std::string_view written);
// As the document writes it: "7" of "swp7".
std::string written_port(std::string_view native);

// Of trees as parse_nvue_config() makes them. "" or empty where nothing is set.
// The VLAN of frames without a tag at an interface; "" = it is in no bridge, or takes none.
std::string untagged_vlan(const Value& tree, const std::string& interface);
// The same as a number.
Reading access_vlan_in(const Value& tree, const std::string& interface);
// What an interface says of itself in its bridge; null: it is in none, or says nothing.
const Value* own_vlans(const Value& tree, const std::string& interface);
// In a mapping of VLANs, "10", "20-30" or "all" (E-nvue-port-vlans). Null: there is none.
bool has_vlan(const Value* vlans, std::uint64_t id);
std::string bridge_of(const Value& tree, std::string_view interface);
// The domain that bridged ports go into: the only one there is, or the usual one.
std::string bridge_domain(const Value& tree);
std::string bond_with(const Value& tree, std::string_view port);
std::vector<std::string> members_of(const Value& tree, std::string_view bond);

// The reading of each tree by the same question: what runs (unless `running` says it better), and
// what the next boot makes. A tree that could not be read makes its layer unknown.
template <class Ask>
LayeredReading configured(const SwitchFacts& facts, const Ask& ask) {
  LayeredReading reading;
  reading.running =
      facts.applied ? ask(*facts.applied) : Reading::unknown(facts.applied.error().message);
  reading.persistent =
      facts.startup ? ask(*facts.startup) : Reading::unknown(facts.startup.error().message);
  return reading;
}

// A number that is at least the wanted one is as good as it.
Reading at_least(const Reading& found, const Value& desired);

}  // namespace fabric::providers::nvue
