// SPDX-License-Identifier: Apache-2.0
// SR-IOV: virtual functions against parameters, limits and bonds.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/lag_options.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kSriovRules[] = {
    {"sriov-vfs-reserve",
     Severity::error,
     RuleStage::document,
     "NUM_OF_VFS must be at least one more than the virtual functions in use of each port, because "
     "each port is a PCI function of its own and one is reserved for the physical function.",
     "E-esxi-vfs: VMware, 'InfiniBand Configuration on VMware vSphere 8', 3.1; "
     "E-vfs-per-function: database of parameters of the firmware tools",
     "Raise NUM_OF_VFS, or leave it out: `sriov.vfs` sets it."},
    {"sriov-vfs-limit",
     Severity::error,
     RuleStage::document,
     "The card has fewer virtual functions than are asked for. NUM_OF_VFS is one more than are in "
     "use, and the tool refuses a number above the card's own limit.",
     "E-hardware-table: docs/hardware.md; E-vfs-per-function: database of "
     "parameters of the firmware tools; E-esxi-vfs: VMware, 'InfiniBand Configuration on VMware "
     "vSphere 8', 3.1",
     "Lower `sriov.vfs`, or NUM_OF_VFS."},
    {"lag-sriov",
     Severity::error,
     RuleStage::document,
     "The driver makes no RoCE LAG of a card that has virtual functions while its ports are in "
     "legacy mode, which is how they come up. The bond works as a plain one, and RDMA stays on "
     "single ports.",
     "E-roce-lag-sriov: Linux, drivers/net/ethernet/mellanox/mlx5/core/lag/lag.c, "
     "mlx5_lag_check_prereq()",
     "Remove `sriov` from the card, or set `roce: false` for a plain bond."},
    {"sriov-infiniband-guids",
     Severity::error,
     RuleStage::document,
     "On Linux a virtual function of an InfiniBand port has no GUIDs and stays down until an "
     "operator gives it a node GUID and a port GUID, lets its state follow the port, and binds it "
     "anew, after each boot. fabric does not do that yet, so it would make functions that do not "
     "work.",
     "E-ib-vf-guids: Linux, drivers/net/ethernet/mellanox/mlx5, VF GUIDs; ip-link(8), vf node_guid",
     "Remove `sriov` from the card and make the functions by hand, or use mode ethernet."},
};

struct Wanted {
  std::uint64_t vfs = 0;
  SourceRange range;
  std::string by;
};

// The virtual functions that drivers will make of one PCI function: `sriov.vfs`, or the largest
// entry of max_vfs of the ESXi driver, whose list has one for every port of every card. Each port
// is a function of its own, and NUM_OF_VFS is of each (E-vfs-per-function).
Wanted wanted_vfs(const NodeSpec& node, const AdapterSpec& adapter) {
  if (adapter.sriov && adapter.sriov->vfs > 0)
    return {adapter.sriov->vfs, adapter.sriov->range, "sriov.vfs"};
  const auto module = node.modules.find("nmlx5_core");
  if (module == node.modules.end() || node.adapters->size() != 1) return {};
  const auto value = module->second.find("max_vfs");
  if (value == module->second.end()) return {};
  Wanted wanted{0, value->second.range, "max_vfs"};
  for (const std::string_view part : split(value->second.value, ','))
    wanted.vfs = std::max(wanted.vfs, parse_unsigned(trim(part), 10).value_or(0));
  return wanted;
}

void check_reserve(const NodeSpec& node, const AdapterSpec& adapter, Diagnostics& diagnostics) {
  const auto param = adapter.firmware.params.find("NUM_OF_VFS");
  if (param == adapter.firmware.params.end() || !param->second.value) return;
  const auto number = parse_integer(*param->second.value);
  const Wanted wanted = wanted_vfs(node, adapter);
  if (!number || wanted.vfs == 0 || *number >= static_cast<std::int64_t>(wanted.vfs) + 1) return;
  diagnostics
      .error(
          "sriov-vfs-reserve",
          param->second.range,
          fmt::format(
              "NUM_OF_VFS {} is too small for {} virtual functions: one is reserved for the "
              "physical function",
              *number,
              wanted.vfs))
      .with_note(wanted.range, fmt::format("{} asks for {} of a port", wanted.by, wanted.vfs))
      .with_help(fmt::format("set NUM_OF_VFS to at least {}, or leave it out", wanted.vfs + 1));
}

void check_limit(const NodeSpec& node, const AdapterSpec& adapter, Diagnostics& diagnostics) {
  if (!adapter.sriov || adapter.hardware == nullptr || adapter.sriov->vfs == 0) return;
  const HardwareModel& hardware = *adapter.hardware;
  if (adapter.sriov->vfs < hardware.vfs) return;
  diagnostics
      .error(
          "sriov-vfs-limit",
          adapter.sriov->range,
          hardware.vfs == 0
              ? fmt::format(
                    "adapter {} of {} ({}) has no SR-IOV",
                    adapter.name,
                    node.name.str(),
                    hardware.name)
              : fmt::format(
                    "adapter {} of {} ({}) has at most {} virtual functions beside the one in "
                    "reserve, not {}",
                    adapter.name,
                    node.name.str(),
                    hardware.name,
                    hardware.vfs - 1,
                    adapter.sriov->vfs))
      .with_note(adapter.model.range, "the model is given here");
}

