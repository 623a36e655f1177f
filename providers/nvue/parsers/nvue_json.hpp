// SPDX-License-Identifier: Apache-2.0
// The output of `nv` with `-o json` on Cumulus Linux and NVOS. Key sets change between releases:
// unknown keys are skipped, known keys must have their form.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// The tree of an answer. Lines before the first that begins with a brace or bracket are skipped: a
// terminal's escape sequence, "Currently pending ..." (E-nvue-stray-lines). Fails with
// ErrorCode::invalid, "line N, column M: ...", also where there is no JSON at all.
Result<Value> parse_nvue_json(std::string_view text);

// "up" for "up" and for {"up": {}}, as states are written (E-nvue-json); "" for other values.
std::string nvue_word(const Value* value);
// The value at "link", "mtu", ...; null if a step of the path is missing.
const Value* nvue_find(const Value& tree, std::initializer_list<std::string_view> path);
// The names in a key with ranges, as "swp1-4,swp7" and "10-12" (E-nvue-ranges); or the key itself.
std::vector<std::string> nvue_names(std::string_view key);

// A running port, bond or other interface: `nv show interface --operational -o json`.
struct NvueInterface {
  std::string name;                                // "swp1", "bond1", "sw1p1"
  std::string type;                                // "swp", "bond", "eth", "ib"; "" = unknown
  std::optional<bool> enabled;                     // by the administrator
  std::optional<bool> up;                          // none: "unknown", as of lo
  std::string state;                               // "up", "down", "protodown"
  std::string speed;                               // "100G"; "" where it has no link
  std::string fec;                                 // in use: "rs", "baser", "off"; "" = unknown
  std::optional<std::uint32_t> mtu;                // bytes
  std::string mac;                                 // "" = unknown
  std::string parent;                              // the bond or VRF that has it
  std::string physical_state;                      // InfiniBand: "LinkUp", "Polling"
  std::string logical_state;                       // InfiniBand: "Active", "Initialize", "Down"
  std::string lanes, ib_speed;                     // InfiniBand: "4X", "ndr"
  std::map<std::string, std::string> diagnostics;  // why it is down: code to text
  std::map<std::string, std::int64_t> counters;
};
Result<std::vector<NvueInterface>> parse_nvue_interfaces(std::string_view text);
Value to_value(const std::vector<NvueInterface>& interfaces);

// A configuration: `nv config show -r applied -o json`, a list of {header} and {set}. The tree of
// the sets, with one entry for every name of a range; an empty map where nothing is set.
Result<Value> parse_nvue_config(std::string_view text);

struct NvueRevision {
  std::string id;     // "4"; "changeset/cumulus/2021-..." of old releases
  std::string state;  // "applied", "applied_and_saved", "confirm", "pending"
  std::string user;   // "" = unknown
};
// `nv config revision -o json`, in order of id.
Result<std::vector<NvueRevision>> parse_nvue_revisions(std::string_view text);
Value to_value(const std::vector<NvueRevision>& revisions);

struct NvueNeighbour {
  std::string port;         // ours
  std::string system_name;  // "" = unknown
  std::string chassis;
  std::string remote_port, remote_port_type;  // "swp49", "ifname"
};
// `nv show interface lldp -o json`, in order of port.
Result<std::vector<NvueNeighbour>> parse_nvue_lldp(std::string_view text);
Value to_value(const std::vector<NvueNeighbour>& neighbours);

struct NvueMlag {
  std::optional<bool> enabled, peer_alive, backup_active;
  std::string system_mac, local_role, peer_role, peer_interface;
};
// `nv show mlag --operational -o json`.
Result<NvueMlag> parse_nvue_mlag(std::string_view text);
Value to_value(const NvueMlag& mlag);

struct NvueRoce {
  std::string mode;  // "lossless", "lossy"; "" = off
  std::string trust, pfc_priority;
  std::string congestion_mode;  // "ECN"
};
// `nv show qos roce --operational -o json`.
Result<NvueRoce> parse_nvue_roce(std::string_view text);
Value to_value(const NvueRoce& roce);

struct NvueVersion {
  std::string product;  // "cumulus", "nvos"
  std::string release;  // "5.9.1", "25.02.4002"
  std::string kernel, build;
};
// `nv show system version -o json` or, before 5.5, `nv show system -o json`.
Result<NvueVersion> parse_nvue_version(std::string_view text);
Value to_value(const NvueVersion& version);

}  // namespace fabric::providers
