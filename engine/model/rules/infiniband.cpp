// SPDX-License-Identifier: Apache-2.0
// Mode infiniband: subnet managers and the MTU of the subnet.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/model/rules/context.hpp"
#include "engine/model/topology/infiniband_subnets.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kInfinibandRules[] = {
    {"sm-missing",
     Severity::error,
     RuleStage::document,
     "An InfiniBand port stays in Initializing until a subnet manager has swept its subnet. "
     "Subnets are the connected parts of the cabling; host adapters do not forward, so every "
     "cable between two hosts is a subnet of its own.",
     "E-ib-manager: InfiniBand Architecture 1.3, 14",
     "Add a manager inside each subnet, write `subnet_manager: {external: true}`, or use mode "
     "chain or a switch."},
    {"sm-platform-unsupported",
     Severity::error,
     RuleStage::document,
     "No subnet manager runs on ESX or ESXi, and fabric can't start one on a switch that it does "
     "not log in to.",
     "E-esx-no-manager: Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, installation guide "
     "rev. 1.30, note 6",
     "Put the manager on a Linux host or a managed switch."},
    {"sm-priority-tie",
     Severity::error,
     RuleStage::document,
     "Two managers of one subnet with one priority: the port GUID decides which is master, and "
     "a replaced card changes it.",
     "E-opensm-priority: opensm(8), --priority",
     "Give each manager of a subnet its own `priority`."},
    {"sm-external-conflict",
     Severity::error,
     RuleStage::document,
     "`external: true` says that a manager outside of the document manages the subnet, and "
     "`subnet_managers` that fabric does. A plan that follows `external: true` would remove the "
     "managers that the document names.",
     "E-ib-master: InfiniBand Architecture 1.3, 14.4.1",
     "Remove `external`, or `subnet_managers`."},
    {"sm-one-host",
     Severity::warning,
     RuleStage::document,
     "Two managers of one subnet run on one host: the standby is lost with the master.",
     "E-ib-master: InfiniBand Architecture 1.3, 14.4.1",
     "Place the standby on another host."},
    {"sm-not-in-network",
     Severity::error,
     RuleStage::document,
     "A manager reaches only the subnet that its port is plugged into.",
     "E-opensm-port: opensm(8), --guid",
     "Name a member port of the network, `adapter/P` if the node has several."},
    {"sm-virtualization-needed",
     Severity::error,
     RuleStage::document,
     "Virtual functions are ports that only a manager with virtualization support configures; "
     "without it they stay down.",
     "E-ib-virtualization: VMware, 'InfiniBand Configuration on VMware vSphere 8', 4.2; "
     "E-opensm-virtualization: linux-rdma/opensm, opensm/osm_subnet.c",
     "Write `subnet_manager: {virtualization: true}`, and use an OpenSM of MLNX_OFED or DOCA, or a "
     "managed switch: the OpenSM of distributions has no such support."},
    {"sm-guid-invalid",
     Severity::error,
     RuleStage::document,
     "`subnet_manager.guid` names the external manager. Each manager of the document serves a port "
     "of its own, so one GUID does not fit them.",
     "E-opensm-port: opensm(8), --guid",
     "Write the port GUID of the external manager, with `external: true`; else leave it out."},
    {"ib-mtu-invalid",
     Severity::error,
     RuleStage::document,
     "InfiniBand has five MTUs, and a partition can't have a larger one than its network.",
     "E-ib-mtu: InfiniBand Architecture 1.3, 14.2.5.6",
     "Use 256, 512, 1024, 2048 or 4096."},
};

constexpr std::array<std::uint32_t, 5> kMtus{256, 512, 1024, 2048, 4096};

// A manager whose port is known, with the subnet that it manages.
struct Placed {
  const SubnetManagerPlacement* manager;
  std::size_t subnet;
};

