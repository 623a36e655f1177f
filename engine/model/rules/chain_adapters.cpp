// SPDX-License-Identifier: Apache-2.0
// Mode chain, the card: which cards forward, and what host chaining (ConnectX-5) asks of both of
// their ports: Ethernet, one MTU, the permanent MAC address.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kChainAdapterRules[] = {
    {"chain-needs-ethernet",
     Severity::error,
     RuleStage::document,
     "Host chaining forwards Ethernet frames by their destination MAC address. Both ports of "
     "the card must be Ethernet; native InfiniBand can't be chained.",
     "E-chain-ethernet: NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 "
     "VPI'; E-chain-dmac: ConnectX-5 firmware release notes, host chaining",
     "Let both ports of the card be in the chain, or use a switch for InfiniBand."},
    {"chain-adapter-unsupported",
     Severity::error,
     RuleStage::document,
     "Only dual-port cards of the ConnectX-5 family forward between their ports. Other cards "
     "list HOST_CHAINING_MODE and do nothing with it.",
     "E-chain-cards: NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 "
     "VPI'; sriov-network-device-plugin issue 601",
     "Use a dual-port ConnectX-5, or the mode ethernet with a switch or routing."},
    {"chain-mtu-firmware",
     Severity::error,
     RuleStage::document,
     "Firmware 16.22.1002 drops chained frames of more than 8150 bytes; older firmware is not "
     "known to be better.",
     "E-chain-mtu-limit: NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 "
     "VPI'",
     "Set `mtu: 8000`, or update the firmware."},
    {"chain-mtu-mixed",
     Severity::error,
     RuleStage::document,
     "The card forwards between its two ports, so they are one Ethernet. Where its two sides "
     "have different MTUs, large frames get lost on the way and small ones don't.",
     "E-chain-mtu-mixed: NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 "
     "VPI'",
     "Give both networks one MTU, or put both ports in one network."},
    {"chain-foreign-mac",
     Severity::error,
     RuleStage::document,
     "A chained port may transmit only with its permanent MAC address. Virtual functions, bonds "
     "and bridges send with other addresses, and those frames are lost.",
     "E-chain-mac: NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI'; "
     "University of Waterloo, CF/HostChaining",
     "Remove `sriov` from the card, or take its ports out of the bond."},
};

bool is_chain(const PortUse& use) {
  return use.network->mode.value == Mode::chain;
}

const PortUse* chain_use(const AdapterUse& use) {
  const auto found = std::find_if(
      use.ports.begin(), use.ports.end(), [](const auto& port) { return is_chain(port.second); });
  return found == use.ports.end() ? nullptr : &found->second;
}

void check_adapter(const AdapterUse& use, const PortUse& chained, Diagnostics& diagnostics) {
  const HardwareModel* model = use.adapter->hardware;
  if (model == nullptr) return;
  const std::string card = fmt::format("adapter {} of {}", use.adapter->name, use.node->name.str());
  if (!model->host_chaining) {
    diagnostics
        .error(
            "chain-adapter-unsupported",
            use.adapter->model.range,
            fmt::format("{} is a {}, which does not forward between its ports", card, model->name))
        .with_note(
            chained.range, fmt::format("the chain {} has the card here", chained.network->name))
        .with_help(
            "only dual-port cards of the ConnectX-5 family chain, also where others list "
            "HOST_CHAINING_MODE");
  } else if (use.adapter->ports.value < 2) {
    diagnostics
        .error(
            "chain-adapter-unsupported",
            is_known(use.adapter->ports.range) ? use.adapter->ports.range
                                               : use.adapter->model.range,
            fmt::format("{} has one port; a chain goes in at one port and out at the other", card))
        .with_note(
            chained.range, fmt::format("the chain {} has the card here", chained.network->name))
        .with_help("use a dual-port card");
  }
}

// Checks the use of the other port: the card treats both as one Ethernet.
void check_other_port(const AdapterUse& use, const PortUse& chained, Diagnostics& diagnostics) {
  for (const auto& [number, other] : use.ports) {
    if (other.network == chained.network) continue;
    const std::string port =
        fmt::format("port {} of adapter {} of {}", number, use.adapter->name, use.node->name.str());
    if (other.network->mode.value == Mode::infiniband) {
      diagnostics
          .error(
              "chain-needs-ethernet",
              other.range,
              fmt::format(
                  "{} is InfiniBand, but the card is in the chain {}, which needs both ports "
                  "Ethernet",
                  port,
                  chained.network->name))
          .with_note(chained.range, "the other port is chained here")
          .with_help("use a second card, or a switch instead of the chain");
    } else if (other.network->mode.value == Mode::lag) {
      diagnostics
          .error(
              "chain-foreign-mac",
              other.range,
              fmt::format(
                  "{} is slave of a bond, but the card is in the chain {}",
                  port,
                  chained.network->name))
          .with_note(chained.range, "the other port is chained here")
          .with_help(
              "a bond sends with another MAC address than the port's own, and the card drops that");
    }
  }
}

SourceRange mtu_place(const NetworkSpec& network) {
  return is_known(network.mtu.range) ? network.mtu.range : network.range;
}

