// SPDX-License-Identifier: Apache-2.0
// Environment of NCCL, UCX and Open MPI (E-nccl-environment, E-nccl-switchless, E-openmpi): what
// follows from the document for all hosts alike. An index of a GID is never among it: the next boot
// may give another one (E-roce-gid), and all find the GID by themselves.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/topology/broadcast_domains.hpp"
#include "engine/report/exports/cabling.hpp"
#include "engine/report/exports/exports.hpp"

namespace fabric::report {

namespace {

struct Known {
  std::set<std::string> bonds, subnets, pkeys;
  std::set<std::string> addressed;  // where services and TCP find each other, IPoIB included
  std::size_t networks = 0;
  bool roce = false, infiniband = false;
  // For networks with a subnet for each cable: the longest prefix, and whether each host has a
  // cable to every other one.
  std::uint32_t cable_prefix = 0;
  bool meshed = true;
  // The type of service of each RoCE network; nullopt: it has none, or its ports do not trust
  // packets' marks.
  std::set<std::optional<std::uint32_t>> services;
  std::size_t rails = 0;    // networks with switches that are no bonds
  bool rails_apart = true;  // no switch leads from one to another
  // Interfaces that every host has under this name, by network: those with an address for services.
  std::map<std::string, std::string> interfaces;
};

// The common name of all hosts' only interface in the network; "" = names differ, or the document
// has none, or not all hosts are in it.
std::string common_interface(const FabricSpec& spec, const NetworkSpec& network) {
  std::map<NodeName, std::set<std::string>> names;
  for (const PortRef& port : network.member_ports()) {
    const NodeSpec* node = spec.find_node(port.node.str());
    if (port.adapter.empty() || node == nullptr || !is_exported(*node)) continue;
    const LagSpec* lag = lag_of(network);
    std::string name = lag != nullptr ? lag->bond.value : "";
    const AdapterSpec* adapter = node->find_adapter(port.adapter);
    if (lag == nullptr && adapter != nullptr) {
      const auto given = adapter->names.find(port.number());
      if (given != adapter->names.end()) name = given->second.value;
    }
    names[port.node].insert(std::move(name));
  }
  for (const auto& [name, node] : spec.nodes) {
    if (!is_switch(node.platform.value) && is_exported(node) && !names.contains(name)) return {};
  }
  if (names.empty()) return {};
  const std::set<std::string>& first = names.begin()->second;
  const bool is_common = std::all_of(
      names.begin(), names.end(), [&](const auto& each) { return each.second == first; });
  return is_common && first.size() == 1 ? *first.begin() : std::string{};
}

void find_rails(const FabricSpec& spec, Known& known) {
  const std::map<NodeName, NodeName> joined = joined_switches(spec);
  std::set<std::pair<NodeName, std::uint32_t>> taken;  // with the VLAN of what has no tag
  for (const auto& [name, network] : spec.networks) {
    std::set<NodeName> switches;
    for (const CableSpec& cable : network.cables) {
      for (const PortRef* end : {&cable.a.value, &cable.b.value}) {
        if (!end->adapter.empty()) continue;
        const auto first = joined.find(end->node);
        const bool is_ethernet = network.mode.value != Mode::infiniband && first != joined.end();
        switches.insert(is_ethernet ? first->second : end->node);
      }
    }
    if (switches.empty() || network.lag) continue;
    ++known.rails;
    for (const NodeName& each : switches)
      known.rails_apart =
          taken.emplace(each, network.access_vlan.value).second && known.rails_apart;
  }
}

bool is_meshed(const NetworkSpec& network) {
  std::set<NodeName> nodes;
  std::set<std::pair<NodeName, NodeName>> joined;
  for (const CableSpec& cable : network.cables) {
    const NodeName &a = cable.a.value.node, &b = cable.b.value.node;
    nodes.insert({a, b});
    joined.insert(std::minmax(a, b));
  }
  return joined.size() == nodes.size() * (nodes.size() - 1) / 2;
}

// The subnet on which a service of the network listens: that of the loopbacks if there are some.
// Nullopt: none, or another subnet for each cable.
std::optional<std::string> service_subnet(const NetworkSpec& network) {
  if (network.mode.value == Mode::infiniband) {
    if (!network.ipoib || !network.ipoib->ipv4.subnet) return std::nullopt;
    return network.ipoib->ipv4.subnet->value.str();
  }
  if (network.loopback && network.loopback->subnet) return network.loopback->subnet->value.str();
  if (!network.ipv4.subnet || network.ipv4.cable_prefix != 0) return std::nullopt;
  return network.ipv4.subnet->value.str();
}

Known known_of(const FabricSpec& spec) {
  Known known;
  known.networks = spec.networks.size();
  find_rails(spec, known);
  for (const auto& [name, network] : spec.networks) {
    const std::string interface = common_interface(spec, network);
    if (!interface.empty() && service_subnet(network) && !network.loopback)
      known.interfaces.emplace(name, interface);
    if (auto subnet = service_subnet(network)) known.addressed.insert(*std::move(subnet));
    if (network.ipv4.cable_prefix != 0) {
      known.cable_prefix = std::max(known.cable_prefix, network.ipv4.cable_prefix);
      known.meshed = known.meshed && is_meshed(network);
    }
    if (network.mode.value == Mode::infiniband) {
      known.infiniband = true;
      constexpr std::int64_t kFullMember = 0x8000, kIdentity = 0x7fff;
      for (const PartitionSpec& partition : network.partitions) {
        const std::int64_t identity = partition.pkey.value & kIdentity;
        // The P_Key of the default partition is used unless another one is named.
        if (identity != kIdentity)
          known.pkeys.insert(fmt::format("{:#06x}", identity | kFullMember));
      }
      continue;
    }
    known.roce = true;
    known.services.insert(
        network.qos && network.qos->trust.value != "pcp"
            ? std::optional{type_of_service(*network.qos)}
            : std::nullopt);
    if (network.ipv4.subnet) known.subnets.insert(network.ipv4.subnet->value.str());
    if (network.lag && network.lag->roce && network.lag->roce->value)
      known.bonds.insert(network.lag->bond.value);
  }
  return known;
}

std::string joined(const std::set<std::string>& parts) {
  const std::vector<std::string> all{parts.begin(), parts.end()};
  return join(all, ",");
}

// True if the RoCE LAG device has one name on all hosts, and no other device has it.
bool has_one_roce_lag(const Known& known) {
  return known.bonds.size() == 1 && known.networks == 1;
}

std::string comment(std::string_view text) {
  return fmt::format("# {}\n", text);
}

// Stock NCCL takes any of its own ports to reach a peer, and half of them lead to another peer.
std::string switchless_nccl(const Known& known) {
  std::string text =
      comment("A subnet for each cable: a peer is reached by the port that shares its subnet.");
  text += comment("NCCL 2.30 or later.");
  text += "NCCL_IB_SUBNET_AWARE_ROUTING=1\n";
  text += fmt::format("NCCL_IB_SUBNET_PREFIX_LEN={}\n", known.cable_prefix);
  text += "NCCL_CROSS_NIC=1\n";
  text += comment("NCCL_IB_MERGE_NICS is left to you: one report needs 0, another report keeps 1.");
  if (known.meshed) return text;
  text +=
      comment("Not every host has a cable to every other one. While it starts NCCL connects its");
  text +=
      comment("trees too, whatever NCCL_ALGO says: as it is released it fails where RDMA does not");
  text +=
      comment("reach the opposite host. Ranks in the order of the cables, and a NCCL or a plugin");
  text += comment("of its network that leaves the trees out.");
  return text;
}

// RDMA CM gives its connections the type of service of `qos`; these make theirs without it.
std::string traffic_class(const Known& known, std::string_view variable) {
  if (known.services.size() == 1 && known.services.begin()->has_value())
    return fmt::format("{}={}\n", variable, **known.services.begin());
  if (known.services.size() < 2) return {};
  return comment(fmt::format(
      "Networks mark their packets in several ways, but {} can name only one: left out.",
      variable));
}

std::string nccl_interfaces(const Known& known) {
  if (known.interfaces.size() == 1 && known.addressed.size() == 1)
    return fmt::format("NCCL_SOCKET_IFNAME=={}\n", known.interfaces.begin()->second);
  if (known.interfaces.empty()) return {};
  std::set<std::string> names;
  for (const auto& [network, interface] : known.interfaces)
    names.insert(interface);
  return comment(
      fmt::format("NCCL_SOCKET_IFNAME is left to you: all hosts have {}.", joined(names)));
}

// A bond beside rails carries something else: storage. By itself NCCL takes every card.
std::string nccl_rails(const Known& known) {
  std::string text;
  const bool has_rails = known.rails >= 2;
  if ((has_rails || known.infiniband) && known.bonds.size() == 1)
    text += "NCCL_IB_HCA=^=mlx5_bond_0\n";
  if (has_rails && known.rails_apart) {
    text += comment("No switch leads from one rail to another.");
    text += "NCCL_CROSS_NIC=0\n";
  }
  return text;
}

}  // namespace

Result<std::string> nccl_environment(const FabricSpec& spec) {
  const Known known = known_of(spec);
  if (!known.roce && !known.infiniband)
    return Error{ErrorCode::invalid, "the document has no network"};
  std::string text = comment("written by fabric export nccl; for nccl.conf");
  if (known.roce) {
    text += comment("The GID is found by its kind and its subnet; its index is no setting.");
    text += "NCCL_IB_ROCE_VERSION_NUM=2\n";
    if (known.subnets.size() == 1) {
      text += "NCCL_IB_ADDR_FAMILY=AF_INET\n";
      text += fmt::format("NCCL_IB_ADDR_RANGE={}\n", *known.subnets.begin());
    } else if (known.subnets.size() > 1) {
      text += comment("Several subnets, and NCCL_IB_ADDR_RANGE can name only one: left out.");
    }
  }
  if (known.cable_prefix != 0) text += switchless_nccl(known);
  if (has_one_roce_lag(known)) text += "NCCL_IB_HCA==mlx5_bond_0\n";
  text += nccl_rails(known) + traffic_class(known, "NCCL_IB_TC") + nccl_interfaces(known);
  if (known.pkeys.size() == 1) text += fmt::format("NCCL_IB_PKEY_VALUE={}\n", *known.pkeys.begin());
  if (known.pkeys.size() > 1)
    text += comment("Partitions " + joined(known.pkeys) + ": a job chooses NCCL_IB_PKEY_VALUE.");
  return text;
}

namespace {

std::string ucx_lines(const Known& known) {
  std::string text;
  if (known.roce) text += comment("UCX_IB_GID_INDEX stays at auto: UCX finds the GID of RoCE v2.");
  if (has_one_roce_lag(known)) text += "UCX_NET_DEVICES=mlx5_bond_0:1\n";
  text += traffic_class(known, "UCX_IB_TRAFFIC_CLASS");
  if (known.pkeys.size() == 1) text += fmt::format("UCX_IB_PKEY={}\n", *known.pkeys.begin());
  if (known.pkeys.size() > 1)
    text += comment("Partitions " + joined(known.pkeys) + ": a job chooses UCX_IB_PKEY.");
  return text;
}

}  // namespace

Result<std::string> ucx_environment(const FabricSpec& spec) {
  const Known known = known_of(spec);
  if (!known.roce && !known.infiniband)
    return Error{ErrorCode::invalid, "the document has no network"};
  return comment("written by fabric export ucx; for ucx.conf or a job") + ucx_lines(known);
}

Result<std::string> mpi_environment(const FabricSpec& spec) {
  const Known known = known_of(spec);
  if (!known.roce && !known.infiniband)
    return Error{ErrorCode::invalid, "the document has no network"};
  std::string text = comment("written by fabric export mpi; for the environment of Open MPI");
  text += "OMPI_MCA_pml=ucx\n";
  if (known.addressed.empty()) {
    text += comment("No subnet that all hosts share: messages by TCP are not for this fabric.");
  } else {
    text += comment("For jobs by TCP (pml=ob1); ranks are started over the management network.");
    text += fmt::format("OMPI_MCA_btl_tcp_if_include={}\n", joined(known.addressed));
  }
  return text + ucx_lines(known);
}

// ceph.conf has one public network and one for the traffic between OSDs; which of several the
// document means for them, it does not say.
Result<std::string> ceph_networks(const FabricSpec& spec) {
  std::string text = comment("written by fabric export ceph; for ceph.conf");
  std::string found;
  std::set<std::string> subnets;
  for (const auto& [name, network] : spec.networks) {
    const auto subnet = service_subnet(network);
    if (!subnet) continue;
    subnets.insert(*subnet);
    found += comment(fmt::format("{}: {}", name, *subnet));
  }
  if (subnets.empty()) {
    return Error{
        ErrorCode::invalid,
        "the document has no subnet that Ceph's services could listen in; with a subnet for each "
        "cable, `loopback` gives them one"};
  }
  text += "[global]\n";
  if (subnets.size() == 1)
    return text + fmt::format("public_network = {0}\ncluster_network = {0}\n", *subnets.begin());
  text += comment("One of these for each of public_network and cluster_network:");
  return text + found;
}

}  // namespace fabric::report
