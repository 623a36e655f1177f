// SR-IOV: virtual functions against parameters and limits.
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kRules[] = {
    {"sriov-vfs-reserve",
     Severity::error,
     RuleStage::document,
     "NUM_OF_VFS must be at least one more than the virtual functions in use; one is reserved "
     "for the physical function.",
     "E-esxi-vfs: VMware, 'InfiniBand Configuration on VMware vSphere 8', 3.1",
     "Raise NUM_OF_VFS, or leave it out: `sriov.vfs` sets it."},
    {"sriov-vfs-limit",
     Severity::error,
     RuleStage::document,
     "The card or its driver has fewer virtual functions than are asked for.",
     "E-hardware-table: docs/hardware.md; E-esxi-vfs: VMware, 'InfiniBand Configuration on "
     "VMware vSphere 8', 3.1",
     "Lower `sriov.vfs`."},
};

struct Wanted {
  std::uint64_t vfs = 0;
  SourceRange range;
  std::string by;
};

// The virtual functions that drivers will make: `sriov.vfs`, or max_vfs of the ESXi driver, whose
// list has one entry for every port of every card.
Wanted wanted_vfs(const NodeSpec& node, const AdapterSpec& adapter) {
  if (adapter.sriov && adapter.sriov->vfs > 0)
    return {adapter.sriov->vfs, adapter.sriov->range, "sriov.vfs"};
  const auto module = node.modules.find("nmlx5_core");
  if (module == node.modules.end() || node.adapters->size() != 1) return {};
  const auto value = module->second.find("max_vfs");
  if (value == module->second.end()) return {};
  Wanted wanted{0, value->second.range, "max_vfs"};
  for (const std::string_view part : split(value->second.value, ','))
    wanted.vfs += parse_unsigned(trim(part), 10).value_or(0);
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
      .with_note(wanted.range, fmt::format("{} asks for {}", wanted.by, wanted.vfs))
      .with_help(fmt::format("set it to at least {}, or leave it out", wanted.vfs + 1));
}

void check_limit(const NodeSpec& node, const AdapterSpec& adapter, Diagnostics& diagnostics) {
  if (!adapter.sriov || adapter.hardware == nullptr || adapter.sriov->vfs <= adapter.hardware->vfs)
    return;
  diagnostics
      .error(
          "sriov-vfs-limit",
          adapter.sriov->range,
          adapter.hardware->vfs == 0
              ? fmt::format(
                    "adapter {} of {} ({}) has no SR-IOV",
                    adapter.name,
                    node.name.str(),
                    adapter.hardware->name)
              : fmt::format(
                    "adapter {} of {} ({}) has at most {} virtual functions, not {}",
                    adapter.name,
                    node.name.str(),
                    adapter.hardware->name,
                    adapter.hardware->vfs,
                    adapter.sriov->vfs))
      .with_note(adapter.model.range, "the model is given here");
}

// SRIOV_EN against what `sriov` says.
void check_enabled(const AdapterSpec& adapter, Diagnostics& diagnostics) {
  const auto param = adapter.firmware.params.find("SRIOV_EN");
  if (!adapter.sriov || param == adapter.firmware.params.end()) return;
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
          needed ? "virtual functions are asked for here"
                 : "the whole card is passed through, or has no virtual functions")
      .with_help("remove the parameter; `sriov` sets it");
}

}  // namespace

RuleRows sriov_rules() {
  return kRules;
}

void check_sriov(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [name, node] : context.spec().nodes) {
    for (const AdapterSpec& adapter : *node.adapters) {
      check_reserve(node, adapter, diagnostics);
      check_limit(node, adapter, diagnostics);
      check_enabled(adapter, diagnostics);
    }
  }
}

}  // namespace fabric::rules
