// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/cards/observe_cards.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx/module_options.hpp"
#include "providers/esx/parsers/esxcli_table.hpp"
#include "providers/esxi/kinds/cards.hpp"
#include "providers/esxi/kinds/rows.hpp"
#include "providers/esxi/kinds/sh/scripts.hpp"
#include "providers/esxi/kinds/sriov/virtual_functions.hpp"
#include "providers/esxi/parsers/esxcli_network.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr const char* kPassthroughProbe = "esxi-passthrough";
constexpr const char* kVfs = "vfs";
// An attribute of orphans: the card is in fabric's note.
constexpr const char* kNoted = "noted";

Reading vfs_reading(const NodeFacts& facts, const Card& card) {
  const auto said = virtual_functions_said(facts);
  if (!said) return Reading::unknown(said.error().message);
  std::optional<std::int64_t> number;
  std::string without_nic;
  for (const AdapterPort& port : card.ports) {
    const auto found = said->find(port.netdev);
    if (port.netdev.empty() || found == said->end()) {
      // The driver leaves an InfiniBand port beside an Ethernet one alone.
      without_nic = port.function.str();
      continue;
    }
    const auto functions = parse_esxcli_vf_list(found->second);
    if (!functions)
      return Reading::unknown(fmt::format("{}: {}", port.netdev, functions.error().message));
    const auto here = static_cast<std::int64_t>(functions->size());
    if (number && *number != here) return Reading::of(fmt::format("{} and {}", *number, here));
    number = here;
  }
  return number ? Reading::of(*number)
                : Reading::unknown(
                      without_nic.empty() ? "the card has no port" : without_nic + " has no NIC");
}

// True if the next boot gives each function to a guest.
Reading next_passthrough(const NodeFacts& facts, const Card& card) {
  const Result<std::string_view> text = answer(facts, kPassthroughProbe);
  if (!text) return Reading::unknown(text.error().message);
  const auto rows = read_esxcli_rows(*text, {"deviceid", "enabled"});
  if (!rows) return Reading::unknown(rows.error().message);
  for (const AdapterPort& port : card.ports) {
    const auto row = std::find_if(rows->begin(), rows->end(), [&](const EsxcliRow& each) {
      return each.cell("deviceid") == port.function.str();
    });
    if (row == rows->end()) return Reading::of(false);
    if (row->cell("enabled") != "true") return Reading::of(false);
  }
  return Reading::of(true);
}

// True if the card runs with the parameters that the document wants.
bool runs_as_set(const NodeFacts& facts, const EsxCard& card, const Resource& resource) {
  const Map& parameters = resource.bound_map(kinds::kSettings);
  if (parameters.empty()) return true;
  const CardSettings settings = settings_of(facts, card);
  return std::all_of(parameters.begin(), parameters.end(), [&](const auto& each) {
    const LayeredReading reading = observe_setting(each.first, each.second, settings, card.card);
    // If the tool shows no running value, the value of the next boot is used.
    const bool other =
        reading.running && reading.running->is_known() && !reading.running->equals(each.second);
    return !other && reading.next_boot && reading.next_boot->equals(each.second);
  });
}

// A card gets its parameters, and so no virtual functions, before a guest gets it
// (E-esxi-passthrough); unknown parameters of a card that the host keeps are no reason to skip it.
LayeredReading passthrough_reading(
    const NodeFacts& facts, const EsxCard& card, const Resource& resource, const Value& desired) {
  LayeredReading reading;
  const bool goes = desired == Value{true};
  if (goes && !card.passed_through && !runs_as_set(facts, card, resource)) {
    reading.running = reading.next_boot =
        Reading::unknown("the card's parameters are set first, by a boot", {{}, true});
    return reading;
  }
  reading.running = Reading::of(card.passed_through);
  Reading next = next_passthrough(facts, card.card);
  if (!next.is_unknown() || card.passed_through || goes) reading.next_boot = std::move(next);
  return reading;
}

// Cards that the next boot gives to guests, as the host has it now.
std::set<PciAddress> gone_by_next_boot(const NodeFacts& facts, const std::vector<EsxCard>& cards) {
  std::set<PciAddress> gone;
  for (const EsxCard& card : cards) {
    const Reading next = next_passthrough(facts, card.card);
    const bool goes = next.is_unknown() ? card.passed_through : next.equals(true);
    if (goes) gone.insert(card.card.address);
  }
  return gone;
}

