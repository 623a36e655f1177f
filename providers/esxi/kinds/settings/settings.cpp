// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "providers/cards/card_settings.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/cards/observe_cards.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esxi/kinds/cards.hpp"
#include "providers/esxi/kinds/rows.hpp"
#include "providers/esxi/kinds/sh/scripts.hpp"
#include "providers/esxi/kinds/sriov/virtual_functions.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr std::string_view kSettingsProbe = "esxi-mlxconfig";
constexpr std::string_view kShown[] = {
    "ADVANCED_PCI_SETTINGS",
    "FORCE_ETH_PCI_SUBCLASS",
    "LINK_TYPE_P1",
    "LINK_TYPE_P2",
    "NUM_OF_VFS",
    "SRIOV_EN"};

Value shown_settings(const CardSettings& settings) {
  if (!settings.table) return Map{{"unknown", settings.why}};
  Map shown;
  for (const std::string_view name : kShown) {
    const SettingRow* row = settings.table->find(name);
    if (row == nullptr) continue;
    Map layers;
    if (row->current) layers.emplace("running", *row->current);
    if (row->next_boot) layers.emplace("next_boot", *row->next_boot);
    shown.emplace(name, std::move(layers));
  }
  return shown;
}

// In the order that the card requires: parameters that unlock others, then all others, then those
// that make virtual functions (E-esxi-sriov-order).
int step_of(std::string_view parameter) {
  if (parameter == kAdvancedPciSettings) return 1;
  if (parameter == "SRIOV_EN" || parameter == "NUM_OF_VFS") return 3;
  return 2;
}

ActionDraft set_draft(
    const Change& change,
    const EsxCard& card,
    const std::vector<const AttributeChange*>& attributes) {
  const ResourceAddress& address = change.resource.address;
  ActionDraft draft;
  draft.kind = methods::kSettingsSet;
  const remote::Argv set{"/opt/mellanox/bin/mlxconfig", "-d", card.mst, "-y", "set"};
  remote::Argv argv = set;
  remote::Argv undo = set;
  std::vector<std::string> texts;
  for (const AttributeChange* attribute : attributes) {
    const std::string& name = attribute->attribute;
    texts.push_back(fmt::format("{}={}", name, to_text(attribute->desired)));
    draft.postconditions.push_back({address, name, Layer::next_boot, attribute->desired});
    const std::optional<Reading>& before = attribute->observed.next_boot;
    const Value* value = before ? before->value() : nullptr;
    // A hidden one (absent) has no value to expect or to put back.
    if (value == nullptr) continue;
    draft.preconditions.push_back({address, name, Layer::next_boot, *value});
    undo.push_back(fmt::format("{}={}", name, to_text(*value)));
  }
  argv.insert(argv.end(), texts.begin(), texts.end());
  draft.title = fmt::format("set {} on {} ({})", join(texts, " "), address.name, card.mst);
  draft.steps.run(std::move(argv));
  draft.disturbs = nics_of(card);
  if (undo.size() > set.size()) draft.undo.run(std::move(undo));
  return draft;
}

std::vector<Probe> probes_of_settings() {
  std::vector<Probe> probes = card_probes();
  probes.push_back({std::string{kSettingsProbe}, std::string{sh::probe_esxi_mlxconfig.text}});
  probes.push_back(notes_probe());
  return probes;
}

std::vector<Observation> observe_settings(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  const Result<std::vector<EsxCard>> cards = cards_of(facts);
  const std::vector<Card> all = cards ? plain(*cards) : std::vector<Card>{};
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const FoundCard found = find_card(all, resource.binding);
    CardSettings settings;
    if (found.card == nullptr) {
      settings.why = cards ? found.why : cards.error().message;
    } else {
      settings = settings_of(facts, (*cards)[static_cast<std::size_t>(found.card - all.data())]);
    }
    const auto to_guest = resource.binding.find(std::string{keys::kToGuest});
    const bool is_away = found.card != nullptr && to_guest != resource.binding.end() &&
                         (*cards)[static_cast<std::size_t>(found.card - all.data())].passed_through;
    for (const auto& [name, desired] : resource.desired) {
      LayeredReading& reading = observation.attributes[name];
      // The guest's own, as the document has it; or to be read when it is back.
      reading.is_left_alone = is_away && to_guest->second == Value{true};
      if (is_away && !reading.is_left_alone)
        reading.running = reading.next_boot = Reading::unknown(settings.why, {{}, true});
      if (is_away) continue;
      reading =
          found.card == nullptr
              ? LayeredReading{Reading::unknown(settings.why), Reading::unknown(settings.why), {}}
              : or_more(
                    resource,
                    name,
                    desired.value,
                    observe_setting(name, desired.value, settings, *found.card));
    }
  });
}

