// SPDX-License-Identifier: Apache-2.0
// Facts of a switch with MLNX-OS or Onyx: its running, configured and saved state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/observation.hpp"
#include "engine/provider/provider.hpp"
#include "providers/mlnx_os/machine/mlnxos_platform.hpp"
#include "providers/mlnx_os/parsers/onyx_show.hpp"

namespace fabric::providers::onyx {

inline constexpr const char* kVersionProbe = "onyx-version";
inline constexpr const char* kRunningProbe = platform::kOnyxRunningProbe;
inline constexpr const char* kSavedProbe = "onyx-saved";
inline constexpr const char* kEthernetProbe = "onyx-ethernet";
inline constexpr const char* kInfinibandProbe = "onyx-infiniband";
inline constexpr const char* kManagerProbe = "onyx-sm";
inline constexpr const char* kManagerRunningProbe = "onyx-sm-running";
inline constexpr const char* kPartitionsProbe = "onyx-partitions";
inline constexpr const char* kManagerRunsProbe = "onyx-sm-routing";
inline constexpr const char* kManagerPriorityProbe = "onyx-sm-priority";
inline constexpr const char* kManagerVirtProbe = "onyx-sm-virt";
inline constexpr const char* kLldpProbe = "onyx-lldp";
inline constexpr const char* kMlagProbe = "onyx-mlag";
inline constexpr const char* kRoceProbe = "onyx-roce";
inline constexpr const char* kChannelsProbe = "onyx-channels";
inline constexpr const char* kPairChannelsProbe = "onyx-mlag-channels";

// The output of a line. Fails with ErrorCode::invalid, in the switch's own words, if the line was
// not typed or was refused.
Result<std::string_view> answer(const NodeFacts& facts, std::string_view probe);

// The lines of a configuration, one interface in each: "interface ethernet 1/7-1/8 X" makes two.
class Configuration {
 public:
  // `saved`: reads the saved database, otherwise the running one. Fails with ErrorCode::invalid.
  static Result<Configuration> read(std::string_view text, bool saved);

  bool has(std::string_view line) const;
  // The words after `start`: "7 mode active" for "interface ethernet 1/7 channel-group"; "" if the
  // line ends there; nullopt if no line begins so.
  std::optional<std::string> after(std::string_view start) const;
  const std::vector<std::string>& lines() const { return lines_; }

  // The channel that a port is in: "port-channel 4", "mlag-port-channel 4" over a pair; "" = none.
  std::string channel_of(std::string_view port) const;
  std::vector<std::string> members_of(std::string_view channel) const;
  // The mode of the port's channel, "lacp" or "static"; "" = the port is in none.
  std::string mode_of(std::string_view port) const;
  // True if the VLAN exists, by "vlan 100" or "vlan 100-102".
  bool has_vlan(std::int64_t id) const;
  // True if "ethernet 1/7" or "port-channel 4" takes and sends frames with that tag.
  bool carries(std::string_view interface, std::int64_t id) const;
  // The switchport mode: "access" unless configured; "routed": the interface does not switch.
  std::string switchport_of(std::string_view interface) const;
  // The VLAN of untagged frames; "" = they are refused, or the interface does not switch.
  std::string untagged_vlan(std::string_view interface) const;
  // True if shut down, or for a channel over a pair that was never enabled.
  bool is_shut(std::string_view interface) const;
  // The switch's name in the header; "" = it has none.
  const std::string& host_name() const { return host_name_; }

 private:
  std::vector<std::string> lines_;
  std::string host_name_;
};

struct SwitchFacts {
  explicit SwitchFacts(const NodeFacts& facts);

  Result<OnyxShow> ethernet;
  Result<OnyxShow> infiniband;
  Result<Configuration> running;
  Result<Configuration> saved;

  // The value of "Admin state" for "Eth1/7"; nullopt: no such port, or no such line.
  std::optional<std::string> said(
      bool infiniband_port, std::string_view port, std::string_view key) const;
};

// True if the release, or this kind of switch, does not know the line.
bool is_unrecognized(const NodeFacts& facts, std::string_view probe);

// The probes of the configuration and of the ports.
std::vector<Probe> configuration_probes();

// The reading of the running and of the saved configuration by the same question.
template <class Ask>
LayeredReading configured(const SwitchFacts& facts, const Ask& ask) {
  LayeredReading reading;
  reading.running =
      facts.running ? ask(*facts.running) : Reading::unknown(facts.running.error().message);
  reading.persistent =
      facts.saved ? ask(*facts.saved) : Reading::unknown(facts.saved.error().message);
  return reading;
}

// The VLAN of untagged frames, as a number.
Reading access_vlan_in(const Configuration& tree, const std::string& interface);

// True if a port or channel with this switchport mode is in the bridge, as `resource` needs it:
// untagged frames do not come through a trunk (E-onyx-vlans).
bool is_in_bridge(const std::string& mode, const Resource& resource);

// The document's ports of a resource: keys::kSwitchPorts.
std::vector<std::string> ports_of(const Value& list);

}  // namespace fabric::providers::onyx