// The cards of the host that a list of the binding names.
std::set<PciAddress> named_cards(
    const std::vector<EsxCard>& cards, const Resource& resource, std::string_view key) {
  std::set<PciAddress> named;
  const std::vector<Card> all = plain(cards);
  for (const Value& other : resource.bound_list(key)) {
    const Map* binding = other.as_map();
    const FoundCard found = binding == nullptr ? FoundCard{} : find_card(all, *binding);
    if (found.card != nullptr) named.insert(found.card->address);
  }
  return named;
}

// Cards that guests have at the next boot, once the resources before this one are set.
std::set<PciAddress> gone_before(
    const NodeFacts& facts, const std::vector<EsxCard>& cards, const Resource& resource) {
  std::set<PciAddress> gone = gone_by_next_boot(facts, cards);
  for (const PciAddress& back : named_cards(cards, resource, keys::kGivenBack))
    gone.erase(back);
  gone.merge(named_cards(cards, resource, keys::kPassedThrough));
  return gone;
}

// The number of functions that the next load of the driver makes.
Reading next_vfs(const NodeFacts& facts, const std::vector<EsxCard>& cards, const EsxCard& card) {
  const Result<EsxModule> module = module_options(facts, kCardDriver);
  if (!module) return Reading::unknown(module.error().message);
  const std::string list = option_value(*module, kMaxVfs).value_or("");
  const Ports ports = driver_ports(cards, gone_by_next_boot(facts, cards));
  std::optional<std::int64_t> number;
  for (const AdapterPort& port : card.card.ports) {
    const auto place = place_of(ports, port);
    if (!place) return Reading::unknown("the driver does not list the card");
    const auto here = entry_of(list, *place);
    if (!here) return Reading::of(list);
    if (number && *number != *here) return Reading::of(fmt::format("{} and {}", *number, *here));
    number = here;
  }
  return number ? Reading::of(*number) : Reading::unknown("the card has no port");
}

ActionDraft vfs_draft(
    const Change& change,
    const AttributeChange& attribute,
    const NodeFacts& facts,
    const std::vector<EsxCard>& cards,
    const EsxCard& card,
    const std::string& list) {
  const Ports now = driver_ports(cards, gone_by_next_boot(facts, cards));
  const Ports ports = driver_ports(cards, gone_before(facts, cards, change.resource));
  const std::string before = list_moved(list, now, ports);
  std::vector<OptionChange> wanted, undo;
  for (const AdapterPort& port : card.card.ports) {
    const auto place = place_of(ports, port);
    if (!place) continue;
    wanted.push_back({std::string{kMaxVfs}, to_text(attribute.desired), *place});
    std::optional<std::string> former;
    if (!before.empty()) former = std::to_string(entry_of(before, *place).value_or(0));
    undo.push_back({std::string{kMaxVfs}, std::move(former), *place});
  }
  ActionDraft draft;
  draft.kind = methods::kModuleOptions;
  draft.title = fmt::format(
      "set max_vfs of {} to {} for {} of its {} ports",
      kCardDriver,
      to_text(attribute.desired),
      wanted.size(),
      ports.size());
  draft.disturbs = nics_of_driver(cards);
  draft.steps.run(set_options(kCardDriver, ports.size(), wanted));
  draft.undo.run(set_options(kCardDriver, ports.size(), undo));
  const std::string& adapter = change.resource.address.name;
  if (attribute.desired != Value{0} && !has_noted(facts, adapter, card.card)) {
    draft.steps.run(note_functions(adapter, card.card, true));
    draft.undo.run(note_functions(adapter, card.card, false));
  }
  draft.postconditions.push_back(
      {change.resource.address, kVfs, Layer::next_boot, attribute.desired});
  return draft;
}

ActionDraft forget_draft(const Change& change, const Card& card) {
  ActionDraft draft;
  draft.kind = methods::kModuleOptions;
  draft.title = fmt::format("note that {} has no virtual functions of fabric", card.text());
  draft.stage = Stage::activate;
  draft.steps.run(note_functions(change.resource.address.name, card, false));
  draft.undo.run(note_functions(change.resource.address.name, card, true));
  draft.postconditions.push_back({change.resource.address, kNoted, Layer::persistent, Value{}});
  return draft;
}

// The next load makes the virtual functions, and the driver is not loaded: it has unloaded itself.
bool is_made_by_load(const NodeFacts& facts, const Resource& resource, std::string_view attribute) {
  if (attribute != kVfs) return false;
  const Result<std::optional<bool>> loaded = is_loaded(facts, kCardDriver);
  return loaded && !loaded->value_or(false) && resource.desired.contains(kVfs);
}

