// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/importing/seen_fabric.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/description/foreign/cabling.hpp"
#include "engine/description/names.hpp"
#include "engine/model/address.hpp"
#include "providers/builtin.hpp"

namespace fabric::workflow {

namespace {

// Networks in which each cable between two hosts is a subnet of its own.

// True if these ports of one network have addresses in subnets of single cables.
bool has_cable_subnets(const std::vector<const providers::SeenPort*>& ports);
// Adds their addresses as `per: cable`, with the transit between them; two ports of one subnet
// without other evidence of their cables are cabled to each other. REQUIRES: has_cable_subnets().
void add_cable_subnets(
    const std::vector<const providers::SeenPort*>& ports, description::Network& network);

using description::End;
using Ports = std::vector<const providers::SeenPort*>;

constexpr std::uint32_t kShortestPair = 30;
constexpr std::uint32_t kUsualPair = 31;

// The smallest subnet that has them all as addresses of hosts, or, `cut_up`, as any.
std::optional<Subnet> around(const std::set<IpAddress>& addresses, bool cut_up) {
  for (std::uint32_t length = kShortestPair; length > 0 && !addresses.empty(); --length) {
    const auto subnet = Subnet::of_address(fmt::format("{}/{}", addresses.begin()->str(), length));
    if (!subnet) return std::nullopt;
    const bool all = std::ranges::all_of(addresses, [&](const IpAddress& each) {
      return subnet->contains(each) && (cut_up || !subnet->is_reserved(each));
    });
    if (all) return *subnet;
  }
  return std::nullopt;
}

void add_loopbacks(const Ports& ports, description::Network& network) {
  std::set<IpAddress> addresses;
  for (const providers::SeenPort* port : ports) {
    const auto address = IpAddress::parse(port->loopback.substr(0, port->loopback.find('/')));
    if (!port->loopback.empty() && address) addresses.insert(*address);
  }
  const std::optional<Subnet> subnet = around(addresses, false);
  if (!subnet) return;
  network.loopback = subnet->str();
  network.transit = std::ranges::all_of(ports, [](const auto* port) { return port->transit; });
}

// "10.40.0.0/31" where an address is of a link of two: /31 or /30; else "".
std::string pair_subnet(const std::string& address) {
  const Result<Subnet> subnet = Subnet::of_address(address);
  const bool is_pair =
      !address.empty() && subnet && address.find(':') == std::string::npos &&
      (subnet->prefix_length() == kShortestPair || subnet->prefix_length() == kUsualPair);
  return is_pair ? subnet->str() : "";
}

bool has_cable_subnets(const Ports& ports) {
  std::set<std::string> subnets;
  for (const providers::SeenPort* port : ports) {
    const std::string subnet = pair_subnet(port->address);
    if (subnet.empty() || port->mode != "ethernet") return false;
    subnets.insert(subnet);
  }
  return subnets.size() > 1;
}

void add_cable_subnets(const Ports& ports, description::Network& network) {
  std::map<std::string, std::vector<End>> by_subnet;
  std::set<IpAddress> addresses;
  std::uint32_t prefix = kUsualPair;
  for (const providers::SeenPort* port : ports) {
    const std::string subnet = pair_subnet(port->address);
    by_subnet[subnet].push_back(port->end);
    prefix = Subnet::parse(subnet)->prefix_length();
    const std::string address = port->address.substr(0, port->address.find('/'));
    network.ipv4.of.emplace(port->end, address);
    if (const auto parsed = IpAddress::parse(address)) addresses.insert(*parsed);
  }
  for (const auto& [subnet, ends] : by_subnet) {
    const auto is_left = [&network](const End& end) {
      return std::ranges::find(network.ports, end) != network.ports.end();
    };
    if (ends.size() != 2 || !is_left(ends[0]) || !is_left(ends[1])) continue;
    network.cables.push_back({ends[0], ends[1]});
    std::erase(network.ports, ends[0]);
    std::erase(network.ports, ends[1]);
  }
  const std::optional<Subnet> all = around(addresses, true);
  network.ipv4.subnet = all ? all->str() : "";
  network.ipv4.per_cable = true;
  if (prefix != kUsualPair) network.ipv4.prefix = prefix;
  add_loopbacks(ports, network);
}

using description::Cable;
using description::End;
using description::Network;
using providers::SeenManager;
using providers::SeenNode;
using providers::SeenPort;
using providers::SeenSwitchPort;
using providers::SeenVlan;

constexpr std::int64_t kEthernetMtu = 1500;

std::string subnet_of(const std::string& address) {
  const Result<Subnet> subnet = Subnet::of_address(address);
  return subnet ? subnet->str() : "";
}

// The value that most ports have; the smaller one of two.
std::int64_t most_common(const std::vector<std::int64_t>& values) {
  std::map<std::int64_t, std::size_t> counts;
  for (const std::int64_t value : values)
    ++counts[value];
  std::int64_t best = 0;
  std::size_t most = 0;
  for (const auto& [value, count] : counts) {
    if (count <= most) continue;
    most = count;
    best = value;
  }
  return best;
}

class Fabric {
 public:
  explicit Fabric(const std::vector<NodeFacts>& facts) {
    std::map<std::string, std::string> names;  // own name of each host, by the name it was asked by
    for (const NodeFacts& each : facts) {
      std::optional<SeenNode> seen = each.reachable() ? providers::see_node(each) : std::nullopt;
      if (!seen) {
        description::Node& node = found_.nodes[each.node.str()];
        Platform platform = each.platform;
        if (!each.reachable() && platform == kUsualPlatform)
          platform = providers::shown_platform(each);
        if (platform != kUsualPlatform) node.platform = to_string(platform);
        node.is_switch = traits(platform).is_switch;
        node.notes.push_back(
            each.reachable() ? "of a node of this platform fabric reads only name and platform"
                             : fmt::format("not reached: {}", each.failure->message));
        continue;
      }
      names[each.node.str()] = providers::own_name(each);
      seen_.push_back(*std::move(seen));
    }
    call_by_own_names(names);
    for (SeenNode& node : seen_) {
      for (const SeenSwitchPort& port : node.switch_ports)
        if (port.has_link) node.node.linked.emplace(port.port, port.access_vlan);
      for (const description::Mlag& mlag : node.node.mlag)
        std::erase_if(node.node.linked, [&mlag](const auto& port) {
          return std::ranges::any_of(mlag.ipl, [&port](const std::string& each) {
            return number_of(each) == number_of(port.first);
          });
        });
      found_.nodes.emplace(node.name, node.node);
    }
  }

