// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/cards/observe_cards.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/card_query/card_queries.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/parsers/mlxconfig_query.hpp"

namespace fabric::providers {

namespace {

// A value in the table of settings, the running one if the tool tells it; nullopt = unknown.
std::optional<std::int64_t> setting(const SettingsTable& table, std::string_view parameter) {
  const SettingRow* row = table.find(parameter);
  if (row == nullptr) return std::nullopt;
  const std::optional<std::string>& shown = row->current ? row->current : row->next_boot;
  return shown ? setting_number(*shown) : std::nullopt;
}

// The ports whose own LLDP agent, in the card, takes incoming frames: "1, 2" (E-lldp-firmware).
std::string lldp_in_firmware(const SettingsTable& table, const Card& card) {
  std::vector<std::string> ports;
  for (const AdapterPort& port : card.ports) {
    const auto mode = setting(table, fmt::format("LLDP_NB_RX_MODE_P{}", port.number));
    if (mode.value_or(0) != 0) ports.push_back(std::to_string(port.number));
  }
  return join(ports, ", ");
}

// A BlueField in DPU mode: its own processors run the embedded switch between the host and the
// ports. With the offload engine disabled it is a plain adapter (E-bluefield-mode).
bool is_dpu(const SettingsTable& table) {
  constexpr std::int64_t kEmbeddedCpu = 1;
  constexpr std::int64_t kOffloadEnabled = 0;
  return setting(table, "INTERNAL_CPU_MODEL") == kEmbeddedCpu &&
         setting(table, "INTERNAL_CPU_OFFLOAD_ENGINE") == kOffloadEnabled;
}

// Properties of the firmware beside those that a document can want: attributes that are never
// desired, present only where they are on.
void add_firmware_behaviour(
    Observation& observation,
    const Resource& resource,
    const std::vector<Card>& cards,
    const NodeFacts& facts) {
  const FoundCard found = find_card(cards, resource.binding);
  if (found.card == nullptr) return;
  const SettingsTable* table = told_table(facts, found.card->address);
  if (table == nullptr) return;
  if (std::string ports = lldp_in_firmware(*table, *found.card); !ports.empty())
    observation.attributes["lldp_in_firmware"] = {
        Reading::of(std::move(ports)), std::nullopt, std::nullopt};
  if (is_dpu(*table))
    observation.attributes["dpu_mode"] = {Reading::of(true), std::nullopt, std::nullopt};
}

std::vector<Probe> probes_of_adapter() {
  return {pci_probe()};
}

std::vector<Observation> observe_adapter(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const std::vector<Card>& cards = inventory_of(facts);
  std::vector<Observation> observations =
      observe_adapters(wanted, cards, facts.output("pci") != nullptr, diagnostics);
  for (std::size_t index = 0; index < wanted.size(); ++index)
    add_firmware_behaviour(observations[index], wanted[index], cards, facts);
  return observations;
}

std::map<std::string, std::string, std::less<>> adapter_port_guids(
    const Resource& resource, const NodeFacts& facts) {
  std::map<std::string, std::string, std::less<>> guids;
  const std::vector<Card>& cards = inventory_of(facts);
  const FoundCard found = find_card(cards, resource.binding);
  if (found.card == nullptr) return guids;
  for (const AdapterPort& port : found.card->ports) {
    if (!port.port_guid) continue;
    guids.emplace(
        fmt::format("{}/{}/{}", facts.node.str(), resource.address.name, port.number),
        port.port_guid->str());
  }
  return guids;
}

Result<Work> work_on_adapter(const Change& change, const WorkContext& /*context*/) {
  return impossible(change.resource, "the card itself is never changed");
}

}  // namespace

// "adapter": checks that the card of the document exists and is as described. Changes nothing.
// Observes, beside desired attributes, the identity of the card as running values: pci, device_id,
// ports, firmware, psid, serial, part_number. Diagnostics: adapter-missing, adapter-ambiguous,
// firmware-too-old.
Provider adapter_provider() {
  return {
      .kind = kinds::kAdapter,
      .probes = probes_of_adapter,
      .observe = observe_adapter,
      .port_guids = adapter_port_guids,
      .disruption = always(Disruption::none),
      .work = work_on_adapter,
  };
}

}  // namespace fabric::providers
