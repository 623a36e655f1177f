// SPDX-License-Identifier: Apache-2.0
#include "engine/model/rules/facts.hpp"

#include <fmt/format.h>

#include "engine/model/lag_options.hpp"
#include "engine/model/pcie.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric {

namespace {

constexpr RuleInfo kFactRules[] = {
    {"bluefield-mode",
     Severity::warning,
     RuleStage::plan,
     "In DPU mode the processors of a BlueField switch between the host and the ports. Bonds, "
     "VLANs, "
     "MTU and virtual functions of the host end inside the card, and the ports follow what the "
     "DPU's own system sets.",
     "E-bluefield-mode: database of firmware parameters; NVIDIA, BlueField modes of operation",
     "Set the same on the DPU, or make the card a plain adapter: `firmware: {params: "
     "{INTERNAL_CPU_OFFLOAD_ENGINE: 1}}` and a power cycle."},
    {"firmware-too-old",
     Severity::error,
     RuleStage::plan,
     "The card runs older firmware than `firmware.minimum`.",
     "E-grammar: docs/document.md; E-firmware-notes: NVIDIA firmware release notes per adapter",
     "Update the firmware, or lower `firmware.minimum`."},
    {"pcie-bandwidth",
     Severity::warning,
     RuleStage::plan,
     "The PCIe link of the card is narrower or slower than its ports together: they can't all "
     "run at line rate.",
     "E-pcie: how-to 'Using 40G Mellanox Infiniband single- or dual-port NICs', PCI Express "
     "tables",
     "Move the card to a wider slot, or accept the limit."},
};

using rules::AdapterUse;
using rules::Context;

// The oldest kernel with RoCE LAG (E-roce-lag-versions).
constexpr std::string_view kOldestLagKernel = "4.9";

bool is_older(std::string_view version, std::string_view than) {
  const Result<Version> a = Version::parse(version);
  const Result<Version> b = Version::parse(than);
  return a && b && *a < *b;
}

void check_firmware(
    const NodeSpec& node,
    const AdapterSpec& adapter,
    const AdapterFacts& facts,
    Diagnostics& diagnostics) {
  const Sourced<std::string>& minimum = adapter.firmware.minimum;
  if (minimum.value.empty() || !is_older(facts.firmware, minimum.value)) return;
  // The plan burns another version, which was compared with the document.
  if (!adapter.firmware.image.value.empty()) return;
  diagnostics
      .error(
          "firmware-too-old",
          minimum.range,
          fmt::format(
              "adapter {} of {} runs firmware {}, older than {}",
              adapter.name,
              node.name.str(),
              facts.firmware,
              minimum.value))
      .with_help("update the firmware, or lower `firmware.minimum`");
}

void check_chain_mtu(const AdapterUse& use, const AdapterFacts& facts, Diagnostics& diagnostics) {
  // The firmware that is to be burned counts, and the document gives its version.
  if (!use.adapter->firmware.image.value.empty()) return;
  for (const auto& [number, port] : use.ports) {
    const NetworkSpec& network = *port.network;
    if (network.mode.value != Mode::chain || network.mtu.value <= rules::kChainLimitedMtu) continue;
    const bool limited = facts.firmware == rules::kChainLimitedFirmware;
    if (!limited && !is_older(facts.firmware, rules::kChainLimitedFirmware)) return;
    const std::string message = fmt::format(
        "adapter {} of {} runs firmware {}, {} {} bytes",
        use.adapter->name,
        use.node->name.str(),
        facts.firmware,
        limited ? "which drops chained frames larger than"
                : "which was never tested with chained frames larger than",
        rules::kChainLimitedMtu);
    Diagnostic& found = limited
                            ? diagnostics.error("chain-mtu-firmware", network.mtu.range, message)
                            : diagnostics.warning("chain-mtu-firmware", network.mtu.range, message);
    found.with_note(use.adapter->range, "the adapter")
        .with_help("set `mtu: 8000`, or update the firmware");
    return;
  }
}

void check_lag_kernel(const AdapterUse& use, const HostFacts& host, Diagnostics& diagnostics) {
  for (const auto& [number, port] : use.ports) {
    const NetworkSpec& network = *port.network;
    if (!wants_roce_lag(network)) continue;
    const bool old_kernel = is_older(host.kernel, kOldestLagKernel);
    const bool old_stack = is_older(host.mlnx_ofed, rules::kOldestLagOfed);
    if (!old_kernel && !old_stack) return;
    diagnostics
        .error(
            "lag-kernel-too-old",
            network.mode.range,
            fmt::format(
                "{} runs {}, but RoCE LAG needs {}",
                use.node->name.str(),
                old_kernel ? "kernel " + host.kernel : "MLNX_OFED " + host.mlnx_ofed,
                old_kernel ? kOldestLagKernel : rules::kOldestLagOfed))
        .with_note(use.node->range, "the node")
        .with_help(fmt::format(
            "install kernel {} or MLNX_OFED {}, or newer, or set `roce: false` for a plain bond",
            kOldestLagKernel,
            rules::kOldestLagOfed));
    return;
  }
}

void check_dpu(const AdapterUse& use, const AdapterFacts& facts, Diagnostics& diagnostics) {
  if (!facts.dpu_mode || use.ports.empty()) return;
  diagnostics
      .warning(
          "bluefield-mode",
          use.adapter->range,
          fmt::format(
              "adapter {} of {} is a BlueField in DPU mode: the ports do what the DPU's own system "
              "sets, whatever the host sets",
              use.adapter->name,
              use.node->name.str()))
      .with_help(
          "set the same on the DPU, or write `firmware: {params: {INTERNAL_CPU_OFFLOAD_ENGINE: "
          "1}}` for a plain adapter");
}

void check_pcie(const AdapterUse& use, const AdapterFacts& facts, Diagnostics& diagnostics) {
  if (!facts.pcie_generation || !facts.pcie_width || use.adapter->hardware == nullptr) return;
  const std::uint32_t generation = *facts.pcie_generation;
  const std::optional<double> able = pcie_gbps(generation, *facts.pcie_width);
  if (!able) return;
  std::uint32_t together = 0;
  std::uint32_t fastest = 0;
  for (const auto& [number, port] : use.ports) {
    const bool ethernet = rules::is_ethernet(port.network->mode.value);
    const std::uint32_t most =
        ethernet ? use.adapter->hardware->ethernet_gbps : use.adapter->hardware->infiniband_gbps;
    // A family has cards of several speeds: what the link runs at counts, where there is one.
    const auto link = facts.link_gbps.find(number);
    const std::uint32_t rate = link == facts.link_gbps.end() ? most : link->second;
    together += rate;
    fastest = std::max(fastest, rate);
  }
  if (*able >= together) return;
  const std::string link = fmt::format(
      "the PCIe link of adapter {} of {} (generation {}, x{}) carries {:.0f} Gb/s",
      use.adapter->name,
      use.node->name.str(),
      generation,
      *facts.pcie_width,
      *able);
  if (*able < fastest) {
    diagnostics
        .warning(
            "pcie-bandwidth",
            use.adapter->range,
            fmt::format("{}, less than one port of {}", link, fastest))
        .with_help("use a wider or faster slot, or look for a degraded link: lspci -vv, LnkSta");
  } else {
    diagnostics.info(
        "pcie-bandwidth",
        use.adapter->range,
        fmt::format("{}: its ports can't all run at {} at once", link, fastest));
  }
}

}  // namespace

