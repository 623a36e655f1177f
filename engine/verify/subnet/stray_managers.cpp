// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/subnet/stray_managers.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/topology/infiniband_subnets.hpp"
#include "engine/verify/subnet/external_manager.hpp"
#include "engine/verify/subnet/subnet_ports.hpp"

namespace fabric::verify {

namespace {

// The port GUID: the lower half of the port's first GID, "fe80:0000:0000:0000:0c42:a103:005e:3000".
std::optional<Guid> port_guid(const RdmaPort& rdma) {
  constexpr std::size_t kGroups = 8;
  if (rdma.gids.empty() || rdma.gids.front().index != 0) return std::nullopt;
  const std::vector<std::string_view> groups = split(rdma.gids.front().address, ':');
  if (groups.size() != kGroups) return std::nullopt;
  std::uint64_t bits = 0;
  for (std::size_t group = kGroups / 2; group < kGroups; ++group) {
    const auto part = parse_unsigned(groups[group], 16);
    if (!part) return std::nullopt;
    bits = bits << 16U | *part;
  }
  return Guid{bits};
}

class Subnets {
 public:
  Subnets(
      const FabricSpec& spec, const discovery::Evidence& evidence, const ReadingsByNode& readings)
      : evidence_{evidence}, readings_{readings} {
    for (const auto& [name, network] : spec.networks) {
      if (network.mode.value != Mode::infiniband) continue;
      for (const PortRef& port : network.member_ports()) {
        const RdmaPort* rdma = infiniband_port(evidence_, readings_, port);
        const std::optional<Guid> guid = rdma == nullptr ? std::nullopt : port_guid(*rdma);
        if (guid) ports_.emplace(*guid, port);
      }
    }
  }

  std::vector<Diagnostic> judge(const NetworkSpec& network) const {
    const std::optional<std::set<Guid>> placed = managers_of(network);
    std::vector<Diagnostic> findings;
    if (!placed) return findings;
    std::set<Guid> reported;
    for (const PortRef& port : network.member_ports()) {
      const RdmaPort* rdma = infiniband_port(evidence_, readings_, port);
      if (rdma == nullptr || !rdma->managers) continue;
      for (const ManagerRecord& manager : *rdma->managers) {
        if (placed->contains(manager.guid) || !is_ours_to_judge(network, manager)) continue;
        if (reported.insert(manager.guid).second) findings.push_back(stray(network, manager));
      }
    }
    return findings;
  }

 private:
  // The port GUIDs of the network's managers; nullopt if that of one is unknown.
  std::optional<std::set<Guid>> managers_of(const NetworkSpec& network) const {
    std::set<Guid> placed;
    if (network.subnet_manager && !network.subnet_manager->guid.value.empty()) {
      if (const Result<Guid> guid = Guid::parse(network.subnet_manager->guid.value))
        placed.insert(*guid);
    } else if (has_external_manager(network)) {
      return std::nullopt;
    }
    std::size_t found = 0;
    for (const auto& [guid, port] : ports_) {
      if (!places_manager(network, port)) continue;
      placed.insert(guid);
      ++found;
    }
    if (found < network.subnet_managers.size()) return std::nullopt;
    return placed;
  }

  // An external manager may have standbys of its own; external-master-differs judges the master.
  bool is_ours_to_judge(const NetworkSpec& network, const ManagerRecord& manager) const {
    return !has_external_manager(network) || (!manager.master && ports_.contains(manager.guid));
  }

  Diagnostic stray(const NetworkSpec& network, const ManagerRecord& manager) const {
    const auto port = ports_.find(manager.guid);
    const std::string where = port == ports_.end()
                                  ? manager.guid.str()
                                  : fmt::format("{} ({})", port->second.str(), manager.guid.str());
    Diagnostic finding{
        manager.master ? Severity::error : Severity::warning,
        "stray-manager",
        network.range,
        fmt::format(
            "network {}: {} at {} (priority {}), where the document places no manager",
            network.name,
            manager.master ? "the master is" : "a manager stands by",
            where,
            manager.priority),
        {},
        {}};
    return finding.with_help(
        "stop that manager (Debian starts it with opensm: systemctl disable --now opensm), or "
        "place it: it takes over without their partitions when the others are gone");
  }

  const discovery::Evidence& evidence_;
  const ReadingsByNode& readings_;
  std::map<Guid, PortRef> ports_;
};

}  // namespace

std::vector<Diagnostic> stray_managers(
    const FabricSpec& spec, const discovery::Snapshot& snapshot, const ReadingsByNode& readings) {
  const discovery::Evidence evidence{spec, snapshot};
  const Subnets subnets{spec, evidence, readings};
  std::vector<Diagnostic> findings;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    for (Diagnostic& finding : subnets.judge(network))
      findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace fabric::verify