// The subnet that a manager on a host stands in; null and a diagnostic if its port is not clear.
const PortRef* host_port(
    const Context& context,
    const NetworkSpec& network,
    const SubnetManagerPlacement& manager,
    Diagnostics& diagnostics) {
  std::vector<const PortRef*> fitting;
  std::string members;
  for (const PortRef& port : context.members(network)) {
    if (port.node.str() != manager.node.value) continue;
    members += (members.empty() ? "" : ", ") + port.str();
    if (port_fits(port, manager.port.value)) fitting.push_back(&port);
  }
  if (fitting.size() == 1) return fitting.front();
  const SourceRange place = is_known(manager.port.range) ? manager.port.range : manager.node.range;
  if (members.empty()) {
    diagnostics
        .error(
            "sm-not-in-network",
            manager.node.range,
            fmt::format(
                "{} has no port in network {}, so no manager on it can reach the network",
                manager.node.value,
                network.name))
        .because_of(network.unread_end)
        .with_note(network.range, "the network")
        .with_help("place the manager on a member node, or cable this node");
  } else if (fitting.empty()) {
    diagnostics
        .error(
            "sm-not-in-network",
            place,
            fmt::format(
                "port {} of {} is not in network {}",
                manager.port.value,
                manager.node.value,
                network.name))
        .with_help(fmt::format("its member ports are: {}", members));
  } else {
    diagnostics
        .error(
            "sm-not-in-network",
            place,
            fmt::format(
                "{} has several ports in network {}; the manager serves one subnet only",
                manager.node.value,
                network.name))
        .with_help(fmt::format("name one of them by `port: adapter/P`: {}", members));
  }
  return nullptr;
}

std::optional<std::size_t> place_manager(
    const Context& context,
    const NetworkSpec& network,
    const InfinibandSubnets& subnets,
    const SubnetManagerPlacement& manager,
    Diagnostics& diagnostics) {
  const NodeSpec* node = context.spec().find_node(manager.node.value);
  if (node == nullptr) return std::nullopt;
  if (is_esx(node->platform.value) || !traits(node->platform.value).is_managed) {
    diagnostics
        .error(
            "sm-platform-unsupported",
            manager.node.range,
            fmt::format(
                "no subnet manager can run on {}, which is {}",
                node->name.str(),
                to_string(node->platform.value)))
        .with_note(
            is_known(node->platform.range) ? node->platform.range : node->range,
            "the platform is given here")
        .with_help("use a Linux host or a managed switch of the same subnet");
    return std::nullopt;
  }
  if (is_switch(node->platform.value)) {
    const auto found = subnets.of_switch.find(node->name);
    if (found != subnets.of_switch.end()) return found->second;
    diagnostics
        .error(
            "sm-not-in-network",
            manager.node.range,
            fmt::format("switch {} has no port in network {}", node->name.str(), network.name))
        .with_note(network.range, "the network");
    return std::nullopt;
  }
  const PortRef* port = host_port(context, network, manager, diagnostics);
  if (port == nullptr) return std::nullopt;
  return subnets.of_port.at(*port);
}

void check_ties(const std::vector<Placed>& placed, Diagnostics& diagnostics) {
  std::map<std::pair<std::size_t, std::int64_t>, const SubnetManagerPlacement*> first;
  for (const Placed& each : placed) {
    const auto [found, fresh] =
        first.emplace(std::pair{each.subnet, each.manager->priority.value}, each.manager);
    if (fresh) continue;
    const auto place = [](const SubnetManagerPlacement& manager) {
      return is_known(manager.priority.range) ? manager.priority.range : manager.range;
    };
    diagnostics
        .error(
            "sm-priority-tie",
            place(*each.manager),
            fmt::format(
                "the managers on {} and {} have one priority, {}",
                found->second->node.value,
                each.manager->node.value,
                each.manager->priority.value))
        .about(each.manager->node.value)
        .with_note(place(*found->second), "the other manager")
        .with_help("the higher priority (0 to 15) is master; give each manager its own");
  }
}

void check_one_host(const std::vector<Placed>& placed, Diagnostics& diagnostics) {
  std::map<std::pair<std::size_t, std::string>, const SubnetManagerPlacement*> first;
  for (const Placed& each : placed) {
    const auto [found, fresh] =
        first.emplace(std::pair{each.subnet, each.manager->node.value}, each.manager);
    if (fresh) continue;
    diagnostics
        .warning(
            "sm-one-host",
            each.manager->node.range,
            fmt::format(
                "two managers of one subnet are on {}: the subnet has no manager when this host is "
                "down",
                each.manager->node.value))
        .about(each.manager->node.value)
        .with_note(found->second->node.range, "the other manager")
        .with_help("place the standby on another host");
  }
}