ActionDraft load_draft(const Change& change, const AttributeChange& attribute) {
  ActionDraft draft;
  draft.kind = methods::kModuleReload;
  draft.title = fmt::format("load {} and let the device manager look again", kCardDriver);
  draft.stage = Stage::activate;
  draft.disruption = Disruption::driver;
  draft.steps.run(load_module(kCardDriver));
  draft.irreversible = "a loaded driver is not unloaded";
  draft.postconditions.push_back(
      {change.resource.address, kVfs, Layer::running, attribute.desired});
  return draft;
}

// `then`: options_words(), or nothing.
remote::Argv set_passthrough(const Card& card, bool enabled, const remote::Argv& then) {
  std::vector<std::string> devices;
  for (const AdapterPort& port : card.ports)
    devices.push_back(port.function.str());
  remote::Argv argv{
      "sh",
      "-c",
      sh::pci_passthrough,
      "fabric-passthrough",
      join(devices, " "),
      enabled ? "true" : "false"};
  argv.insert(argv.end(), then.begin(), then.end());
  return argv;
}

struct ListChange {
  remote::Argv set, undo;  // nothing if the list stays
};

// The entries of the card's ports in max_vfs go and come with it: those of other cards would move
// else.
ListChange moved_entries(
    const Change& change,
    const NodeFacts& facts,
    const std::vector<EsxCard>& cards,
    const Card& card,
    bool goes) {
  const Result<EsxModule> module = module_options(facts, kCardDriver);
  const std::string list = module ? option_value(*module, kMaxVfs).value_or("") : "";
  if (list.empty()) return {};
  const Ports now = driver_ports(cards, gone_by_next_boot(facts, cards));
  std::set<PciAddress> gone = gone_before(facts, cards, change.resource);
  const std::string before = goes ? list_moved(list, now, driver_ports(cards, gone)) : list;
  if (goes)
    gone.insert(card.address);
  else
    gone.erase(card.address);
  const std::string after = list_moved(list, now, driver_ports(cards, gone));
  if (after == before) return {};
  const auto set = [](const std::string& value) {
    OptionChange option{std::string{kMaxVfs}, std::nullopt, std::nullopt};
    if (!value.empty()) option.value = value;
    return options_words(kCardDriver, 0, {option});
  };
  return {set(after), set(before)};
}

ActionDraft passthrough_draft(
    const Change& change,
    const AttributeChange& attribute,
    const Card& card,
    const ListChange& entries) {
  ActionDraft draft;
  draft.kind = methods::kPassthroughSet;
  const bool goes = attribute.desired == Value{true};
  draft.title = goes ? fmt::format("give {} to a guest", card.text())
                     : fmt::format("take {} back from its guest", card.text());
  for (const AdapterPort& port : card.ports) {
    if (!port.netdev.empty()) draft.disturbs.push_back(port.netdev);
  }
  draft.steps.run(set_passthrough(card, goes, entries.set));
  draft.undo.run(set_passthrough(card, !goes, entries.undo));
  draft.postconditions.push_back(
      {change.resource.address, attribute.attribute, Layer::next_boot, attribute.desired});
  return draft;
}

std::vector<Probe> probes_of_sriov() {
  std::vector<Probe> probes = card_probes();
  for (Probe& probe : module_option_probes())
    probes.push_back(std::move(probe));
  probes.push_back(
      {kPassthroughProbe, "esxcli --formatter=keyvalue hardware pci pcipassthru list\n"});
  probes.push_back(virtual_functions_probe());
  probes.push_back(notes_probe());
  return probes;
}

// And those of settings (runs_as_set).
std::vector<Probe> probes_of_passthrough() {
  std::vector<Probe> probes = probes_of_sriov();
  for (Probe& probe : settings_provider().probes()) {
    const bool known = std::any_of(
        probes.begin(), probes.end(), [&probe](const Probe& each) { return each.id == probe.id; });
    if (!known) probes.push_back(std::move(probe));
  }
  return probes;
}

bool sriov_supports(const Resource& /*resource*/, std::string_view /*feature*/) {
  return true;
}

