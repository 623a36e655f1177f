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

// What a line printed. Fails with ErrorCode::invalid where it was not asked or was refused, in the
// switch's own words.
Result<std::string_view> answer(const NodeFacts& facts, std::string_view probe);

// The lines of a configuration, with one interface each: "interface ethernet 1/7-1/8 X" is two.
class Configuration {
 public:
  // `saved`: read the saved database, else the running one. Fails with ErrorCode::invalid.
  static Result<Configuration> read(std::string_view text, bool saved);

  bool has(std::string_view line) const;
  // The words behind: "7 mode active" of "interface ethernet 1/7 channel-group". "" is known: the
  // line ends there.
  std::optional<std::string> after(std::string_view start) const;
  const std::vector<std::string>& lines() const { return lines_; }

  // The channel that a port is in: "port-channel 4", "mlag-port-channel 4" over a pair; "" = none.
  std::string channel_of(std::string_view port) const;
  std::vector<std::string> members_of(std::string_view channel) const;
  // "lacp", "static"; "" = the port is in none.
  std::string mode_of(std::string_view port) const;
  // VLANs of "vlan 100", "vlan 100-102".
  bool has_vlan(std::int64_t id) const;
  // Whether "ethernet 1/7" or "port-channel 4" takes and sends frames with that tag.
  bool carries(std::string_view interface, std::int64_t id) const;
  // "access" unless told otherwise; "routed": it switches nothing.
  std::string switchport_of(std::string_view interface) const;
  // The VLAN of frames without a tag; "" = it takes none, or switches nothing.
  std::string untagged_vlan(std::string_view interface) const;
  // Closed, or a channel over a pair that was never opened.
  bool is_shut(std::string_view interface) const;
  // Of its header; "" = it has none.
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

  // "Admin state" of "Eth1/7"; nullopt: no such port, or no such line.
  std::optional<std::string> said(
      bool infiniband_port, std::string_view port, std::string_view key) const;
};

// The release, or this kind of switch, does not know the line.
bool is_unrecognized(const NodeFacts& facts, std::string_view probe);

// The configuration's probes, and those of the ports.
std::vector<Probe> configuration_probes();

// The reading of each configuration by the same question.
template <class Ask>
LayeredReading configured(const SwitchFacts& facts, const Ask& ask) {
  LayeredReading reading;
  reading.running =
      facts.running ? ask(*facts.running) : Reading::unknown(facts.running.error().message);
  reading.persistent =
      facts.saved ? ask(*facts.saved) : Reading::unknown(facts.saved.error().message);
  return reading;
}

// The VLAN of frames without a tag, as a number.
Reading access_vlan_in(const Configuration& tree, const std::string& interface);

// Whether a port or channel whose switchport has this mode is in the bridge, as `resource` needs
// it: what has no tag does not come through a trunk (E-onyx-vlans).
bool is_in_bridge(const std::string& mode, const Resource& resource);

// The ports of the document that a resource is about: keys::kSwitchPorts.
std::vector<std::string> ports_of(const Value& list);

// A number that is at least the wanted one is as good as it.
Reading at_least(const Reading& found, const Value& desired);

}  // namespace fabric::providers::onyx