// Orphans as for `vfs: 0`.
std::vector<Resource> settings_orphans(std::span<const Resource> wanted, const NodeFacts& facts) {
  return left_on_cards(kinds::kSettings, wanted, facts, {{"SRIOV_EN", 0}}, {{"SRIOV_EN", {}}});
}

Result<Work> work_on_settings(const Change& change, const WorkContext& context) {
  const Result<std::vector<EsxCard>> cards = cards_of(context.facts);
  if (!cards) return impossible(change.resource, cards.error().message);
  const std::vector<Card> all = plain(*cards);
  const FoundCard found = find_card(all, change.resource.binding);
  if (found.card == nullptr) return impossible(change.resource, found.why);
  const EsxCard& card = (*cards)[static_cast<std::size_t>(found.card - all.data())];
  const CardSettings settings = settings_of(context.facts, card);
  std::map<int, std::vector<const AttributeChange*>> steps;
  for (const AttributeChange& attribute : change.attributes) {
    if (!attribute.write) continue;
    const SettingRow* row = settings.table ? settings.table->find(attribute.attribute) : nullptr;
    if (row != nullptr && row->read_only)
      return impossible(
          change.resource, fmt::format("{} is read-only on this card", attribute.attribute));
    steps[step_of(attribute.attribute)].push_back(&attribute);
  }
  Work work;
  for (const auto& [step, attributes] : steps)
    work.actions.push_back(set_draft(change, card, attributes));
  return work;
}

Map settings_inventory(const NodeFacts& facts) {
  const Result<std::vector<EsxCard>> cards = cards_of(facts);
  if (!cards) return {{"settings", unknown(cards.error())}};
  Map settings;
  for (const EsxCard& card : *cards)
    settings.emplace(card.card.address.str(), shown_settings(settings_of(facts, card)));
  return {{"settings", std::move(settings)}};
}

}  // namespace

CardSettings settings_of(const NodeFacts& facts, const EsxCard& card) {
  CardSettings settings;
  settings.tool = "mlxconfig";
  if (card.passed_through || card.mst.empty()) {
    settings.why = card.firmware_unknown;
    return settings;
  }
  const Result<std::string_view> output = answer(facts, kSettingsProbe);
  if (!output) {
    settings.why = output.error().message;
    return settings;
  }
  const CardQuery query = card_query(*output, card.mst);
  Result<SettingsQuery> parsed = parse_mlxconfig_query(query.text);
  if (parsed) {
    settings.part_failed = failure_of(*parsed);
    settings.table = std::make_shared<const SettingsTable>(std::move(parsed->tables.front()));
  } else {
    settings.why = fmt::format(
        "mlxconfig of {} (exit {}): {}",
        card.mst,
        query.status.empty() ? "not told" : query.status,
        parsed.error().message);
  }
  return settings;
}

// "settings": the firmware parameters of a card, by the vendor's mlxconfig.
Provider settings_provider() {
  return {
      .kind = kinds::kSettings,
      .probes = probes_of_settings,
      .observe = observe_settings,
      // The settings for virtual functions, and for the way a card shows itself.
      .inventory = settings_inventory,
      // From the note (sriov/functions_note.hpp).
      .orphans = settings_orphans,
      .disruption = always(Disruption::reboot),
      .work = work_on_settings,
  };
}

}  // namespace fabric::providers::esxi
