// SPDX-License-Identifier: Apache-2.0
// Environment of NCCL, UCX and Open MPI (E-nccl-environment, E-nccl-switchless, E-openmpi): what
// follows from the document for all hosts alike. An index of a GID is never among it: the next boot
// may give another one (E-roce-gid), and all find the GID by themselves.
#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/report/exports/cabling.hpp"
#include "engine/report/exports/exports.hpp"

namespace fabric::report {

namespace {

struct Known {
  std::set<std::string> bonds, subnets, pkeys;
  std::set<std::string> addressed;  // where services and TCP find each other, IPoIB included
  std::size_t networks = 0;
  bool roce = false, infiniband = false;
  // Of networks with a subnet for each cable: the longest prefix, and whether each host has a cable
  // to every other one.
  std::uint32_t cable_prefix = 0;
  bool meshed = true;
};

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

// Where a service of the network listens: at the loopbacks if there are some. Nullopt: nowhere, or
// at another subnet for each cable.
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
  for (const auto& [name, network] : spec.networks) {
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
        // That of the default partition is taken unless another one is named.
        if (identity != kIdentity)
          known.pkeys.insert(fmt::format("{:#06x}", identity | kFullMember));
      }
      continue;
    }
    known.roce = true;
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

// Its device has one name on all hosts, which no other device of theirs has.
bool has_one_roce_lag(const Known& known) {
  return known.bonds.size() == 1 && known.networks == 1;
}

std::string comment(std::string_view text) {
  return fmt::format("# {}\n", text);
}

// Stock NCCL takes any of its ports to reach a peer, and half of them lead to somebody else.
std::string switchless_nccl(const Known& known) {
  std::string text =
      comment("A subnet for each cable: a peer is reached by the port that shares its subnet.");
  text += comment("NCCL 2.30 or later.");
  text += "NCCL_IB_SUBNET_AWARE_ROUTING=1\n";
  text += fmt::format("NCCL_IB_SUBNET_PREFIX_LEN={}\n", known.cable_prefix);
  text += "NCCL_IB_MERGE_NICS=0\nNCCL_CROSS_NIC=1\n";
  if (known.meshed) return text;
  text += comment("Not every host has a cable to every other one: only rings between neighbours,");
  text += comment("with ranks in the order of the cables.");
  return text + "NCCL_ALGO=Ring\n";
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
      text += comment("Several subnets, of which NCCL_IB_ADDR_RANGE can name one: left out.");
    }
  }
  if (known.cable_prefix != 0) text += switchless_nccl(known);
  if (has_one_roce_lag(known)) text += "NCCL_IB_HCA==mlx5_bond_0\n";
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