void check_external(const NetworkSpec& network, Diagnostics& diagnostics) {
  if (!network.subnet_manager || !network.subnet_manager->external.value ||
      network.subnet_managers.empty())
    return;
  diagnostics
      .error(
          "sm-external-conflict",
          network.subnet_manager->external.range,
          fmt::format(
              "network {} has an external manager here, and `subnet_managers` places one on {}",
              network.name,
              network.subnet_managers.front().node.value))
      .with_note(network.subnet_managers.front().node.range, "fabric's manager")
      .with_help(
          "remove `external` where fabric runs the managers, or `subnet_managers` where UFM or a "
          "foreign switch does");
}

bool is_host_pair(const InfinibandSubnet& subnet) {
  return subnet.switches.empty() && subnet.host_ports.size() == 2;
}

void check_managed(
    const NetworkSpec& network,
    const InfinibandSubnets& subnets,
    const std::vector<bool>& managed,
    Diagnostics& diagnostics) {
  const auto missing = static_cast<std::size_t>(std::count(managed.begin(), managed.end(), false));
  if (missing == 0) return;
  const std::size_t all = subnets.subnets.size();
  const bool host_cables =
      all > 1 && std::all_of(subnets.subnets.begin(), subnets.subnets.end(), is_host_pair);
  const std::string help = host_cables
                               ? "host adapters do not forward InfiniBand, so each cable is a "
                                 "subnet with its own manager and IP subnet; for one network of "
                                 "all these hosts use mode chain (ConnectX-5, Ethernet) or a switch"
                               : "add a manager under `subnet_managers`, or set `subnet_manager: "
                                 "{external: true}` if another one serves it";
  if (missing == all) {
    diagnostics
        .error(
            "sm-missing",
            network.range,
            all == 1 ? fmt::format("network {} has no subnet manager", network.name)
                     : fmt::format(
                           "network {} consists of {} InfiniBand subnets and has no subnet manager",
                           network.name,
                           all))
        .with_help(help);
    return;
  }
  for (std::size_t i = 0; i < managed.size(); ++i) {
    if (managed[i]) continue;
    const InfinibandSubnet& subnet = subnets.subnets[i];
    const std::string member =
        subnet.host_ports.empty() ? subnet.switches.front().str() : subnet.host_ports.front().str();
    diagnostics
        .error(
            "sm-missing",
            subnet.range,
            fmt::format(
                "the subnet of {} has no subnet manager; network {} consists of {} subnets",
                member,
                network.name,
                all))
        .about(Subject::parse(member))
        .with_note(network.range, "the network")
        .with_help(help);
  }
}

void check_managers(const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  const InfinibandSubnets subnets = infiniband_subnets(network);
  std::vector<Placed> placed;
  bool unclear = false;
  for (const SubnetManagerPlacement& manager : network.subnet_managers) {
    const About host{diagnostics, manager.node.value};
    const auto subnet = place_manager(context, network, subnets, manager, diagnostics);
    if (subnet) placed.push_back({&manager, *subnet});
    unclear = unclear || !subnet;
  }
  check_ties(placed, diagnostics);
  check_one_host(placed, diagnostics);
  // A manager that stands wrong has been reported; that its subnet then has none is no second
  // mistake.
  if (unclear || has_unread_managers(network) ||
      (network.subnet_manager && network.subnet_manager->external.value))
    return;
  std::vector<bool> managed(subnets.subnets.size(), false);
  for (const Placed& each : placed)
    managed[each.subnet] = true;
  check_managed(network, subnets, managed, diagnostics);
}

