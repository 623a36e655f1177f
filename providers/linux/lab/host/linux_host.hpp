// SPDX-License-Identifier: Apache-2.0
// LinuxHost: the whole state of one simulated Linux host, between and across boots. Only values;
// the boot is in linux/system, commands in linux/commands, and linux_machine.cpp puts them
// together.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/random.hpp"
#include "engine/lab/card/card.hpp"
#include "engine/lab/machine/ip_prefix.hpp"
#include "engine/lab/machine/machine.hpp"
#include "engine/lab/machine/partitions.hpp"
#include "providers/linux/lab/host/file_tree.hpp"

namespace fabric::lab {

// The state of NetworkManager: its keyfiles, and the devices that it configures by them. Only
// values; its behaviour is in linux/network.
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
  std::uint16_t p_key = 0;  // of a child of IPoIB; 0: it is none
  std::string method4 = "auto", method6 = "auto";
  std::vector<IpPrefix> addresses;
  std::string gateway, gateway6;
  std::vector<ProfileRoute> routes;
  std::vector<ProfileRule> rules;
  bool operator==(const ConnectionProfile&) const = default;

  bool is_virtual() const {
    return type == "bond" || type == "bridge" || type == "vlan" || p_key != 0;
  }
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

// Bond and Vlan: the kernel's state of interfaces that stand on others. Only values; the bonding
// driver is in bonding.hpp.

// With the driver's numbers.
enum class BondMode : std::uint8_t {
  balance_rr,
  active_backup,
  balance_xor,
  broadcast,
  lacp,
  balance_tlb,
  balance_alb
};
struct BondSlave {
  std::uint32_t index = 0;   // of its interface
  std::uint32_t number = 1;  // of its port and of its own aggregator
  bool link = true;          // as the driver last saw it
  std::uint32_t failures = 0;
  std::uint32_t former_mtu = 1500;
  std::string former_mac;
  bool operator==(const BondSlave&) const = default;
};
struct Bond {
  BondMode mode = BondMode::balance_rr;
  std::uint32_t miimon = 0;     // ms; 0: links are not watched
  std::uint32_t updelay = 0;    // in polls
  std::uint32_t downdelay = 0;  // in polls
  std::uint32_t min_links = 0;
  std::uint32_t hash_policy = 0;
  std::uint32_t lacp_rate = 0;
  std::uint32_t ad_select = 0;
  std::uint32_t fail_over_mac = 0;
  std::string primary;  // as it was given, whether such a slave is there or not
  std::vector<BondSlave> slaves;
  std::uint32_t active = 0;  // interface of the active slave, in the modes that have one
  std::uint32_t numbered = 0;
  bool operator==(const Bond&) const = default;
};
struct Vlan {
  std::uint32_t id = 1;
  std::uint32_t below = 0;  // interface that carries it
  bool operator==(const Vlan&) const = default;
};

// The IP state of an InfiniBand port, or of a child of its interface.
struct Ipoib {
  bool can_connect = false;         // not with mlx5
  bool connected = false;           // connected mode
  std::uint32_t wished_mtu = 4092;  // in datagram mode, where the group may carry less
  std::uint32_t group_mtu = 2044;   // of the broadcast group when it last joined
  std::uint32_t parent = 0;         // 0: it is the port's own interface
  std::uint16_t key = 0xffff;       // P_Key
  bool by_create_child = false;     // not by netlink: it has files of its own in /sys
  bool operator==(const Ipoib&) const = default;
};

struct Interface {
  std::string name;
  std::uint32_t index = 0;
  bool loopback = false;
  bool infiniband = false;
  std::string mac;  // in use; 20 bytes for InfiniBand
  std::string permanent_mac;
  std::uint32_t mtu = 1500;
  std::uint32_t mtu_most = 1500;
  bool up = false;  // administratively
  std::vector<IpPrefix> addresses;
  std::optional<std::size_t> card;  // none: loopback and the board's own port
  std::uint32_t port = 0;           // from 1
  std::string network_file;         // of networkd, "" = unmanaged
  std::optional<Bond> bond;         // set for a bond
  std::optional<Vlan> vlan;         // set for a VLAN
  std::optional<Ipoib> ipoib;       // of an InfiniBand port, or a child
  bool bridge = false;              // true for a bridge
  std::uint32_t master = 0;         // index of the bond or bridge that has it