std::vector<Observation> observe_sriov(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  const Result<std::vector<EsxCard>> cards = cards_of(facts);
  const std::vector<Card> all = cards ? plain(*cards) : std::vector<Card>{};
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const FoundCard found = find_card(all, resource.binding);
    for (const auto& [attribute, desired] : resource.desired) {
      LayeredReading& reading = observation.attributes[attribute];
      if (found.card == nullptr) {
        reading.running = Reading::unknown(cards ? found.why : cards.error().message);
        continue;
      }
      const EsxCard& card = (*cards)[static_cast<std::size_t>(found.card - all.data())];
      if (attribute == kVfs && card.passed_through) {
        reading.running = reading.next_boot = Reading::unknown(card.firmware_unknown, {{}, true});
      } else if (attribute == kVfs) {
        reading.running = vfs_reading(facts, *found.card);
        reading.next_boot = next_vfs(facts, *cards, card);
      } else if (attribute == kNoted) {
        const bool noted = has_noted(facts, resource.address.name, *found.card);
        reading.running = noted ? Reading::of(true) : Reading::absent();
        reading.persistent = reading.running;
      } else {
        reading = passthrough_reading(facts, card, resource, desired.value);
      }
    }
  });
}

// Orphans lose their functions, and then, after the boot for that, the note.
std::vector<Resource> sriov_orphans(std::span<const Resource> wanted, const NodeFacts& facts) {
  return left_on_cards(kinds::kSriov, wanted, facts, {{kVfs, 0}}, {{kVfs, {}}, {kNoted, {}}});
}

Disruption sriov_disruption(
    const NodeFacts& facts, const Resource& resource, std::string_view attribute) {
  if (attribute == kNoted) return Disruption::none;
  return is_made_by_load(facts, resource, attribute) ? Disruption::driver : Disruption::reboot;
}

Result<Work> work_on_sriov(const Change& change, const WorkContext& context) {
  const Result<std::vector<EsxCard>> cards = cards_of(context.facts);
  if (!cards) return impossible(change.resource, cards.error().message);
  const std::vector<Card> all = plain(*cards);
  const FoundCard found = find_card(all, change.resource.binding);
  if (found.card == nullptr) return impossible(change.resource, found.why);
  const EsxCard& card = (*cards)[static_cast<std::size_t>(found.card - all.data())];
  Work work;
  for (const AttributeChange& attribute : change.attributes) {
    if (attribute.attribute == kNoted) {
      work.actions.push_back(forget_draft(change, *found.card));
      continue;
    }
    if (!attribute.write) {
      const bool loads = attribute.activate && !context.reboot_planned &&
                         is_made_by_load(context.facts, change.resource, attribute.attribute);
      if (loads) work.actions.push_back(load_draft(change, attribute));
      continue;
    }
    if (attribute.attribute == kVfs) {
      const EsxModule module = FABRIC_TRY(module_options(context.facts, kCardDriver));
      work.actions.push_back(vfs_draft(
          change,
          attribute,
          context.facts,
          *cards,
          card,
          option_value(module, kMaxVfs).value_or("")));
    } else {
      work.actions.push_back(passthrough_draft(
          change,
          attribute,
          *found.card,
          moved_entries(
              change, context.facts, *cards, *found.card, attribute.desired == Value{true})));
    }
  }
  return work;
}

Map sriov_inventory(const NodeFacts& facts) {
  const auto said = virtual_functions_said(facts);
  if (!said) return {{"virtual_functions", unknown(said.error())}};
  Map functions;
  for (const auto& [nic, text] : *said) {
    const auto parsed = parse_esxcli_vf_list(text);
    if (!parsed) {
      functions.emplace(nic, unknown(parsed.error()));
    } else if (!parsed->empty()) {
      functions.emplace(nic, *to_value(*parsed).find("functions"));
    }
  }
  return {{"virtual_functions", std::move(functions)}};
}

}  // namespace

// "sriov": how many virtual functions the ports of a card have.
Provider sriov_provider() {
  return {
      .kind = kinds::kSriov,
      .probes = probes_of_sriov,
      .supports = sriov_supports,
      .observe = observe_sriov,
      .inventory = sriov_inventory,
      // From the note (sriov/functions_note.hpp).
      .orphans = sriov_orphans,
      .disruption = sriov_disruption,
      .work = work_on_sriov,
  };
}

// "passthrough": whether a guest has the whole card.
Provider passthrough_provider() {
  return {
      .kind = kinds::kPassthrough,
      .probes = probes_of_passthrough,
      .supports = sriov_supports,
      .observe = observe_sriov,
      .disruption = sriov_disruption,
      .work = work_on_sriov,
  };
}

}  // namespace fabric::providers::esxi