void report_virtualization(
    const AdapterUse& use, const NetworkSpec& network, Diagnostics& diagnostics) {
  const bool external = network.subnet_manager && network.subnet_manager->external.value;
  Diagnostic found;
  found.severity = external ? Severity::warning : Severity::error;
  found.rule = "sm-virtualization-needed";
  found.range = network.subnet_manager ? network.subnet_manager->range : network.range;
  found.subject = use.subject();
  found.message = fmt::format(
      "{} asks for {} virtual functions, but the subnet manager of network {} has `virtualization` "
      "off",
      use.node->name.str(),
      use.adapter->sriov->vfs,
      network.name);
  found.with_note(use.adapter->sriov->range, "the virtual functions are asked for here")
      .with_help(
          external ? "make sure that the external manager has it (`ib sm virt enable`), and set "
                     "`virtualization: true`"
                   : "add `subnet_manager: {virtualization: true}`; the OpenSM of MLNX_OFED and "
                     "of DOCA has it");
  diagnostics.add(std::move(found));
}

void check_virtualization(const Context& context, Diagnostics& diagnostics) {
  for (const AdapterUse& use : context.adapters()) {
    if (!use.adapter->sriov || use.adapter->sriov->vfs == 0) continue;
    for (const auto& [number, port] : use.ports) {
      const NetworkSpec& network = *port.network;
      if (network.mode.value != Mode::infiniband) continue;
      if (network.subnet_manager && network.subnet_manager->virtualization.value) continue;
      report_virtualization(use, network, diagnostics);
      break;
    }
  }
}

void check_external_guid(const SubnetManagerSpec& manager, Diagnostics& diagnostics) {
  if (manager.guid.value.empty()) return;
  if (const Result<Guid> guid = Guid::parse(manager.guid.value); !guid) {
    diagnostics.error("sm-guid-invalid", manager.guid.range, guid.error().message)
        .with_help("`ibstat` on the manager's host prints it as \"Port GUID\"");
  } else if (!manager.external.value) {
    diagnostics
        .error(
            "sm-guid-invalid",
            manager.guid.range,
            "this is the port GUID of an external manager, but the document places its own")
        .with_help("leave `guid` out: a manager serves its own port; or set `external: true`");
  }
}

void check_mtus(const NetworkSpec& network, Diagnostics& diagnostics) {
  const auto valid = [](std::uint32_t mtu) {
    return std::find(kMtus.begin(), kMtus.end(), mtu) != kMtus.end();
  };
  constexpr std::string_view kHelp =
      "InfiniBand has 256, 512, 1024, 2048 and 4096; the IP MTU stands under `ipoib`";
  if (is_known(network.mtu.range) && !valid(network.mtu.value)) {
    diagnostics
        .error(
            "ib-mtu-invalid",
            network.mtu.range,
            fmt::format("{} is no InfiniBand MTU", network.mtu.value))
        .with_help(std::string{kHelp});
  }
  for (const PartitionSpec& partition : network.partitions) {
    if (!is_known(partition.mtu.range)) continue;
    if (!valid(partition.mtu.value)) {
      diagnostics
          .error(
              "ib-mtu-invalid",
              partition.mtu.range,
              fmt::format("{} is no InfiniBand MTU", partition.mtu.value))
          .with_help(std::string{kHelp});
    } else if (is_known(network.mtu.range) && partition.mtu.value > network.mtu.value) {
      diagnostics
          .error(
              "ib-mtu-invalid",
              partition.mtu.range,
              fmt::format(
                  "partition {} has MTU {}, more than the {} of its network",
                  partition.name,
                  partition.mtu.value,
                  network.mtu.value))
          .with_note(network.mtu.range, "the MTU of the network")
          .with_help("raise the MTU of the network or lower that of the partition");
    }
  }
}

}  // namespace

RuleRows infiniband_rules() {
  return kInfinibandRules;
}

void check_infiniband(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [name, network] : context.spec().networks) {
    if (network.mode.value != Mode::infiniband) continue;
    const About about{diagnostics, name};
    check_managers(context, network, diagnostics);
    check_external(network, diagnostics);
    if (network.subnet_manager) check_external_guid(*network.subnet_manager, diagnostics);
    check_mtus(network, diagnostics);
  }
  check_virtualization(context, diagnostics);
}

}  // namespace fabric::rules
