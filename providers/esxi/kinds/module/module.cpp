// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/diagnose.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx/module_options.hpp"
#include "providers/esxi/kinds/cards.hpp"
#include "providers/esxi/kinds/rows.hpp"
#include "providers/os/module_names.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr const char* kLoaded = "loaded";
constexpr const char* kShown[] = {
    "nmlx5_core", "nmlx5_rdma", "nmlx4_core", "nmlx4_en", "nmlx4_rdma", "nmst"};

// The running value is that of the next load, unless it was changed since the boot: the host does
// not show the options of a loaded driver (E-esxi-module-options).
LayeredReading option_reading(
    const NodeFacts& facts,
    const std::string& module,
    const std::string& key,
    const Value& wanted) {
  LayeredReading reading;
  const Result<EsxModule> options = module_options(facts, module);
  if (!options) {
    reading.next_boot = Reading::unknown(options.error().message);
    reading.running = reading.next_boot;
    return reading;
  }
  const std::optional<std::string> value = option_value(*options, key);
  reading.next_boot = !value                                    ? Reading::absent()
                      : same_parameter(*value, to_text(wanted)) ? Reading::of(wanted)
                                                                : Reading::of(*value);
  const Result<bool> pending = is_pending(facts, module, key);
  if (!pending) {
    reading.running = Reading::unknown(pending.error().message);
  } else {
    reading.running = *pending ? Reading::unknown("the driver does not show its loaded options")
                               : reading.next_boot;
  }
  return reading;
}

ActionDraft load_draft(const Change& change) {
  const std::string& module = change.resource.address.name;
  ActionDraft draft;
  draft.kind = methods::kModuleReload;
  draft.title = fmt::format("load {} and let the device manager look again", module);
  draft.stage = Stage::activate;
  draft.disruption = Disruption::driver;
  draft.steps.run(load_module(module));
  draft.irreversible = "a loaded driver is not unloaded";
  draft.postconditions.push_back({change.resource.address, kLoaded, Layer::running, true});
  return draft;
}

ActionDraft options_draft(const Change& change, const std::vector<OptionChange>& changes) {
  const std::string& module = change.resource.address.name;
  ActionDraft draft;
  draft.kind = methods::kModuleOptions;
  std::vector<std::string> texts;
  std::vector<OptionChange> undo;
  for (const OptionChange& each : changes)
    texts.push_back(each.key + "=" + *each.value);
  for (const AttributeChange& attribute : change.attributes) {
    if (attribute.attribute == kLoaded || !attribute.write) continue;
    const ResourceAddress& address = change.resource.address;
    draft.postconditions.push_back(
        {address, attribute.attribute, Layer::next_boot, attribute.desired});
    const Value* before =
        attribute.observed.next_boot ? attribute.observed.next_boot->value() : nullptr;
    draft.preconditions.push_back(
        {address, attribute.attribute, Layer::next_boot, before == nullptr ? Value{} : *before});
    undo.push_back(
        {attribute.attribute,
         before == nullptr ? std::nullopt : std::optional<std::string>{to_text(*before)},
         std::nullopt});
  }
  draft.title = fmt::format("set {} of {}", join(texts, " "), module);
  draft.steps.run(set_options(module, 0, changes));
  draft.undo.run(set_options(module, 0, undo));
  return draft;
}

// Drivers of the cards and the firmware tools' own module.
std::vector<Probe> probes_of_module() {
  std::vector<Probe> probes = module_option_probes();
  for (Probe& probe : card_probes())
    probes.push_back(std::move(probe));
  return probes;
}

bool module_supports(const Resource& /*resource*/, std::string_view /*feature*/) {
  return true;
}

// No key of the document brings a module to an ESXi host: its packages are of its image.
void report_missing(const Resource& resource, const NodeFacts& facts, Diagnostics& diagnostics) {
  report_finding(
      diagnostics,
      resource,
      "module-missing",
      fmt::format(
          "{}: the host has no module {}: `esxcli system module list` does not show it",
          facts.node.str(),
          std::string{resource.address.name}))
      .with_help(
          "correct the name in `modules`, or put the package of the module into the host's image");
}

std::vector<Observation> observe_module(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const std::string& name = resource.address.name;
    for (const auto& [attribute, desired] : resource.desired) {
      LayeredReading& reading = observation.attributes[attribute];
      if (attribute == kLoaded) {
        const Result<std::optional<bool>> loaded = is_loaded(facts, name);
        reading.running = loaded ? Reading::of(loaded->value_or(false))
                                 : Reading::unknown(loaded.error().message);
        if (loaded && !*loaded) report_missing(resource, facts, diagnostics);
      } else {
        reading = option_reading(facts, name, attribute, desired.value);
      }
    }
  });
}

Disruption module_disruption(
    const NodeFacts& /*facts*/, const Resource& /*resource*/, std::string_view attribute) {
  return attribute == kLoaded ? Disruption::driver : Disruption::reboot;
}

Result<Work> work_on_module(const Change& change, const WorkContext& context) {
  Work work;
  std::vector<OptionChange> changes;
  for (const AttributeChange& attribute : change.attributes) {
    if (attribute.attribute == kLoaded || !attribute.write) continue;
    OptionChange option{attribute.attribute, to_text(attribute.desired), std::nullopt};
    if (const std::string why = not_an_option(option); !why.empty())
      return impossible(change.resource, why);
    changes.push_back(std::move(option));
  }
  if (!changes.empty()) work.actions.push_back(options_draft(change, changes));
  const Result<std::vector<EsxCard>> cards = cards_of(context.facts);
  for (ActionDraft& draft : work.actions) {
    if (cards) draft.disturbs = nics_of_driver(*cards);
  }
  if (change.activates(kLoaded) && !context.reboot_planned)
    work.actions.push_back(load_draft(change));
  return work;
}

Map module_inventory(const NodeFacts& facts) {
  Map modules;
  for (const char* name : kShown) {
    const Result<EsxModule> module = module_options(facts, name);
    if (module)
      modules.emplace(name, Map{{"enabled", module->enabled}, {"options", module->options_text}});
  }
  if (modules.empty()) {
    const Result<EsxModule> first = module_options(facts, kShown[0]);
    return {{"modules", unknown(first.error())}};
  }
  return {{"modules", std::move(modules)}};
}

}  // namespace

// "module": the options of a driver, as its next load will have them
// (E-esxi-module-options).
Provider module_provider() {
  return {
      .kind = kinds::kModule,
      .probes = probes_of_module,
      .supports = module_supports,
      .observe = observe_module,
      .inventory = module_inventory,
      .disruption = module_disruption,
      .work = work_on_module,
  };
}

}  // namespace fabric::providers::esxi
