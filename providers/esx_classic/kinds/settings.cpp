// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/esx/module_options.hpp"
#include "providers/esx_classic/kinds/host.hpp"
#include "providers/esx_classic/kinds/rows.hpp"
#include "providers/esx_classic/parsers/esxcfg_lists.hpp"

namespace fabric::providers::esx_classic {

namespace {

constexpr std::string_view kLinkType = "LINK_TYPE_P";
constexpr std::int64_t kInfiniband = 1;
constexpr std::int64_t kEthernet = 2;

bool is_esx_3(std::string_view version) {
  return version.starts_with("3.");
}

// 0: it is no link type.
std::uint32_t port_of(std::string_view parameter) {
  if (!parameter.starts_with(kLinkType)) return 0;
  return static_cast<std::uint32_t>(
      parse_unsigned(parameter.substr(kLinkType.size()), 10).value_or(0));
}

// The type of a port at the next boot: the driver's option for the port, or for all ports.
Reading next_type(const EsxModule& driver, const Card& card, std::uint32_t port) {
  const auto types =
      parse_port_types(esxi::option_value(driver, kPortTypes).value_or(std::string{}));
  if (!types) return Reading::of(types.error().message);
  if (const auto type = type_of(*types, card.address.bus(), port))
    return Reading::of(std::int64_t{*type});
  const auto all = esxi::option_value(driver, "port_type_default");
  const auto number = all ? parse_integer(*all) : std::nullopt;
  return number ? Reading::of(*number) : Reading::absent();
}

// A card that can't have the type of the option keeps its own, and only a log says so: the driver
// of the port's NIC is the better evidence (E-esx-port-types).
std::optional<std::int64_t> shown_type(
    const NodeFacts& facts, const Card& card, std::uint32_t port) {
  const Result<std::vector<EsxcfgNic>> nics = nics_of(facts);
  if (!nics) return std::nullopt;
  for (const EsxcfgNic& nic : nics_of_port(*nics, card, port)) {
    if (nic.driver == kCardDriver) return kEthernet;
    if (nic.driver == kIpoibDriver) return kInfiniband;
  }
  return std::nullopt;
}

LayeredReading type_reading(const NodeFacts& facts, const Card& card, std::string_view parameter) {
  LayeredReading reading;
  const std::uint32_t port = port_of(parameter);
  if (port == 0) {
    reading.running =
        Reading::unknown("fabric runs no firmware tool on ESX and reads only link types");
    return reading;
  }
  // Before ESX 4 there are no other types (E-esx-port-types).
  if (const Result<std::string> version = version_of(facts); version && is_esx_3(*version)) {
    reading.next_boot = Reading::of(kInfiniband);
    reading.running = reading.next_boot;
    return reading;
  }
  const auto driver = module_of(facts, kCardDriver);
  const Result<bool> running = runs(facts, kCardDriver);
  const Result<bool> pending = is_pending(facts, kCardDriver, kPortTypes);
  if (!driver || !running || !pending) {
    const Error& error = !driver ? driver.error() : !running ? running.error() : pending.error();
    reading.running = reading.next_boot = Reading::unknown(error.message);
    return reading;
  }
  reading.next_boot = *driver ? next_type(**driver, card, port) : Reading::absent();
  const auto shown = shown_type(facts, card, port);
  if (!*running) {
    reading.running = Reading::absent();
  } else if (shown) {
    reading.running = Reading::of(*shown);
  } else if (*pending) {
    reading.running = Reading::unknown("the driver does not show its loaded options");
  } else {
    reading.running = reading.next_boot;
  }
  return reading;
}

std::vector<Probe> probes_of_settings() {
  std::vector<Probe> probes = card_probes();
  for (Probe& probe : module_probes())
    probes.push_back(std::move(probe));
  probes.push_back(version_probe());
  return probes;
}

bool settings_supports(const Resource& /*resource*/, std::string_view feature) {
  return feature == "driver_link_type";
}

std::vector<Observation> observe_settings(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  const Result<std::vector<Card>> cards = cards_of(facts);
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    FoundCard found;
    if (cards) found = find_card(*cards, bound_by_what_is_known(resource, *cards).binding);
    for (const auto& [name, desired] : resource.desired) {
      LayeredReading& reading = observation.attributes[name];
      if (found.card == nullptr) {
        reading.running = Reading::unknown(cards ? found.why : cards.error().message);
        reading.next_boot = reading.running;
      } else {
        reading = type_reading(facts, *found.card, name);
      }
    }
  });
}

Result<Work> work_on_settings(const Change& change, const WorkContext& context) {
  const ResourceAddress& address = change.resource.address;
  const std::vector<Card> cards = FABRIC_TRY(cards_of(context.facts));
  const FoundCard found = find_card(cards, bound_by_what_is_known(change.resource, cards).binding);
  if (found.card == nullptr) return impossible(change.resource, found.why);
  if (const Result<std::string> version = version_of(context.facts); version && is_esx_3(*version))
    return impossible(
        change.resource,
        fmt::format("link types came with ESX 4; on {} all ports are InfiniBand", *version));
  const auto driver = module_of(context.facts, kCardDriver);
  const auto& after = change.resource.after;
  const bool is_brought = std::ranges::any_of(
      after, [](const ResourceAddress& each) { return each.kind == kinds::kSoftware; });
  if (driver && !*driver && !is_brought)
    return impossible(
        change.resource,
        fmt::format(
            "the host has no {}, which gives ports their link type; name the bundle that "
            "brings it: `software: {{bundles: [...]}}`",
            kCardDriver));
  ActionDraft draft;
  draft.kind = methods::kModuleOptions;
  std::vector<OptionEdit> edits, undo;
  std::vector<std::string> texts;
  for (const AttributeChange& attribute : change.attributes) {
    if (!attribute.write) continue;
    const std::string triplet =
        fmt::format("{},{}", found.card->address.bus(), port_of(attribute.attribute));
    const std::string type = to_text(attribute.desired);
    edits.push_back({kPortTypes, type, triplet});
    texts.push_back(fmt::format("{},{}", triplet, type));
    draft.postconditions.push_back(
        {address, attribute.attribute, Layer::next_boot, attribute.desired});
    const Value* before =
        attribute.observed.next_boot ? attribute.observed.next_boot->value() : nullptr;
    draft.preconditions.push_back(
        {address, attribute.attribute, Layer::next_boot, before == nullptr ? Value{} : *before});
    undo.push_back(
        {kPortTypes, before == nullptr ? std::nullopt : std::optional{to_text(*before)}, triplet});
  }
  if (edits.empty()) return Work{};
  draft.title = fmt::format(
      "set {} of {} to {} for {} ({}), and keep its other options",
      kPortTypes,
      kCardDriver,
      fmt::join(texts, ","),
      address.name,
      found.card->address.str());
  draft.disturbs = nics_of_drivers(context.facts);
  draft.steps.run(edit_options(kCardDriver, edits));
  draft.undo.run(edit_options(kCardDriver, undo));
  return Work{{std::move(draft)}};
}

}  // namespace

// Link types of ports, which the driver gives a card at the boot (E-esx-port-types).
Provider settings_provider() {
  return {
      .kind = kinds::kSettings,
      .probes = probes_of_settings,
      .supports = settings_supports,
      .observe = observe_settings,
      .disruption = always(Disruption::reboot),
      .work = work_on_settings,
  };
}

}  // namespace fabric::providers::esx_classic
