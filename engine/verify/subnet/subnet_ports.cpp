// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/subnet/subnet_ports.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/topology/infiniband_subnets.hpp"
#include "engine/verify/subnet/managers.hpp"
#include "engine/verify/subnet/partition_keys.hpp"

namespace fabric::verify {

namespace {

// The wrong groups of partitions that the port is in: the master lists no others to it.
std::vector<WrongGroup> wrong_groups(
    const NetworkSpec& network, const PortRef& port, const std::vector<IpoibGroup>& groups) {
  std::vector<WrongGroup> wrong;
  const auto judge = [&](const std::string& name, std::uint16_t pkey, std::uint32_t mtu) {
    const auto found = std::ranges::find_if(
        groups, [pkey](const IpoibGroup& group) { return group.pkey == pkey; });
    if (found == groups.end()) {
      wrong.push_back({name, pkey, mtu, 0});
    } else if (mtu != 0 && found->mtu != mtu) {
      wrong.push_back({name, pkey, mtu, found->mtu});
    }
  };
  bool has_default = false;
  for (const PartitionSpec& partition : network.partitions) {
    const auto pkey = static_cast<std::uint16_t>(partition.pkey.value & kPkeyIdentity);
    has_default = has_default || pkey == kPkeyIdentity;
    if (!partition.ipoib.value || !membership(network, partition, port)) continue;
    judge(partition.name, pkey, partition.mtu.value != 0 ? partition.mtu.value : network.mtu.value);
  }
  if (!has_default) judge("Default", kPkeyIdentity, network.mtu.value);
  return wrong;
}

constexpr std::size_t kNamed = 4;

// "n1/hca/1 (mlx5_0/1), n2/hca/1 (mlx5_0/1) and 12 more"
std::string examples(const std::vector<std::string>& all) {
  const std::size_t named = std::min(all.size(), kNamed);
  const std::vector<std::string> first{
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(named)};
  return join(first, ", ") +
         (all.size() > named ? fmt::format(" and {} more", all.size() - named) : "");
}

std::string name_of(const SubnetPortReport& port) {
  return fmt::format("{} ({})", port.port.str(), port.rdma);
}

Diagnostic unmanaged(const NetworkSpec& network, const std::vector<std::string>& ports) {
  return {
      Severity::error,
      "port-unmanaged",
      network.range,
      fmt::format(
          "{} of network {} {} a link and stay{} in INIT, because no manager configures {}",
          examples(ports),
          network.name,
          ports.size() == 1 ? "has" : "have",
          ports.size() == 1 ? "s" : "",
          ports.size() == 1 ? "it" : "them"),
      has_external_manager(network)
          ? "start the external manager that the document names for this subnet"
          : "run `fabric plan`: it says which manager does not run",
      {}};
}

// The cause of unconfigured ports: the managers don't run, or none of their nodes was reached.
std::optional<Findings::Number> without_manager(
    const NetworkSpec& network, const Findings& findings) {
  if (const auto silent = finding_of(findings.unmanaged_subnets, network.name)) return silent;
  std::optional<Findings::Number> unreached;
  for (const PortRef& port : network.member_ports()) {
    if (!places_manager(network, port)) continue;
    const auto lost = finding_of(findings.unreached, port.node);
    if (!lost) return std::nullopt;
    if (!unreached) unreached = lost;
  }
  return unreached;
}

Diagnostic not_programmed(const NetworkSpec& network, const std::vector<std::string>& ports) {
  return {
      Severity::error,
      "partition-not-programmed",
      network.range,
      fmt::format("network {}: {}", network.name, examples(ports)),
      "the master gives out other partitions than the document's: OpenSM drops its whole file for "
      "one mistake; see which manager is master, and its log",
      {}};
}

// "n1/hca/1 (mlx5_0/1) has not 0x8010 of partition storage (but 0x0010)"
std::string wrong_text(const SubnetPortReport& port) {
  std::vector<std::string> keys;
  for (const WrongKey& key : port.wrong) {
    keys.push_back(fmt::format(
        "0x{:04x} of partition {}{}",
        key.wanted,
        key.partition,
        key.found == 0 ? "" : fmt::format(" (but 0x{:04x})", key.found)));
  }
  return fmt::format("{} has not {}", name_of(port), join(keys, ", "));
}

// "n1/hca/1 (mlx5_0/1) has P_Key 0x8010 (partition storage), but the document makes it a limited
// member"
std::string surplus_text(const SubnetPortReport& port, const SurplusKey& key) {
  if (key.partition.empty()) return fmt::format("{} has 0x{:04x}", name_of(port), key.found);
  return fmt::format(
      "{} has P_Key 0x{:04x} (partition {}), but the document makes it {}",
      name_of(port),
      key.found,
      key.partition,
      key.is_member ? "a limited member" : "no member of the partition");
}

Diagnostic surplus_finding(
    const NetworkSpec& network, const std::vector<std::string>& keys, bool declared) {
  return {
      declared ? Severity::error : Severity::warning,
      "partition-surplus",
      network.range,
      fmt::format(
          "network {}: {}{}",
          network.name,
          examples(keys),
          declared ? "" : ", of a partition that the document does not have"),
      "these ports reach ports that the document keeps from them: see which manager is master, and "
      "its options at start",
      {}};
}

Diagnostic group_differs(const NetworkSpec& network, const std::vector<std::string>& groups) {
  return {
      Severity::error,
      "partition-group-differs",
      network.range,
      fmt::format("network {}: {}", network.name, examples(groups)),
      "OpenSM makes a group once, from the file as it was then: restart it on the managers, the "
      "master last, if `fabric plan` finds nothing to change",
      {}};
}

// "partition storage (0x0010) has a group of MTU 2048, and not of 4096"
std::string group_text(const WrongGroup& group) {
  if (group.found == 0) {
    return fmt::format("partition {} (0x{:04x}) has no IPoIB group", group.partition, group.pkey);
  }
  return fmt::format(
      "partition {} (0x{:04x}) has an IPoIB group of MTU {} instead of {}",
      group.partition,
      group.pkey,
      group.found,
      group.wanted);
}

SubnetPortReport judge_port(const NetworkSpec& network, const PortRef& port, const RdmaPort& rdma) {
  SubnetPortReport report{network.name, port, rdma.str(), rdma.state, {}, {}, {}};
  if (rdma.state == "ACTIVE" && !rdma.pkeys.empty()) {
    report.wrong = wrong_keys(network, port, rdma.pkeys);
    report.surplus = surplus_keys(network, port, rdma.pkeys);
  }
  if (rdma.groups) report.wrong_groups = wrong_groups(network, port, *rdma.groups);
  return report;
}

}  // namespace

const RdmaPort* infiniband_port(
    const discovery::Evidence& evidence, const ReadingsByNode& readings, const PortRef& port) {
  const auto of_node = readings.find(port.node);
  if (port.adapter.empty() || of_node == readings.end()) return nullptr;
  const discovery::PortEvidence found = evidence.port(port);
  if (!found.card) return nullptr;
  const RdmaPort* rdma = of_node->second.rdma_of(
      found.device ? found.device->name : std::string{}, *found.card, port.number());
  const bool known = rdma != nullptr && rdma->link_layer == "InfiniBand" && !rdma->state.empty();
  return known ? rdma : nullptr;
}

std::vector<SubnetPortReport> judge_subnet_ports(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const ReadingsByNode& readings,
    const Registry& registry) {
  const discovery::Evidence evidence{spec, snapshot};
  std::map<NodeName, std::map<std::string, Guid>> masters;
  for (const auto& [name, node] : snapshot.nodes)
    masters.emplace(name, discovery::masters_heard(node, registry));
  std::vector<SubnetPortReport> reports;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    for (const PortRef& port : network.member_ports()) {
      const RdmaPort* rdma = infiniband_port(evidence, readings, port);
      if (rdma == nullptr) continue;
      reports.push_back(judge_port(network, port, *rdma));
      const auto master = masters[port.node].find(rdma->str());
      if (master != masters[port.node].end()) reports.back().master = master->second.str();
    }
  }
  return reports;
}

