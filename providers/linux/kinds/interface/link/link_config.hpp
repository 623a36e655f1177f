// SPDX-License-Identifier: Apache-2.0
// LinkConfig: the desired state of one network interface, or the state that the files of a back end
// make. Equal for all back ends; the words are the kernel's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/resource.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"

namespace fabric::providers {

// A slave of a bond and the parent of a P_Key child are ports.
enum class LinkKind : std::uint8_t { port, bond, vlan, ipoib_child };

struct Route {
  std::string to, via;              // "10.9.0.0/16", "10.30.0.254"
  std::int64_t metric = 0;          // 0 = the default of the back end
  std::int64_t table = 0;           // 0 = main
  std::string source{};             // the source of the node's own packets; "" = the kernel chooses
  std::vector<std::string> hops{};  // in place of `via`, which is "": flows are shared among them
  friend auto operator<=>(const Route&, const Route&) = default;
};

struct BondConfig {
  std::string mode;                                        // "802.3ad"
  std::optional<std::int64_t> miimon, updelay, downdelay;  // milliseconds
  std::optional<std::int64_t> min_links;
  std::string lacp_rate;            // "slow", "fast"; "" = not asked for, as in all below
  std::string hash_policy;          // "layer3+4"
  std::string ad_select;            // "stable", "bandwidth", "count"
  std::string fail_over_mac;        // "active"
  std::string primary;              // interface; a slave without a name yet by its label
  std::vector<std::string> slaves;  // interfaces
  friend bool operator==(const BondConfig&, const BondConfig&) = default;
};

struct LinkConfig {
  std::optional<std::int64_t> mtu;
  std::vector<std::string> addresses;  // "10.30.0.1/24", in order of address
  std::string gateway, gateway6;       // of the default routes
  std::vector<Route> routes;
  std::string master;                   // the bond that it is a slave of
  std::string ipoib_mode;               // "datagram", "connected"
  std::optional<BondConfig> bond;       // kind bond
  std::optional<std::int64_t> vlan_id;  // kind vlan
  std::optional<std::int64_t> pkey;     // kind ipoib_child: its identity, the low 15 bits
  // The number of the table that routes packets that come in by the interface, and of its rule.
  std::optional<std::int64_t> incoming_table{};
  // The number of the table that routes packets from the first IPv4 address, to the subnet of that
  // address; and of its rule.
  std::optional<std::int64_t> source_table{};
  std::string source_from{};  // while files are read: the address of the rule
  friend bool operator==(const LinkConfig&, const LinkConfig&) = default;
};

bool is_ipv6(std::string_view address);
// True for a rule and routes for incoming packets. Not every back end can have them.
bool routes_transit(const LinkConfig& config);
// The rule and the route of a source table, as all back ends write them.
struct SourceWay {
  std::string from, subnet;  // "10.30.0.1", "10.30.0.0/24"
  std::int64_t table = 0;
};
// Nullopt: no source table is wanted, or there is no IPv4 address.
std::optional<SourceWay> source_way(const LinkConfig& config);
// For a configuration read from files: keeps the source table only if its route is there and it is
// for the interface's address, and takes that route out of `routes`.
void settle_source(LinkConfig& config);
// In the form of `routes` of a resource.
Value route_value(const Route& route);

// A port that is a slave of a bond.
struct Slave {
  std::string label;  // "cx5.1": how the document calls it
  std::string name;   // of its interface after the next boot; "" = unknown
  const Card* card = nullptr;
  const AdapterPort* port = nullptr;
};

// A file of udev that gives a port its name.
struct NameFile {
  std::string path, content;
};

// The interface that a resource is about.
struct LinkTarget {
  ResourceAddress address;
  // The first lines of the target's files: owned_marker of the resource.
  std::string marker{};
  LinkKind kind = LinkKind::port;
  // The interface's name after the next boot; "" if unknown (the link type changes and no name is
  // given).
  std::string name{};
  // For a port: the document or a file of fabric gives it this name at every boot.
  bool is_named = false;
  // For a port that no other file names: the file that does (given_name.hpp).
  std::optional<NameFile> name_file{};
  bool infiniband = false;
  const Card* card = nullptr;         // kind port
  const AdapterPort* port = nullptr;  // kind port
  // For a port: the document's bond that it is a slave of. Foreign configuration of a bond of that
  // name is adopted by the bond, and names its slaves.
  std::string bond{};
  std::vector<Slave> slaves{};  // kind bond, in the document's order
  // For a bond or VLAN: the foreign bridge that has it as a port now. No document says so, but
  // fabric's file names the bridge where the port's own file has to.
  std::string bridge{};
  // For a VLAN or P_Key child: the interface below, and the kind and name of its resource.
  std::string parent{}, parent_kind{}, parent_resource{};
};

// The slave's interface name, or its label while it has none: unique within a bond.
inline const std::string& called(const Slave& slave) {
  return slave.name.empty() ? slave.label : slave.name;
}

// The interface name of the slave that the document writes as "cx5.1", "cx5/1", "1" or by name.
std::string interface_of(const LinkTarget& target, const std::string& written);

// The stem of this resource's file names: "cx5.1", "bond-bond0", "vlan-storage.backup".
std::string file_stem(std::string_view kind, std::string_view name);

// From attributes of the providers; slaves and primary become interface names.
LinkConfig config_of(const Resource& resource, const LinkTarget& target);
// To attributes; parts without configuration are left out. Slaves and primary get the document's
// names where it has some.
Map attributes_of(const LinkConfig& config, const LinkTarget& target);

// A P_Key as the kernel and most files write it: the port always joins as a full member.
inline constexpr std::int64_t kFullMember = 0x8000;
inline constexpr std::int64_t kPkeyIdentity = 0x7fff;

// `found` in the order of `wanted` if both are the same set, else unchanged.
Value in_order_of(const Value& wanted, Value found);

}  // namespace fabric::providers