  description::Description describe() {
    leave_out_conflicts();
    pair_switches();
    hear_switches();
    group();
    for (auto& [key, ports] : groups_)
      add_network(key, ports);
    add_switch_managers();
    const bool observes = std::ranges::any_of(
        found_.nodes, [](const auto& each) { return !each.second.state.empty(); });
    if (observes) {
      found_.notes.emplace_back(
          "CHANGE: hosts whose configuration is not fabric's own are only observed. Remove 'state: "
          "observe', and the plan shows the changes that adopt them.");
    }
    return std::move(found_);
  }

 private:
  static std::string number_of(const std::string& port) {
    return description::switch_port_of(port).value_or(port);
  }

  // A host is called as it calls itself, unless another one calls itself the same. Where it was
  // asked by another name, that is its address.
  void call_by_own_names(const std::map<std::string, std::string>& names) {
    std::map<std::string, std::size_t> uses;
    for (const SeenNode& node : seen_) {
      ++uses[names.at(node.name)];
      if (names.at(node.name) != node.name) ++uses[node.name];
    }
    for (SeenNode& node : seen_) {
      const std::string asked = node.name;
      const std::string& own = names.at(asked);
      const bool free = uses.at(own) == 1 && !found_.nodes.contains(own);
      if (own != asked && free) {
        node.name = own;
        node.node.address = asked;
        for (SeenPort& port : node.ports)
          port.end.node = own;
        for (SeenManager& manager : node.managers)
          manager.manager.at.node = own;
      } else if (own != asked) {
        node.node.notes.push_back(
            fmt::format("it calls itself {}, and another node has the same name", own));
      }
      for (const Neighbour& neighbour : node.neighbours)
        neighbours_[{node.name, neighbour.local_interface}].push_back(neighbour);
    }
  }

