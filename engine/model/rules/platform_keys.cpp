// SPDX-License-Identifier: Apache-2.0
// Keys that fit the platform of their node.
#include <span>

#include <fmt/format.h>

#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kRules[] = {
    {"key-not-on-platform",
     Severity::error,
     RuleStage::document,
     "The key has no meaning on this platform: adapters are in hosts, MLAG is between switches, "
     "ESXi and ESX have no packages of Linux, no sysctl and no files of a network service.",
     "E-grammar: docs/document.md; E-esxi-no-boot-id: what ESXi has in place of a Linux system",
     "Remove the key or correct `platform`."},
};

// What an ESXi host can't have: a key, where it stands (unknown: it was not written), and what
// there is in its place.
struct MissingKey {
  std::string_view key;
  SourceRange (*place)(const NodeSpec& node);
  std::string_view instead;
};

SourceRange place_of_first(const std::vector<Sourced<std::string>>& texts) {
  return texts.empty() ? SourceRange{} : texts.front().range;
}

constexpr MissingKey kNotOnEsx[] = {
    {"packages",
     [](const NodeSpec& node) { return place_of_first(node.packages); },
     "what drives the cards comes in bundles of the vendor"},
    {"network_backend",
     [](const NodeSpec& node) {
       return node.network_backend.value == NetworkBackend::automatic ? SourceRange{}
                                                                      : node.network_backend.range;
     },
     "ESX keeps its network by itself"},
    {"adopt",
     [](const NodeSpec& node) { return node.adopt.value ? node.adopt.range : SourceRange{}; },
     "there are no files of somebody else to take over"},
    {"restore",
     [](const NodeSpec& node) { return node.restore.value ? node.restore.range : SourceRange{}; },
     "nothing of fabric's is kept there, so it does not know what was before"},
    {"sysctl",
     [](const NodeSpec& node) {
       return node.sysctl.empty() ? SourceRange{} : node.sysctl.begin()->second.range;
     },
     "drivers have options: `modules`"},
    {"tuning",
     [](const NodeSpec& node) { return place_of_first(node.tuning); },
     "drivers have options: `modules`"},
    {"software.stack",
     [](const NodeSpec& node) {
       return node.software->stack.value.empty() ? SourceRange{} : node.software->stack.range;
     },
     "its drivers are those of the host or of the vendor's bundles"},
    {"adapters.names",
     [](const NodeSpec& node) {
       for (const AdapterSpec& adapter : *node.adapters) {
         if (!adapter.names.empty()) return adapter.names.begin()->second.range;
       }
       return SourceRange{};
     },
     "ESX names its NICs itself"},
};

// Besides, of ESX 3.5 and 4.
constexpr MissingKey kNotOnEsxClassic[] = {
    {"software.mft",
     [](const NodeSpec& node) {
       return node.software->mft.value.empty() ? SourceRange{} : node.software->mft.range;
     },
     "no firmware tool is used there: the driver sets the link types"},
    {"adapters.sriov",
     [](const NodeSpec& node) {
       for (const AdapterSpec& adapter : *node.adapters) {
         if (adapter.sriov) return adapter.sriov->range;
       }
       return SourceRange{};
     },
     "its drivers make no virtual functions"},
    {"adapters.firmware.params",
     [](const NodeSpec& node) {
       for (const AdapterSpec& adapter : *node.adapters) {
         if (!adapter.firmware.params.empty()) return adapter.firmware.params.begin()->second.range;
       }
       return SourceRange{};
     },
     "no firmware tool is used there: the driver sets the link types"},
};

void check_esx_keys(
    const NodeSpec& node, std::span<const MissingKey> rows, Diagnostics& diagnostics) {
  const char* name = traits(node.platform.value).service_console ? "ESX" : "ESXi";
  for (const MissingKey& row : rows) {
    const SourceRange range = row.place(node);
    if (!is_known(range)) continue;
    diagnostics
        .error(
            "key-not-on-platform",
            range,
            fmt::format("{} is an {} host, which has no `{}`", node.name.str(), name, row.key))
        .with_note(node.platform.range, "the platform is given here")
        .with_help(fmt::format("remove it: {}", row.instead));
  }
}

// The other way round: what only the driver of ESXi has.
void check_recovery_mode(const NodeSpec& node, Diagnostics& diagnostics) {
  if (traits(node.platform.value).driver_recovery) return;
  for (const AdapterSpec& adapter : *node.adapters) {
    const Sourced<bool>& mode = adapter.firmware.recovery_mode;
    if (!mode.value) continue;
    diagnostics
        .error(
            "key-not-on-platform",
            mode.range,
            fmt::format(
                "{} is no ESXi host, and no other driver has a `firmware.recovery_mode`",
                node.name.str()))
        .with_note(node.platform.range, "the platform is given here")
        .with_help("remove it: the firmware tools see every card that is on the PCI bus");
  }
}

void check_keys(const NodeSpec& node, Diagnostics& diagnostics) {
  if (is_esx(node.platform.value)) check_esx_keys(node, kNotOnEsx, diagnostics);
  if (traits(node.platform.value).service_console)
    check_esx_keys(node, kNotOnEsxClassic, diagnostics);
  check_recovery_mode(node, diagnostics);
  const auto platform = to_string(node.platform.value);
  if (is_switch(node.platform.value)) {
    for (const AdapterSpec& adapter : *node.adapters) {
      diagnostics
          .error(
              "key-not-on-platform",
              adapter.range,
              fmt::format(
                  "{} is a switch ({}) and has no adapter '{}'",
                  node.name.str(),
                  platform,
                  adapter.name))
          .with_note(node.platform.range, "the platform is given here")
          .with_help(fmt::format(
              "ports of a switch are written {}/7, without an adapter", node.name.str()));
    }
  } else if (node.mlag) {
    diagnostics
        .error(
            "key-not-on-platform",
            node.mlag->domain.range,
            fmt::format(
                "mlag is between two switches; {} is a host ({})", node.name.str(), platform))
        .with_help("remove mlag, or set the platform to mlnx-os");
  }
  if (!is_switch(node.platform.value) && !node.proof.value.empty()) {
    diagnostics
        .error(
            "key-not-on-platform",
            node.proof.range,
            fmt::format(
                "proof is of a switch or of a cable; {} is a host ({})", node.name.str(), platform))
        .with_help("write it at the cables of the host: {ends: [A, B], proof: carrier}");
  }
  if (!is_switch(node.platform.value) && !node.system_name.value.empty()) {
    diagnostics
        .error(
            "key-not-on-platform",
            node.system_name.range,
            fmt::format("system_name is of a switch; {} is a host ({})", node.name.str(), platform))
        .with_help("remove it: a host is known by its own host name");
  }
  if (traits(node.platform.value).is_managed && !node.node_guid.value.empty()) {
    diagnostics
        .error(
            "key-not-on-platform",
            node.node_guid.range,
            fmt::format(
                "node_guid tells who an unmanaged switch is; {} is {}", node.name.str(), platform))
        .with_help("remove it, or give it to the adapter");
  }
}

}  // namespace

RuleRows platform_key_rules() {
  return kRules;
}

void check_platform_keys(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [name, node] : context.spec().nodes) {
    const About about{diagnostics, name};
    check_keys(node, diagnostics);
  }
}

}  // namespace fabric::rules