void check_parameter_limit(
    const NodeSpec& node, const AdapterSpec& adapter, Diagnostics& diagnostics) {
  const auto param = adapter.firmware.params.find("NUM_OF_VFS");
  if (param == adapter.firmware.params.end() || !param->second.value) return;
  const auto number = parse_integer(*param->second.value);
  if (!number || adapter.hardware == nullptr || *number <= adapter.hardware->vfs) return;
  diagnostics
      .error(
          "sriov-vfs-limit",
          param->second.range,
          fmt::format(
              "NUM_OF_VFS of adapter {} of {} ({}) is at most {}, not {}",
              adapter.name,
              node.name.str(),
              adapter.hardware->name,
              adapter.hardware->vfs,
              *number))
      .with_note(adapter.model.range, "the model is given here");
}

// SRIOV_EN against what `sriov` says.
void check_enabled(const AdapterSpec& adapter, Diagnostics& diagnostics) {
  const auto param = adapter.firmware.params.find("SRIOV_EN");
  if (!adapter.sriov || adapter.sriov->passthrough || param == adapter.firmware.params.end())
    return;
  const bool needed = adapter.sriov->vfs > 0;
  const auto number =
      param->second.value ? parameter_number("SRIOV_EN", *param->second.value) : std::nullopt;
  if (number == (needed ? 1 : 0)) {
    diagnostics
        .warning(
            "firmware-param-conflict", param->second.range, "SRIOV_EN is set by `sriov` already")
        .with_note(adapter.sriov->range, "it decides the parameter")
        .with_help("remove it");
    return;
  }
  diagnostics
      .error(
          "firmware-param-conflict",
          param->second.range,
          fmt::format(
              "SRIOV_EN is {} here, but `sriov` needs {}",
              param->second.value.value_or("default"),
              needed ? "1" : "0"))
      .with_note(
          adapter.sriov->range,
          needed ? "virtual functions are asked for here" : "no virtual functions are asked for")
      .with_help("remove the parameter; `sriov` sets it");
}

// Error where the document demands RoCE LAG, warning where it would only be had by default.
void check_bond(const AdapterUse& use, Diagnostics& diagnostics) {
  if (!use.adapter->sriov || use.adapter->sriov->vfs == 0) return;
  for (const auto& [number, port] : use.ports) {
    const NetworkSpec& network = *port.network;
    if (!wants_roce_lag(network)) continue;
    const AdapterSpec& adapter = *use.adapter;
    if (adapter.hardware == nullptr || !adapter.hardware->roce_lag) continue;
    const bool demanded = network.lag && network.lag->roce;
    const std::string message = fmt::format(
        "adapter {} of {} gets {} virtual functions, so its driver makes no RoCE LAG of network {}",
        adapter.name,
        use.node->name.str(),
        adapter.sriov->vfs,
        network.name);
    Diagnostic& found = demanded ? diagnostics.error("lag-sriov", adapter.sriov->range, message)
                                 : diagnostics.warning("lag-sriov", adapter.sriov->range, message);
    found
        .with_note(
            demanded ? network.lag->roce->range : port.range,
            demanded ? "RoCE LAG is asked for here" : "its port is a slave here")
        .with_help(
            "remove `sriov`, or set `roce: false` for a plain bond, with RDMA on single ports");
    return;
  }
}

// The driver of ConnectX-3 gives its functions GUIDs by itself.
void check_infiniband_functions(const AdapterUse& use, Diagnostics& diagnostics) {
  const AdapterSpec& adapter = *use.adapter;
  if (!traits(use.node->platform.value).linux_host || !adapter.sriov || adapter.sriov->vfs == 0 ||
      adapter.hardware == nullptr || adapter.hardware->driver != "mlx5_core")
    return;
  const auto port = std::find_if(use.ports.begin(), use.ports.end(), [](const auto& each) {
    return each.second.network->mode.value == Mode::infiniband;
  });
  if (port == use.ports.end()) return;
  const std::string message = fmt::format(
      "adapter {} of {} asks for {} virtual functions of an InfiniBand port, which stay down on "
      "Linux: fabric does not give them GUIDs yet",
      adapter.name,
      use.node->name.str(),
      adapter.sriov->vfs);
  // There fabric only looks.
  const bool observed = use.node->state.value == NodeState::observe;
  Diagnostic& found =
      observed ? diagnostics.warning("sriov-infiniband-guids", adapter.sriov->range, message)
               : diagnostics.error("sriov-infiniband-guids", adapter.sriov->range, message);
  found.with_note(port->second.range, "its port is in an InfiniBand network here")
      .with_help(
          "remove `sriov`; by hand, after each boot: make the functions, give each a node GUID and "
          "a "
          "port GUID, let its state follow the port, and bind it to its driver anew");
}

}  // namespace

RuleRows sriov_rules() {
  return kSriovRules;
}

void check_sriov(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [name, node] : context.spec().nodes) {
    for (const AdapterSpec& adapter : *node.adapters) {
      const About about{diagnostics, {name, adapter.name}};
      check_reserve(node, adapter, diagnostics);
      check_limit(node, adapter, diagnostics);
      check_parameter_limit(node, adapter, diagnostics);
      check_enabled(adapter, diagnostics);
    }
  }
  for (const AdapterUse& use : context.adapters()) {
    const About about{diagnostics, use.subject()};
    check_bond(use, diagnostics);
    check_infiniband_functions(use, diagnostics);
  }
}

}  // namespace fabric::rules