  // Two ports with one address are no document: the first by name keeps it. Slaves of a bond share
  // theirs.
  void leave_out_conflicts() {
    std::map<std::string, const SeenPort*> owners;
    for (SeenNode& node : seen_) {
      for (SeenPort& port : node.ports) {
        for (std::string SeenPort::*family : {&SeenPort::address, &SeenPort::address6}) {
          std::string& address = port.*family;
          if (address.empty()) continue;
          const auto [owner, is_new] = owners.emplace(address.substr(0, address.find('/')), &port);
          const bool same_bond = port.lag && owner->second->lag &&
                                 owner->second->end.node == port.end.node &&
                                 owner->second->lag->bond == port.lag->bond;
          if (is_new || same_bond) continue;
          found_.nodes[node.name].notes.push_back(fmt::format(
              "CHANGE: {}/{} has the address {}, as {}/{} of {} has: left out here",
              port.end.adapter,
              port.end.port,
              address,
              owner->second->end.adapter,
              owner->second->end.port,
              owner->second->end.node));
          address.clear();
        }
      }
    }
  }

  // Both ends of a pair say the same address, or hear each other on the link between them.
  void pair_switches() {
    for (SeenNode& node : seen_) {
      for (description::Mlag& mlag : node.node.mlag) {
        for (const SeenNode& other : seen_) {
          const bool same =
              &other != &node && !other.node.mlag.empty() && mlag.segments.empty() &&
              ((!mlag.system_mac.empty() &&
                other.node.mlag.front().system_mac == mlag.system_mac) ||
               (!mlag.domain.empty() && other.node.mlag.front().domain == mlag.domain));
          if (same) mlag.peer = other.name;
        }
      }
      // A pair whose other switch was not read is left out.
      std::erase_if(node.node.mlag, [&node](const description::Mlag& mlag) {
        if (!mlag.segments.empty()) return false;
        if (mlag.peer.empty())
          node.node.notes.push_back(fmt::format(
              "CHANGE: the switch is one of an MLAG pair by {}; import its peer too",
              join(mlag.ipl, ", ")));
        return mlag.peer.empty();
      });
      for (description::Mlag& mlag : node.node.mlag) {
        if (!mlag.domain.empty() || !mlag.segments.empty()) continue;
        const auto [first, second] = std::minmax(node.name, mlag.peer);
        mlag.domain = fmt::format("{}-{}", first, second);
      }
      found_.nodes[node.name].mlag = node.node.mlag;
      found_.nodes[node.name].notes = node.node.notes;
    }
  }

  // Adds the ports of hosts that switches hear, whether or not those hear them.
  void hear_switches() {
    for (const SeenNode& node : seen_) {
      if (!node.node.is_switch) continue;
      for (const SeenSwitchPort& port : node.switch_ports)
        switch_ports_.emplace(End{node.name, "", number_of(port.port)}, &port);
      for (const Neighbour& neighbour : node.neighbours) {
        const std::optional<std::string> port =
            description::switch_port_of(neighbour.local_interface);
        const SeenPort* other = find_port(neighbour);
        if (!port || other == nullptr) continue;
        heard_.emplace(other->end, End{node.name, "", *port});
      }
    }
  }

  // A port whose link is a subnet of its own, to something that is no host here.
  bool is_rail(const SeenPort& port) const {
    const std::string subnet = pair_subnet(port.address);
    if (subnet.empty() || port.mode != "ethernet" || !port.network.empty()) return false;
    return pairs_.at(subnet) == 1;
  }

  static void say_rails(const std::vector<const SeenPort*>& ports, Network& network) {
    network.notes.push_back(fmt::format(
        "CHANGE: each of its ports has a subnet of its own with its switch, as {} {}; a network "
        "has one subnet, or one a cable between hosts: the addresses are left out",
        ports.front()->end.node,
        ports.front()->address));
  }