std::string mtu_text(const NetworkSpec& network) {
  return network.mtu.value == 0 ? "the default" : std::to_string(network.mtu.value);
}

// Networks that meet in a card: a pair of them is reported once, whatever cards they share.
using NetworkPairs = std::set<std::pair<std::string, std::string>>;

void check_mixed_mtu(
    const AdapterUse& use,
    const PortUse& chained,
    NetworkPairs& reported,
    Diagnostics& diagnostics) {
  for (const auto& [number, other] : use.ports) {
    const bool same = other.network->mtu.value == chained.network->mtu.value;
    if (same || !is_ethernet(other.network->mode.value)) continue;
    const bool in_order = chained.network->name < other.network->name;
    const NetworkSpec& first = in_order ? *chained.network : *other.network;
    const NetworkSpec& second = in_order ? *other.network : *chained.network;
    if (!reported.emplace(first.name, second.name).second) continue;
    diagnostics
        .error(
            "chain-mtu-mixed",
            mtu_place(second),
            fmt::format(
                "network {} has MTU {} and network {} MTU {}, but adapter {} of {} forwards "
                "between them",
                second.name,
                mtu_text(second),
                first.name,
                mtu_text(first),
                use.adapter->name,
                use.node->name.str()))
        .with_note(mtu_place(first), "the MTU of network " + first.name)
        .with_help("the two ports of a chained card are one Ethernet; give both networks one MTU");
  }
}

void check_link_type_params(
    const AdapterUse& use, const PortUse& chained, Diagnostics& diagnostics) {
  for (const auto& [name, value] : use.adapter->firmware.params) {
    if (!name.starts_with("LINK_TYPE_P") || !value.value) continue;
    const auto number = parameter_number(name, *value.value);
    if (!number || *number == 2) continue;
    diagnostics
        .error(
            "chain-needs-ethernet",
            value.range,
            fmt::format(
                "{} is set to {}, but the chain {} needs both ports Ethernet",
                name,
                *value.value,
                chained.network->name))
        .with_note(chained.range, "the card is chained here")
        .with_help("remove the parameter; mode chain sets it to ETH");
  }
}

// Reports parameters that allow virtual functions, without any in the document.
void check_functions_on(const AdapterUse& use, const PortUse& chained, Diagnostics& diagnostics) {
  const auto param = use.adapter->firmware.params.find("SRIOV_EN");
  if (param == use.adapter->firmware.params.end() || !param->second.value) return;
  if (parameter_number("SRIOV_EN", *param->second.value).value_or(0) == 0) return;
  diagnostics
      .error(
          "chain-foreign-mac",
          param->second.range,
          fmt::format(
              "adapter {} of {} is in the chain {} and can't have SRIOV_EN on",
              use.adapter->name,
              use.node->name.str(),
              chained.network->name))
      .with_note(chained.range, "it is chained here")
      .with_help("chained ports transmit only with their permanent MAC address: set SRIOV_EN off");
}

void check_foreign_mac(const AdapterUse& use, const PortUse& chained, Diagnostics& diagnostics) {
  if (!use.adapter->sriov || (use.adapter->sriov->vfs == 0 && !use.adapter->sriov->passthrough))
    return;
  diagnostics
      .error(
          "chain-foreign-mac",
          use.adapter->sriov->range,
          fmt::format(
              "adapter {} of {} is in the chain {} and can't have {}",
              use.adapter->name,
              use.node->name.str(),
              chained.network->name,
              use.adapter->sriov->passthrough ? "passthrough" : "virtual functions"))
      .with_note(chained.range, "it is chained here")
      .with_help("chained ports transmit only with their permanent MAC address");
}

void check_declared_firmware(
    const AdapterUse& use, const PortUse& chained, Diagnostics& diagnostics) {
  const std::uint32_t mtu = chained.network->mtu.value;
  if (use.adapter->firmware.version.value != kChainLimitedFirmware || mtu <= kChainLimitedMtu)
    return;
  diagnostics
      .error(
          "chain-mtu-firmware",
          chained.network->mtu.range,
          fmt::format(
              "MTU {} is too large for firmware {}, which passes chained frames up to {}",
              mtu,
              kChainLimitedFirmware,
              kChainLimitedMtu))
      .with_note(
          use.adapter->firmware.version.range,
          fmt::format("the firmware of {}", use.node->name.str()))
      .with_help("set `mtu: 8000`, or ask for newer firmware");
}

}  // namespace

RuleRows chain_adapter_rules() {
  return kChainAdapterRules;
}

void check_chain_adapters(const Context& context, Diagnostics& diagnostics) {
  NetworkPairs mixed;
  for (const AdapterUse& use : context.adapters()) {
    const PortUse* chained = chain_use(use);
    if (chained == nullptr) continue;
    const About about{diagnostics, use.subject()};
    check_adapter(use, *chained, diagnostics);
    check_other_port(use, *chained, diagnostics);
    check_mixed_mtu(use, *chained, mixed, diagnostics);
    check_link_type_params(use, *chained, diagnostics);
    check_foreign_mac(use, *chained, diagnostics);
    check_functions_on(use, *chained, diagnostics);
    check_declared_firmware(use, *chained, diagnostics);
  }
}

}  // namespace fabric::rules
