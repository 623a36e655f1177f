// SPDX-License-Identifier: Apache-2.0
// Firmware: parameters that belong to a mode, and versions that contradict each other.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kFirmwareRules[] = {
    {"firmware-param-conflict",
     Severity::error,
     RuleStage::document,
     "A parameter that a mode or another key decides is set a second time under "
     "`firmware.params` or `modules`.",
     "E-grammar: docs/document.md; E-mlxconfig-parameters: Mellanox/mstflint, table of "
     "parameters",
     "Remove the parameter: the mode or the other key sets it."},
    {"firmware-param-array",
     Severity::error,
     RuleStage::document,
     "A parameter with several elements is named with an index or a range. The tools take and show "
     "the elements of an array in other forms than a plain parameter, so fabric could not read "
     "them back. fabric does not set arrays yet.",
     "E-mlxconfig-parameters: Mellanox/mstflint, table of parameters; E-chain-buffers: "
     "HOST_CHAINING_DESCRIPTORS[0..7] shows Array[0..7]",
     "Set the array with the tool by hand, and leave it out of the document."},
    {"firmware-version-conflict",
     Severity::error,
     RuleStage::document,
     "`version` is older than `minimum`, or is of another chip: the first number of a firmware "
     "version shows the family.",
     "E-hardware-table: docs/hardware.md; E-firmware-notes: NVIDIA firmware release notes per "
     "adapter",
     "Correct `version` or `minimum`."},
};

using Param = std::pair<const std::string, Sourced<std::optional<std::string>>>;

std::string shown(const Param& param) {
  return param.second.value.value_or("default");
}

// `param` is decided by `owner`. The same value is only said twice; another one contradicts.
void report(
    const Param& param,
    std::int64_t decided,
    std::string_view owner,
    SourceRange owner_range,
    Diagnostics& diagnostics) {
  const auto number =
      param.second.value ? parameter_number(param.first, *param.second.value) : std::nullopt;
  if (number == decided) {
    diagnostics
        .warning(
            "firmware-param-conflict",
            param.second.range,
            fmt::format("{} is set by {} already", param.first, owner))
        .with_note(owner_range, "it decides the parameter")
        .with_help("remove it");
    return;
  }
  diagnostics
      .error(
          "firmware-param-conflict",
          param.second.range,
          fmt::format("{} is {} here, but {} needs {}", param.first, shown(param), owner, decided))
      .with_note(owner_range, "it decides the parameter")
      .with_help("remove the parameter: the key in the note sets it");
}

std::optional<std::uint32_t> link_type_port(std::string_view name) {
  constexpr std::string_view kPrefix = "LINK_TYPE_P";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const auto port = parse_unsigned(name.substr(kPrefix.size()), 10);
  return port ? std::optional{static_cast<std::uint32_t>(*port)} : std::nullopt;
}

void check_fixed_link_type(
    const NodeSpec& node, const AdapterSpec& adapter, Diagnostics& diagnostics) {
  if (adapter.hardware == nullptr || adapter.hardware->vpi()) return;
  for (const Param& param : adapter.firmware.params) {
    if (!link_type_port(param.first)) continue;
    diagnostics
        .error(
            "link-type-unsupported",
            param.second.range,
            fmt::format(
                "{} of {} is a {} and has no parameter {}: its ports are {} only",
                adapter.name,
                node.name.str(),
                adapter.hardware->name,
                param.first,
                adapter.hardware->ethernet ? "Ethernet" : "InfiniBand"))
        .with_note(adapter.model.range, "the model is given here")
        .with_help("remove the parameter, or use a VPI card");
  }
}

void check_owned(const AdapterUse& use, Diagnostics& diagnostics) {
  const auto chained = std::find_if(use.ports.begin(), use.ports.end(), [](const auto& port) {
    return port.second.network->mode.value == Mode::chain;
  });
  for (const Param& param : use.adapter->firmware.params) {
    if (const auto port = link_type_port(param.first)) {
      // In a chain the mode decides both ports, whichever is cabled.
      auto member = use.ports.find(*port);
      if (member == use.ports.end()) member = chained;
      if (member == use.ports.end() ||
          (use.adapter->hardware != nullptr && !use.adapter->hardware->vpi()))
        continue;
      const NetworkSpec& network = *member->second.network;
      const auto number =
          param.second.value ? parameter_number(param.first, *param.second.value) : std::nullopt;
      if (chained != use.ports.end() && number != 2) continue;  // chain-needs-ethernet
      report(
          param,
          is_ethernet(network.mode.value) ? 2 : 1,
          fmt::format("mode {} of network {}", to_string(network.mode.value), network.name),
          network.mode.range,
          diagnostics);
    } else if (param.first == "HOST_CHAINING_MODE" && chained != use.ports.end()) {
      const NetworkSpec& network = *chained->second.network;
      report(
          param,
          1,
          fmt::format("mode chain of network {}", network.name),
          network.mode.range,
          diagnostics);
    }
  }
}