  struct Key {
    std::string network, mode, subnet, bond, vswitch, plane;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  using Ports = std::vector<const SeenPort*>;

  void group() {
    for (const SeenNode& node : seen_) {
      for (const SeenPort& port : node.ports)
        ++pairs_[pair_subnet(port.address)];
    }
    for (const SeenNode& node : seen_) {
      for (const SeenPort& port : node.ports) {
        // Without an address an InfiniBand port is in the one subnet that there may be.
        const bool by_subnet =
            port.network.empty() && port.mode != "infiniband" && port.mode != "chain";
        const std::string& address = port.address.empty() ? port.address6 : port.address;
        const bool rail = is_rail(port);
        groups_[{port.network,
                 port.mode,
                 by_subnet && !rail ? subnet_of(address) : "",
                 port.lag ? port.lag->bond : "",
                 port.vswitch,
                 rail ? port.end.adapter + "/" + port.end.port : ""}]
            .push_back(&port);
      }
    }
  }

  std::string name_for(const Key& key) const {
    std::string name = key.network.empty() ? key.mode : key.network;
    for (std::size_t number = 2; found_.networks.contains(name); ++number)
      name = fmt::format("{}-{}", key.network.empty() ? key.mode : key.network, number);
    return name;
  }

  void add_network(const Key& key, const Ports& ports) {
    Network network;
    network.mode = key.mode;
    std::vector<std::int64_t> mtus;
    for (const SeenPort* port : ports)
      mtus.push_back(port->mtu);
    const std::int64_t mtu = most_common(mtus);
    for (const SeenPort* port : ports) {
      if (port->mtu != mtu)
        network.notes.push_back(fmt::format(
            "{}/{} has the MTU {}, not {}", port->end.node, port->end.adapter, port->mtu, mtu));
    }
    const bool cut_up = has_cable_subnets(ports);
    const description::Addresses addresses =
        cut_up ? description::Addresses{} : addresses_of(ports, network.notes);
    if (key.mode == "infiniband") {
      add_managers(key, network);
      description::Ipoib ipoib;
      ipoib.mode = ports.front()->ipoib_mode == "connected" ? "connected" : "";
      const bool is_set =
          std::ranges::any_of(ports, [](const SeenPort* port) { return port->mtu_is_set; });
      if (is_set) ipoib.mtu = static_cast<std::uint32_t>(mtu);
      ipoib.ipv4 = addresses;
      for (const SeenPort* port : ports)
        if (!port->address.empty()) ipoib.ports.push_back(port->end);
      if (!addresses.subnet.empty()) network.ipoib.push_back(std::move(ipoib));
    } else {
      if (mtu != kEthernetMtu) network.mtu = static_cast<std::uint32_t>(mtu);
      network.ipv4 = addresses;
      network.ipv6 = addresses6_of(ports, network.notes);
    }
    add_vlans(ports, network);
    network.vswitch = key.vswitch;
    if (ports.front()->lag) network.lag.push_back(*ports.front()->lag);
    add_cables(ports, network);
    add_switch_ports(network);
    if (cut_up && !key.plane.empty()) say_rails(ports, network);
    if (cut_up && key.plane.empty()) add_cable_subnets(ports, network);
    found_.networks.emplace(name_for(key), std::move(network));
  }

  static void add_vlans(const Ports& ports, Network& network) {
    std::map<std::uint32_t, std::vector<SeenPort>> by_id;
    std::map<std::uint32_t, std::string> names;
    for (const SeenPort* port : ports) {
      for (const SeenVlan& vlan : port->vlans) {
        SeenPort on_vlan = *port;
        on_vlan.address = vlan.address;
        on_vlan.gateway.clear();
        on_vlan.routes.clear();
        by_id[vlan.id].push_back(std::move(on_vlan));
        names.emplace(vlan.id, vlan.name);
      }
    }
    for (const auto& [id, on_vlan] : by_id) {
      Ports all;
      for (const SeenPort& port : on_vlan)
        all.push_back(&port);
      network.vlans.emplace(names.at(id), description::Vlan{id, addresses_of(all, network.notes)});
    }
  }

