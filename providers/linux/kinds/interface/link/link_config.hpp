// SPDX-License-Identifier: Apache-2.0
// LinkConfig: the desired state of one network interface, or the one that the files of a back end
// make. The same for every back end; the words are the kernel's.
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
  std::string source{};             // that packets of the node itself have; "" = the kernel chooses
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
  // Packets that come in there are routed by this table first; its rule has the same number.
  std::optional<std::int64_t> incoming_table{};
  // Packets from the first IPv4 address are routed by this table first, which leads to the subnet
  // of that address; its rule has the same number.
  std::optional<std::int64_t> source_table{};
  std::string source_from{};  // while files are read: of which address the rule is
  friend bool operator==(const LinkConfig&, const LinkConfig&) = default;
};

bool is_ipv6(std::string_view address);
// Not every back end has a rule for what comes in, and routes that belong to one.
bool routes_transit(const LinkConfig& config);
// The rule and the route of a source table, as all back ends write them.
struct SourceWay {
  std::string from, subnet;  // "10.30.0.1", "10.30.0.0/24"
  std::int64_t table = 0;
};
// Nullopt: none is wanted, or there is no IPv4 address.
std::optional<SourceWay> source_way(const LinkConfig& config);
// Of what files say: with its route, and of the address that the interface has; else it is none.
// The route is not one of `routes`.
void settle_source(LinkConfig& config);
// As `routes` of a resource has it.
Value route_value(const Route& route);

// A port below a bond.
struct Slave {
  std::string label;  // "cx5.1": how the document calls it
  std::string name;   // of its interface after the next boot; "" = unknown
  const Card* card = nullptr;
  const AdapterPort* port = nullptr;
};

// A file of udev's that gives a port its name.
struct NameFile {
  std::string path, content;
};

// The interface that a resource is about.
struct LinkTarget {
  ResourceAddress address;
  // The first lines of its files: owned_marker of the resource.
  std::string marker{};
  LinkKind kind = LinkKind::port;
  // Its name after the next boot; "" if that is unknown (the link type changes and no name is
  // given).
  std::string name{};
  // Kind port: by the document or by a file of ours, so that it is called so after every boot.
  bool is_named = false;
  // Kind port: where no other file names it (given_name.hpp).
  std::optional<NameFile> name_file{};
  bool infiniband = false;
  const Card* card = nullptr;         // kind port
  const AdapterPort* port = nullptr;  // kind port
  // Kind port: the document's bond that it is a slave of. Foreign configuration of a bond of that
  // name is for the bond to take over, and names its slaves.
  std::string bond{};
  std::vector<Slave> slaves{};  // kind bond, in the document's order
  // Kinds bond and vlan: the foreign bridge that has it as a port now. No document says so, and
  // where the port's own file has to name the bridge, fabric's file still does.
  std::string bridge{};
  // Kinds vlan and ipoib_child: the interface below, and the kind and name of its resource.
  std::string parent{}, parent_kind{}, parent_resource{};
};

// By its name, or by its label while it has none: no two of a bond are called the same.
inline const std::string& called(const Slave& slave) {
  return slave.name.empty() ? slave.label : slave.name;
}

// What the slave is called that the document means by "cx5.1", "cx5/1", "1" or the name of its
// interface.
std::string interface_of(const LinkTarget& target, const std::string& written);

// How files of this resource are called: "cx5.1", "bond-bond0", "vlan-storage.backup".
std::string file_stem(std::string_view kind, std::string_view name);

// By the attributes of the providers; slaves and primary become interfaces.
LinkConfig config_of(const Resource& resource, const LinkTarget& target);
// The other way round; what is not configured is left out. Slaves and primary get the document's
// names where it has some.
Map attributes_of(const LinkConfig& config, const LinkTarget& target);

// As the kernel and most files write a P_Key: it always joins as a full member.
inline constexpr std::int64_t kFullMember = 0x8000;
inline constexpr std::int64_t kPkeyIdentity = 0x7fff;

// `found` as it is, or in the order of `wanted` where it is the same set.
Value in_order_of(const Value& wanted, Value found);

}  // namespace fabric::providers
