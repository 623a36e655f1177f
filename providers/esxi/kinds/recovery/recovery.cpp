// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/provider/action_methods.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx/module_options.hpp"
#include "providers/esxi/kinds/cards.hpp"
#include "providers/esxi/kinds/rows.hpp"
#include "providers/esxi/parsers/mst_status.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr const char* kShown = "shown";
constexpr const char* kMode = "mode";
constexpr const char* kNormal = "normal";
constexpr const char* kInRecovery = "recovery";
constexpr const char* kOption = "mst_recovery";
constexpr const char* kSequence = "recovery mode";

// Without the tool, or where its list can't be read, no boot would show anything.
Reading shown(
    const NodeFacts& facts, const Result<std::vector<EsxCard>>& cards, const Resource& resource) {
  if (!cards) return Reading::unknown(cards.error().message);
  const Result<std::string_view> list = answer(facts, "esxi-mst");
  if (!list) return Reading::unknown(list.error().message);
  if (const auto devices = parse_mst_status(*list); !devices)
    return Reading::unknown("mst status: " + devices.error().message);
  const std::vector<Card> all = plain(*cards);
  const FoundCard found = find_card(all, resource.binding);
  if (found.card == nullptr) return Reading::unknown(found.why);
  const EsxCard& card = (*cards)[static_cast<std::size_t>(found.card - all.data())];
  // If a guest has the card, no tool of the host needs to see it.
  return Reading::of(card.passed_through || !card.mst.empty());
}

LayeredReading mode(const NodeFacts& facts) {
  const auto text = [](bool recovers) {
    return Reading::of(recovers ? kInRecovery : kNormal);
  };
  const Result<EsxModule> module = module_options(facts, kCardDriver);
  if (!module) return {Reading::unknown(module.error().message), {}, {}};
  const bool next = option_value(*module, kOption).value_or("0") == "1";
  const Result<bool> pending = is_pending(facts, kCardDriver, kOption);
  if (!pending) return {Reading::unknown(pending.error().message), text(next), {}};
  return {text(*pending ? !next : next), text(next), {}};
}

ActionDraft option_draft(const Resource& resource, bool recovers) {
  ActionDraft draft;
  const OptionChange on{kOption, "1", std::nullopt};
  const OptionChange off{kOption, "0", std::nullopt};
  draft.steps.run(set_options(kCardDriver, 0, {recovers ? on : off}));
  draft.undo.run(set_options(kCardDriver, 0, {recovers ? off : on}));
  const Value after = recovers ? kInRecovery : kNormal;
  draft.postconditions.push_back({resource.address, kMode, Layer::next_boot, after});
  draft.after_boot.push_back({resource.address, kMode, Layer::running, after});
  return draft;
}

std::vector<Probe> probes_of_recovery() {
  std::vector<Probe> probes = card_probes();
  for (Probe& probe : module_option_probes())
    probes.push_back(std::move(probe));
  return probes;
}

std::vector<Observation> observe_recovery(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  const Result<std::vector<EsxCard>> cards = cards_of(facts);
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    observation.attributes[kShown].running = shown(facts, cards, resource);
    observation.attributes[kMode] = mode(facts);
  });
}

// A card that stays hidden in the recovery mode is not waited for: the driver has no NICs then, so
// the mode is left anyway, and the last boot reports that the card is not shown.
Result<Work> work_on_recovery(const Change& change, const WorkContext& context) {
  const auto& observed = context.observation.attributes;
  const auto& running = observed.at(kMode).running;
  const bool in_recovery = running && running->equals(kInRecovery);
  const bool hidden = std::ranges::any_of(change.attributes, [](const AttributeChange& attribute) {
    return attribute.attribute == kShown;
  });
  const bool leaves = std::ranges::any_of(change.attributes, [](const AttributeChange& attribute) {
    return attribute.attribute == kMode && attribute.write;
  });
  Work work;
  const Result<std::vector<EsxCard>> cards = cards_of(context.facts);
  const std::vector<std::string> disturbed =
      cards ? nics_of_driver(*cards) : std::vector<std::string>{};
  if (hidden && !in_recovery) {
    ActionDraft enter = option_draft(change.resource, true);
    enter.kind = methods::kRecoveryEnter;
    enter.title = fmt::format("load {} in its recovery mode at the next boot", kCardDriver);
    enter.boots_in = kSequence;
    enter.disturbs = disturbed;
    work.actions.push_back(std::move(enter));
  }
  if (!work.actions.empty() || leaves) {
    ActionDraft leave = option_draft(change.resource, false);
    leave.kind = methods::kRecoveryLeave;
    leave.title = fmt::format("load {} normally from the next boot on", kCardDriver);
    leave.disturbs = disturbed;
    work.actions.push_back(std::move(leave));
  }
  return work;
}

}  // namespace

// "recovery": a card that the firmware tools do not see is seen after a boot with
// the driver in its recovery mode, and a second boot ends that (E-esxi-recovery).
// `shown`, running: mst shows the card. `mode`: "recovery" or "normal"; next_boot by the option of
// the driver, running the same but where the option was changed since the boot, when it is the
// other one. Whatever step of the two boots a host is in, these tell it.
Provider recovery_provider() {
  return {
      .kind = kinds::kRecovery,
      .probes = probes_of_recovery,
      .observe = observe_recovery,
      .disruption = always(Disruption::reboot),
      .work = work_on_recovery,
  };
}

}  // namespace fabric::providers::esxi