  void add_managers(const Key& key, Network& network) {
    for (const SeenNode& node : seen_) {
      for (const SeenManager& manager : node.managers) {
        if (manager.network != key.network || manager.of_switch) continue;
        network.managers.push_back(manager.manager);
        network.mtu = std::max(network.mtu, manager.mtu);
        add_options(manager, network);
      }
    }
    std::ranges::stable_sort(
        network.managers, [](const auto& a, const auto& b) { return a.priority > b.priority; });
    network.external_manager = network.managers.empty();
  }

  // Adds the settings of a network's ports at the switches that were read.
  void add_switch_ports(Network& network) const {
    std::set<std::string> channels;
    std::set<std::uint32_t> vlans;
    for (const Cable& cable : network.cables) {
      for (const End* end : {&cable.a, &cable.b}) {
        const auto port = switch_ports_.find(*end);
        if (port == switch_ports_.end()) continue;
        channels.insert(port->second->channel);
        vlans.insert(port->second->access_vlan);
      }
    }
    if (vlans.size() == 1) network.access_vlan = *vlans.begin();
    if (vlans.size() > 1)
      network.notes.emplace_back(
          "CHANGE: its switch ports are in several access VLANs, but a network has one");
    if (network.lag.empty()) return;
    if (channels.size() == 1) network.lag.front().port_channel = *channels.begin();
    if (channels.size() > 1)
      network.notes.emplace_back(
          "CHANGE: its switch ports are in channels of several kinds, but a network has one");
  }

  // Places switches' own managers: in the only InfiniBand subnet, or in the one that the switch is
  // cabled in; its ports with a link are in it.
  void add_switch_managers() {
    for (const SeenNode& node : seen_) {
      const bool manages =
          std::ranges::any_of(node.managers, [](const auto& each) { return each.of_switch; });
      std::vector<End> linked;
      for (const SeenSwitchPort& port : node.switch_ports)
        if (port.infiniband && port.has_link) linked.push_back({node.name, "", port.port});
      if (!node.node.is_switch || (linked.empty() && !manages)) continue;
      std::vector<Network*> subnets;
      for (auto& [name, network] : found_.networks)
        if (network.mode == "infiniband") subnets.push_back(&network);
      if (subnets.size() > 1) {
        found_.nodes[node.name].notes.emplace_back(
            "CHANGE: no source shows which subnet the switch's manager serves");
        continue;
      }
      Network& subnet = subnets.empty() ? found_.networks["infiniband"] : *subnets.front();
      subnet.mode = "infiniband";
      for (const End& port : linked)
        subnet.ports.push_back(port);
      for (const SeenManager& manager : node.managers) {
        if (!manager.of_switch) continue;
        subnet.managers.push_back(manager.manager);
        add_options(manager, subnet);
      }
      subnet.external_manager = subnet.managers.empty();
    }
  }

  // Adds the options, which all managers of a subnet share, from the first one.
  void add_options(const SeenManager& manager, Network& network) {
    if (network.managers.size() > 1) return;
    network.routing_engine = manager.routing_engine;
    network.subnet_prefix = manager.subnet_prefix;
    network.virtualization = manager.virtualization;
    network.manager_options = manager.options;
    network.notes.insert(network.notes.end(), manager.notes.begin(), manager.notes.end());
    for (const std::string& guid : manager.root_guids) {
      const std::string name = "switch-" + guid.substr(2);
      found_.nodes[name].is_switch = true;
      found_.nodes[name].node_guid = guid;
      found_.nodes[name].named = false;
      network.roots.push_back(name);
    }
    for (const providers::SeenPartition& seen : manager.partitions) {
      description::Partition& partition = network.partitions.emplace_back();
      partition.name = description::safe_name(seen.name);
      partition.pkey = seen.pkey;
      partition.ipoib = seen.ipoib;
      partition.mtu = seen.mtu;
      for (const auto& [who, how] : seen.members)
        add_member(partition, who, how, network);
    }
  }