RuleRows fact_rules() {
  return kFactRules;
}

void check_fact_rules(
    const FabricSpec& spec, const std::vector<HostFacts>& hosts, Diagnostics& diagnostics) {
  const Context context{spec};
  rules::check_identities(spec, hosts, diagnostics);
  rules::check_isolated_now(spec, hosts, diagnostics);
  std::map<NodeName, const HostFacts*> by_node;
  for (const HostFacts& host : hosts) {
    by_node.emplace(host.node, &host);
    const auto node = spec.nodes.find(host.node);
    if (node == spec.nodes.end()) continue;
    for (const AdapterFacts& facts : host.adapters) {
      const AdapterSpec* adapter = node->second.find_adapter(facts.adapter);
      const About about{diagnostics, {host.node, facts.adapter}};
      if (adapter != nullptr) check_firmware(node->second, *adapter, facts, diagnostics);
    }
  }
  for (const AdapterUse& use : context.adapters()) {
    const auto host = by_node.find(use.node->name);
    if (host == by_node.end()) continue;
    const About about{diagnostics, use.subject()};
    check_lag_kernel(use, *host->second, diagnostics);
    for (const AdapterFacts& facts : host->second->adapters) {
      if (facts.adapter != use.adapter->name) continue;
      check_chain_mtu(use, facts, diagnostics);
      check_dpu(use, facts, diagnostics);
      check_pcie(use, facts, diagnostics);
    }
  }
}

}  // namespace fabric
