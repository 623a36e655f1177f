// SPDX-License-Identifier: Apache-2.0
// The state of NetworkManager: its keyfiles, and the devices that it configures by them. Only
// values; its behaviour is in linux/network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/lab/machine/ip_prefix.hpp"

namespace fabric::lab {

struct ProfileRoute {
  std::string to, via, source;
  std::optional<std::uint32_t> metric;
  std::uint32_t table = 0;
  bool operator==(const ProfileRoute&) const = default;
};

struct ProfileRule {
  std::uint32_t priority = 0;
  std::string incoming, from;
  std::uint32_t table = 0;
  bool operator==(const ProfileRule&) const = default;
};

struct ConnectionProfile {
  std::string path, id, uuid;
  std::string type;  // "ethernet", "infiniband", "bond", "bridge", "vlan"
  std::string interface, master, master_type, parent, mac;
  std::vector<std::string> match_names, match_drivers, match_paths;
  bool automatic = true;
  std::int64_t priority = 0;
  bool brings_ports = false;  // autoconnect-slaves
  std::optional<std::uint32_t> mtu;
  std::string transport_mode;
  std::vector<std::pair<std::string, std::string>> bond;
  std::uint32_t vlan_id = 0;
  std::string method4 = "auto", method6 = "auto";
  std::vector<IpPrefix> addresses;
  std::string gateway, gateway6;
  std::vector<ProfileRoute> routes;
  std::vector<ProfileRule> rules;
  bool operator==(const ConnectionProfile&) const = default;

  bool is_virtual() const { return type == "bond" || type == "bridge" || type == "vlan"; }
};

// A device with an activated profile, as the profile was then.
struct ActiveDevice {
  std::string device;
  ConnectionProfile profile;
  std::uint32_t metric = 100;  // of all its routes that name none
  std::uint32_t former_mtu = 1500;
};

struct NetworkManagerState {
  std::vector<ConnectionProfile> profiles;  // as it last read them, by path
  std::vector<ActiveDevice> devices;
  std::vector<std::string> held;       // UUIDs of deactivated profiles: no autoconnect
  std::vector<std::string> unmanaged;  // devices that were set so
  std::uint32_t activations = 1;
};

}  // namespace fabric::lab