  void add_member(
      description::Partition& partition,
      const std::string& who,
      const std::string& how,
      Network& network) const {
    if (!who.starts_with("0x")) {
      partition.members.push_back({who, {}, how});
      return;
    }
    for (const SeenNode& node : seen_) {
      for (const auto& [adapter, card] : node.node.adapters) {
        for (const auto& [port, evidence] : card.evidence) {
          if (evidence.port_guid != who) continue;
          partition.members.push_back({"", {node.name, adapter, std::to_string(port)}, how});
          return;
        }
      }
    }
    network.notes.push_back(fmt::format(
        "CHANGE: partition {} has the member {}, and no imported host has that port",
        partition.name,
        who));
  }

  // The seen port that a neighbour means.
  const SeenPort* find_port(const Neighbour& neighbour) const {
    for (const SeenNode& node : seen_) {
      const std::string chassis = to_lower(neighbour.chassis_name);
      const std::string name = to_lower(node.name);
      const bool is_node = chassis == name || chassis.starts_with(name + ".");
      for (const SeenPort& port : node.ports) {
        const bool by_mac =
            std::ranges::find(port.macs, to_lower(neighbour.port_id)) != port.macs.end();
        const bool by_name = is_node && (neighbour.port_id == port.device ||
                                         neighbour.port_description == port.device);
        if (by_mac || by_name) return &port;
      }
    }
    return nullptr;
  }

  // The port of a switch that a neighbour means; nullopt if it names none.
  std::optional<End> switch_end(const Neighbour& neighbour) {
    if (neighbour.chassis_name.empty()) return std::nullopt;
    const bool is_mac = neighbour.port_id_type == "mac";
    const std::string& written = is_mac ? neighbour.port_description : neighbour.port_id;
    const std::optional<std::string> port = description::switch_port_of(written);
    const std::string name = description::safe_name(neighbour.chassis_name);
    const auto known = found_.nodes.find(name);
    // A node that was not read is what its neighbours hear.
    const bool is_host =
        known != found_.nodes.end() && !known->second.is_switch &&
        std::ranges::any_of(seen_, [&name](const SeenNode& each) { return each.name == name; });
    if (!port || is_host) return std::nullopt;
    found_.nodes[name].is_switch = true;
    return End{name, "", *port};
  }

  void add_cables(const Ports& ports, Network& network) {
    std::set<End> cabled;
    for (const SeenPort* port : ports) {
      if (cabled.contains(port->end)) continue;
      for (const Neighbour& neighbour : neighbours_[{port->end.node, port->device}]) {
        const SeenPort* other = find_port(neighbour);
        const std::optional<End> end = other != nullptr ? other->end : switch_end(neighbour);
        if (!end || *end == port->end || cabled.contains(*end)) continue;
        network.cables.push_back({port->end, *end});
        cabled.insert({port->end, *end});
        break;
      }
      const auto heard = heard_.find(port->end);
      if (cabled.contains(port->end) || heard == heard_.end()) continue;
      network.cables.push_back({port->end, heard->second});
      cabled.insert({port->end, heard->second});
    }
    for (const SeenPort* port : ports)
      if (!cabled.contains(port->end)) network.ports.push_back(port->end);
  }

  std::vector<SeenNode> seen_;
  // Neighbours by node and interface.
  std::map<std::pair<std::string, std::string>, std::vector<Neighbour>> neighbours_;
  std::map<std::string, std::size_t> pairs_;  // subnets of two addresses, and their ports
  std::map<End, End> heard_;                  // a host's port, the switch's port that hears it
  std::map<End, const SeenSwitchPort*> switch_ports_;
  std::map<Key, Ports> groups_;
  description::Description found_;
};

}  // namespace

description::Description describe(const std::vector<NodeFacts>& facts) {
  return Fabric{facts}.describe();
}

}  // namespace fabric::workflow