void add_subnet_port_findings(
    const FabricSpec& spec, const std::vector<SubnetPortReport>& ports, Findings& findings) {
  std::map<std::string, std::vector<std::string>> silent, wrong, surplus, undeclared, groups;
  for (const SubnetPortReport& port : ports) {
    if (port.state == "INIT") silent[port.network].push_back(name_of(port));
    if (!port.wrong.empty()) wrong[port.network].push_back(wrong_text(port));
    for (const SurplusKey& key : port.surplus)
      (key.partition.empty() ? undeclared : surplus)[port.network].push_back(
          surplus_text(port, key));
    for (const WrongGroup& group : port.wrong_groups)
      groups[port.network].push_back(group_text(group));
  }
  for (const auto& [name, names] : silent) {
    const NetworkSpec& network = spec.networks.at(name);
    findings.unmanaged_ports.emplace(
        name, findings.add(unmanaged(network, names), without_manager(network, findings)));
  }
  for (const auto& [name, texts] : wrong)
    findings.wrong_keys.emplace(name, findings.add(not_programmed(spec.networks.at(name), texts)));
  for (const auto& [name, texts] : surplus)
    findings.add(surplus_finding(spec.networks.at(name), texts, true));
  for (const auto& [name, texts] : undeclared)
    findings.add(surplus_finding(spec.networks.at(name), texts, false));
  for (const auto& [name, texts] : groups)
    findings.wrong_groups.emplace(name, findings.add(group_differs(spec.networks.at(name), texts)));
}

}  // namespace fabric::verify
