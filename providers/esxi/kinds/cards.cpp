// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/kinds/cards.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esxi/kinds/sh/scripts.hpp"
#include "providers/esxi/machine/esxi_platform.hpp"
#include "providers/esxi/parsers/esxcli_lists.hpp"
#include "providers/esxi/parsers/esxcli_network.hpp"
#include "providers/esxi/parsers/mst_status.hpp"
#include "providers/parsers/rdma_tools.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr std::uint32_t kVendor = 0x15b3;
constexpr std::uint32_t kClassNetwork = 0x02;
constexpr std::string_view kFlintProbe = "esxi-flint";

// "PF_0.202.0_VF_1": of the physical function on bus 202 (E-esxi-vf-name).
bool is_virtual(const EsxPciFunction& function) {
  return function.name.starts_with("PF_");
}

bool is_ours(const EsxPciFunction& function) {
  return function.vendor == kVendor && function.device_class >> 8U == kClassNetwork &&
         !is_virtual(function);
}

// The items in `parsed`; none if it failed.
template <class T>
std::vector<T> or_none(Result<std::vector<T>> parsed) {
  return parsed ? std::move(*parsed) : std::vector<T>{};
}

template <auto parse>
auto read(const NodeFacts& facts, std::string_view probe) -> decltype(parse("")) {
  return parse(FABRIC_TRY(answer(facts, probe)));
}

void add_nic(AdapterPort& port, const std::vector<EsxNic>& nics) {
  for (const EsxNic& nic : nics) {
    if (nic.pci != port.function.str()) continue;
    port.netdev = nic.name;
    port.netdev_is_ethernet = true;
    port.mtu = nic.mtu;
    if (const Result<MacAddress> mac = MacAddress::parse(nic.mac)) port.mac = *mac;
  }
}

void add_port(Card& card, const EsxPciFunction& function, const std::vector<EsxNic>& nics) {
  AdapterPort port{.number = function.address.function() + 1, .function = function.address};
  add_nic(port, nics);
  card.ports.push_back(std::move(port));
}

std::string said_by(std::string_view text) {
  const std::string line = last_line(std::string{text});
  return line.empty() ? "" : ": " + line;
}

void add_firmware(EsxCard& card, const NodeFacts& facts) {
  if (card.passed_through) {
    card.firmware_unknown =
        "the card is passed through to a guest, and no tool of the host sees it";
    return;
  }
  if (card.mst.empty()) {
    card.firmware_unknown = "mst does not show the card";
    return;
  }
  const Result<std::string_view> output = answer(facts, kFlintProbe);
  if (!output) {
    card.firmware_unknown = output.error().message;
    return;
  }
  const CardQuery query = card_query(*output, card.mst);
  const Result<Value> said = parse_mstflint_query(query.text);
  if (!said || query.status != "0") {
    card.firmware_unknown = fmt::format("flint did not read {}{}", card.mst, said_by(query.text));
    return;
  }
  // The burnt and the running version; without a second line they are equal.
  const std::string running = said->string_or_empty("fw_version_running");
  card.card.firmware = running.empty() ? said->string_or_empty("fw_version") : running;
  card.card.psid = said->string_or_empty("psid");
  const Result<Guid> base = Guid::parse("0x" + said->string_or_empty("base_guid"));
  if (base && !card.card.ports.empty()) card.card.ports.front().node_guid = *base;
}

}  // namespace

std::vector<Probe> card_probes() {
  return {
      {"esxi-pci", "esxcli hardware pci list\n"},
      platform::esxi_nic_probe(),
      {"esxi-mst", "command -v mst >/dev/null 2>&1 || exit 0\nmst status -vv\n"},
      {std::string{kFlintProbe}, std::string{sh::probe_esxi_flint.text}}};
}

Result<std::vector<EsxCard>> cards_of(const NodeFacts& facts) {
  std::vector<EsxPciFunction> functions =
      FABRIC_TRY(read<parse_esxcli_pci_list>(facts, "esxi-pci"));
  const std::vector<EsxNic> nics = or_none(read<parse_esxcli_nic_list>(facts, "esxi-nics"));
  const std::vector<MstDevice> devices = or_none(read<parse_mst_status>(facts, "esxi-mst"));
  std::ranges::sort(functions, [](const auto& a, const auto& b) { return a.address < b.address; });
  std::vector<EsxCard> cards;
  for (const EsxPciFunction& function : functions) {
    if (!is_ours(function)) continue;
    const bool is_next_port = !cards.empty() && cards.back().card.address.with_function(0) ==
                                                    function.address.with_function(0);
    if (!is_next_port) {
      EsxCard card{
          {function.address, function.device, {}, {}, {}, {}, {}, {}},
          function.module,
          function.is_passed_through(),
          {},
          {}};
      for (const MstDevice& device : devices) {
        if (device.pci == function.address.str() && !device.is_second_port())
          card.mst = device.name;
      }
      cards.push_back(std::move(card));
    }
    add_port(cards.back().card, function, nics);
  }
  for (EsxCard& card : cards)
    add_firmware(card, facts);
  return cards;
}

std::vector<Card> plain(const std::vector<EsxCard>& cards) {
  std::vector<Card> plain;
  for (const EsxCard& card : cards)
    plain.push_back(card.card);
  return plain;
}

std::vector<std::string> nics_of(const EsxCard& card) {
  std::vector<std::string> nics;
  for (const AdapterPort& port : card.card.ports) {
    if (!port.netdev.empty()) nics.push_back(port.netdev);
  }
  return nics;
}

std::vector<std::string> nics_of_driver(const std::vector<EsxCard>& cards) {
  std::vector<std::string> nics;
  for (const EsxCard& card : cards) {
    for (std::string& nic : nics_of(card))
      nics.push_back(std::move(nic));
  }
  return nics;
}

}  // namespace fabric::providers::esxi