  // The interface that carries a VLAN or has a child of IPoIB; 0: it is neither.
  std::uint32_t below() const { return vlan ? vlan->below : ipoib ? ipoib->parent : 0; }
  // True for an interface that is neither a card's own nor the board's.
  bool is_virtual() const { return bond || bridge || below() != 0; }
  // The board's own port, on the network by which the host is managed.
  bool is_management() const { return !card && !loopback && !is_virtual(); }
};

struct RouteHop {
  std::string via, device;
  bool operator==(const RouteHop&) const = default;
};

struct Route {
  IpPrefix destination;  // length 0: default
  std::string device;
  std::string via;
  std::string source;
  bool by_ifupdown2 = false;  // ifupdown2 marks its default routes as the kernel's
  std::uint32_t metric = 0;
  std::uint32_t table = 0;  // 0: main
  // The hops if there are several: flows are shared. `via` and `device` are those of the last.
  std::vector<RouteHop> hops{};
};

// A rule: packets that come in by an interface, or have an address of the host as source, are
// routed by a table of their own before the main one.
struct RoutingRule {
  std::uint32_t priority = 0;
  std::string incoming;
  std::uint32_t table = 0;
  std::string from{};
  bool operator==(const RoutingRule&) const = default;
};

struct Service {
  bool installed = true;
  bool active = false;
  bool enabled = false;
};

// A [Route] section.
struct NetworkFileRoute {
  std::string to, via, source;
  std::uint32_t metric = 0, table = 0;
  std::vector<std::string> hops{};  // MultiPathRoute=
  bool operator==(const NetworkFileRoute&) const = default;
};

struct NetworkFile {
  std::string path;
  std::map<std::string, std::vector<std::string>> match;  // "Name": patterns
  std::vector<IpPrefix> addresses;
  std::optional<std::uint32_t> mtu;
  std::string gateway;
  std::vector<NetworkFileRoute> routes;
  std::vector<RoutingRule> rules;  // [RoutingPolicyRule]
  bool activate = true;
  bool unmanaged = false;
  std::string bond;                                        // Bond=
  std::string bridge{};                                    // Bridge=
  std::vector<std::pair<std::string, std::string>> above;  // VLAN=, IPoIB=: kind, name
  bool primary_slave = false;
  bool operator==(const NetworkFile&) const = default;
};

struct NetdevFile {
  std::string name;
  std::string kind;  // "bond", "bridge", "vlan", "ipoib"
  std::optional<std::uint32_t> mtu;
  std::uint32_t vlan_id = 0;
  std::uint16_t p_key = 0;
  std::string ipoib_mode;
  bool makes_mac = true;                                  // MACAddress= is not "none"
  std::vector<std::pair<std::string, std::string>> bond;  // option of the kernel, value
};

// The state of the package archive.
enum class Archive : std::uint8_t { online, offline, locked, unsubscribed };

// A running OpenSM, with its options as it read them at its start.
struct ManagerProcess {
  std::uint64_t guid = 0;                 // of its port
  std::uint32_t priority = 0;             // 0 to 15
  std::optional<std::string> partitions;  // text of the file; none: there was no such file
  std::string partitions_file;
  PartitionRules groups;    // as it has made them while it was master
  std::uint64_t order = 0;  // of the starts: of several on one port the first runs
  bool restarts = false;    // its unit restarts it when it ends
  std::string log_file;
  std::string routing_engine;  // the first configured one, "minhop" without any
  std::string state;  // as its log has it: "DISCOVERING", "STANDBY", "MASTER"; "" before the first
};

// Properties of this host that never change.
struct MachineProfile {
  std::string name;
  std::string address;   // of eno1, in a /24; "" = it has none
  std::string bridge{};  // "vmbr0": it has the management port; "" = there is none
  // "networkd", "ifupdown", "ifupdown2", "ifcfg", "netplan" or "networkmanager".
  std::string backend = "networkd";
  std::string tool = "mstconfig";  // or "mlxconfig", "none"
  std::string tool_version = "4.26";
  std::string ofed{};  // version of MLNX_OFED; "" = the kernel's own drivers
  bool lldpd = true;
  Archive archive = Archive::online;
  Duration boot_time{2000};
  std::vector<std::string> users;  // besides root; sudo -n works for them
  std::string client{};            // the address from which SSH sessions come
};

// All state that a command can change; saved, and restored when a change must leave no trace.
struct MachineState {
  FileTree files;
  std::vector<Card> cards;
  std::vector<Interface> interfaces;
  std::vector<Route> routes;
  std::vector<RoutingRule> rules;              // without the kernel's own rules
  std::map<std::string, std::string> sysctls;  // "net/ipv4/conf/all/arp_ignore"
  // For each loaded module: its parameters as the kernel shows them.
  std::map<std::string, std::map<std::string, std::string>> modules;
  std::map<std::string, Service> services;
  std::vector<NetworkFile> networkd;  // as it last read them
  std::vector<NetdevFile> netdevs;    // the same
  // networkd's own bonds that were removed and that a reload made again: no port ever joins one
  // before networkd is restarted (systemd 252).
  std::set<std::string> netdevs_made_again;
  NetworkManagerState network_manager;
  std::map<std::string, TimePoint> waiting_units;  // of unit_files.hpp: when they start
  std::map<std::string, ManagerProcess> managers;  // by unit: "opensm@0x....service"
  std::string network_in_force;  // digest of the network files that were last made to run
  std::string hostname;
  std::string boot_id;
  bool mst_started = false;
};

struct ProgramTable;  // of linux/shell/programs.hpp

class LinuxHost : public Machine {
 public:
  // `programs`: all that can be installed on the host; must outlive it.
  LinuxHost(MachineProfile given, std::uint64_t seed, const ProgramTable& programs);
  ~LinuxHost() override = default;
  LinuxHost(const LinuxHost&) = delete;
  LinuxHost& operator=(const LinuxHost&) = delete;

  MachineProfile profile;
  MachineState state;
  const ProgramTable& programs;
  // For a copy of a running host: the boot that the original was in. The copy draws its next boot
  // from a sequence of its own, so that it never repeats ids of its original.
  std::uint64_t boots_from = 0;

  // Notes a change of anything but files, which count their own changes.
  void note_change();
  std::uint64_t changes() const final { return changes_ + state.files.changes(); }
  std::vector<Card>& cards() final { return state.cards; }
  const std::vector<Card>& cards() const final { return state.cards; }

  Interface* find_interface(std::string_view name);
  const Interface* find_interface(std::string_view name) const;
  Interface* interface_of_index(std::uint32_t index);
  const Interface* interface_of_index(std::uint32_t index) const;
  Interface* interface_of_port(std::size_t card, std::uint32_t port);
  const Interface* interface_of_port(std::size_t card, std::uint32_t port) const;
  bool user_exists(std::string_view user) const;
  bool runs_service(const std::string& unit) const;
  std::string sysctl(const std::string& path, const std::string& otherwise) const;

 private:
  std::uint64_t changes_ = 0;
};

// A random UUID, version 4. Another `origin` gives another one from the same state of `random`.
std::string make_uuid(Random& random, std::uint64_t origin = 0);

}  // namespace fabric::lab