// The mlx4 drivers take link types as module parameters too, which win over the firmware's.
void check_modules(const AdapterUse& use, Diagnostics& diagnostics) {
  if (use.adapter->hardware == nullptr || use.adapter->hardware->driver != "mlx4_core") return;
  for (const auto& [module, name] :
       {std::pair{"mlx4_core", "port_type_array"},
        std::pair{"mlx4_en", "port_types"},
        std::pair{"mlx4_en", "port_type_default"}}) {
    const auto found = use.node->modules.find(module);
    if (found == use.node->modules.end()) continue;
    const auto value = found->second.find(name);
    if (value == found->second.end()) continue;
    diagnostics
        .warning(
            "firmware-param-conflict",
            value->second.range,
            fmt::format(
                "{} of module {} decides link types, and so does network {}",
                name,
                module,
                use.ports.begin()->second.network->name))
        .with_note(use.ports.begin()->second.network->mode.range, "the mode decides the link type")
        .with_help("remove the parameter; the modes of the networks set it");
  }
}

void check_versions(const NodeSpec& node, const AdapterSpec& adapter, Diagnostics& diagnostics) {
  const FirmwareSpec& firmware = adapter.firmware;
  if (firmware.version.value.empty() && firmware.minimum.value.empty()) return;
  const Result<Version> version = Version::parse(firmware.version.value);
  const Result<Version> minimum = Version::parse(firmware.minimum.value);
  if (version && minimum && *version < *minimum) {
    diagnostics
        .error(
            "firmware-version-conflict",
            firmware.version.range,
            fmt::format(
                "firmware {} of {} is older than the minimum {}",
                version->str(),
                node.name.str(),
                minimum->str()))
        .with_note(firmware.minimum.range, "the minimum")
        .with_help("raise `version` or lower `minimum`");
  }
  if (adapter.hardware == nullptr || adapter.hardware->firmware_major == 0) return;
  for (const auto& [parsed, written] :
       {std::pair{&version, &firmware.version}, std::pair{&minimum, &firmware.minimum}}) {
    if (!*parsed) continue;
    const auto major = parse_unsigned(split((*parsed)->str(), '.').front(), 10);
    if (!major || *major == adapter.hardware->firmware_major) continue;
    diagnostics
        .error(
            "firmware-version-conflict",
            written->range,
            fmt::format(
                "firmware {} is not of a {}, whose versions begin with {}",
                written->value,
                adapter.hardware->name,
                adapter.hardware->firmware_major))
        .with_note(adapter.model.range, "the model is given here")
        .with_help("the first number of a firmware version shows the chip");
  }
}

// An image shows neither version nor PSID before it is on a node, and a plan needs both.
void check_image(const NodeSpec& node, const AdapterSpec& adapter, Diagnostics& diagnostics) {
  const FirmwareSpec& firmware = adapter.firmware;
  if (firmware.image.value.empty()) return;
  for (const auto& [key, text] :
       {std::pair{"version", &firmware.version}, std::pair{"psid", &firmware.psid}}) {
    if (!text->value.empty()) continue;
    diagnostics
        .error(
            "missing-key",
            firmware.image.range,
            fmt::format(
                "the firmware image for {} of {} has no `{}` beside it",
                adapter.name,
                node.name.str(),
                key))
        .with_key(key)
        .with_help(
            fmt::format("say which {} the image has; `mstflint -i IMAGE query` shows it", key));
  }
}

}  // namespace

namespace {

// True for "MODULE_SPLIT_M0[0..3]", one element of it, or the array by its plain name, for which
// the tools show "Array[0..15]" in place of a value.
bool is_of_array(std::string_view name) {
  constexpr std::string_view kArrays[] = {
      "ESWITCH_HAIRPIN_DESCRIPTORS",
      "ESWITCH_HAIRPIN_TOT_BUFFER_SIZE",
      "HOST_CHAINING_DESCRIPTORS",
      "HOST_CHAINING_TOTAL_BUFFER_SIZE",
      "PCI_DOWNSTREAM_PORT_OWNER"};
  return name.find('[') != std::string_view::npos || name.starts_with("MODULE_SPLIT_M") ||
         std::find(std::begin(kArrays), std::end(kArrays), name) != std::end(kArrays);
}

void check_arrays(const NodeSpec& node, const AdapterSpec& adapter, Diagnostics& diagnostics) {
  for (const Param& param : adapter.firmware.params) {
    if (!is_of_array(param.first)) continue;
    diagnostics
        .error(
            "firmware-param-array",
            param.second.range,
            fmt::format(
                "{} of adapter {} of {} is of an array, which fabric can't set and read back yet",
                param.first,
                adapter.name,
                node.name.str()))
        .with_help(fmt::format(
            "set it by hand (`mlxconfig -d DEVICE set {}=...`) and remove it here", param.first));
  }
}

}  // namespace

RuleRows firmware_rules() {
  return kFirmwareRules;
}

void check_firmware(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [name, node] : context.spec().nodes) {
    for (const AdapterSpec& adapter : *node.adapters) {
      const About about{diagnostics, {name, adapter.name}};
      check_fixed_link_type(node, adapter, diagnostics);
      check_arrays(node, adapter, diagnostics);
      check_versions(node, adapter, diagnostics);
      check_image(node, adapter, diagnostics);
    }
  }
  for (const AdapterUse& use : context.adapters()) {
    const About about{diagnostics, use.subject()};
    check_owned(use, diagnostics);
    check_modules(use, diagnostics);
  }
}

}  // namespace fabric::rules
