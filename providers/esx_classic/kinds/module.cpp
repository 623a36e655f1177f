// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx/module_options.hpp"
#include "providers/esx_classic/kinds/host.hpp"
#include "providers/esx_classic/kinds/rows.hpp"
#include "providers/esx_classic/kinds/sh/scripts.hpp"
#include "providers/os/module_names.hpp"

namespace fabric::providers::esx_classic {

namespace {

constexpr const char* kLoaded = "loaded";
constexpr const char* kNetQueue = "NetQueue";
constexpr const char* kNetQueueProbe = "esx-netqueue";
constexpr const char* kShown[] = {"mlx4_en", "ib_basic", "ib_ipoib", "ib_srp"};

remote::Argv set_netqueue() {
  return {"sh", "-c", "PATH=$PATH:/usr/sbin\nesxcfg-advcfg -k TRUE netNetqueueEnabled && sync"};
}

// "netNetqueueEnabled = TRUE"
bool kernel_has_netqueue(const NodeFacts& facts) {
  const Result<std::string_view> said = esxi::answer(facts, kNetQueueProbe);
  if (!said) return false;
  const std::string text = to_lower(*said);
  return text.find("true") != std::string::npos || text.find("on by default") != std::string::npos;
}

Reading value_in(
    const NodeFacts& facts, const EsxModule& module, const std::string& key, const Value& wanted) {
  if (key == kLoaded) return Reading::of(module.enabled);
  const auto value = esxi::option_value(module, key);
  if (!value) return Reading::absent();
  if (!same_parameter(*value, to_text(wanted))) return Reading::of(*value);
  if (key == kNetQueue && !kernel_has_netqueue(facts))
    return Reading::of(*value + ", but NetQueue is off in the kernel");
  return Reading::of(wanted);
}

// The options that a module was loaded with are not shown: they are those of the next boot, unless
// these were changed since the boot (E-esx-module-options).
LayeredReading reading_of(
    const NodeFacts& facts, const std::string& name, const std::string& key, const Value& wanted) {
  LayeredReading reading;
  const auto module = module_of(facts, name);
  const Result<bool> running = runs(facts, name);
  const Result<bool> pending = is_pending(facts, name, key);
  if (!module || !running || !pending) {
    const Error& error = !module ? module.error() : !running ? running.error() : pending.error();
    reading.running = reading.next_boot = Reading::unknown(error.message);
    return reading;
  }
  reading.next_boot = *module ? value_in(facts, **module, key, wanted) : Reading::absent();
  if (key == kLoaded) {
    reading.running = Reading::of(*running);
  } else if (!*running) {
    reading.running = Reading::absent();
  } else {
    reading.running = *pending ? Reading::unknown("the driver does not show its loaded options")
                               : reading.next_boot;
  }
  return reading;
}

std::vector<Probe> probes_of_module() {
  std::vector<Probe> probes = module_probes();
  for (Probe& probe : card_probes())
    probes.push_back(std::move(probe));
  probes.push_back({kNetQueueProbe, std::string{sh::probe_esx_netqueue.text}});
  return probes;
}

std::vector<Observation> observe_module(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    for (const auto& [key, desired] : resource.desired)
      observation.attributes[key] = reading_of(facts, resource.address.name, key, desired.value);
  });
}

Map module_inventory(const NodeFacts& facts) {
  Map modules;
  for (const char* name : kShown) {
    const auto module = module_of(facts, name);
    if (!module) return {{"modules", esxi::unknown(module.error())}};
    if (*module)
      modules.emplace(
          name, Map{{"enabled", (*module)->enabled}, {"options", (*module)->options_text}});
  }
  return {{"modules", std::move(modules)}};
}

Result<Work> work_on_module(const Change& change, const WorkContext& context) {
  const ResourceAddress& address = change.resource.address;
  ActionDraft draft;
  draft.kind = methods::kModuleOptions;
  std::vector<OptionEdit> edits, undo;
  std::vector<std::string> texts;
  Work work;
  for (const AttributeChange& attribute : change.attributes) {
    if (!attribute.write) continue;
    const std::string& key = attribute.attribute;
    const Condition wanted{address, key, Layer::next_boot, attribute.desired};
    if (key == kLoaded) {
      ActionDraft enable;
      enable.kind = methods::kModuleOptions;
      enable.title = fmt::format("load {} at each boot", address.name);
      enable.steps.run(enable_module(address.name, true));
      enable.undo.run(enable_module(address.name, false));
      enable.postconditions.push_back(wanted);
      work.actions.push_back(std::move(enable));
      continue;
    }
    const std::string value = to_text(attribute.desired);
    if (const std::string why = esxi::not_an_option({key, value, std::nullopt}); !why.empty())
      return impossible(change.resource, why);
    const Value* before =
        attribute.observed.next_boot ? attribute.observed.next_boot->value() : nullptr;
    edits.push_back({key, value});
    undo.push_back({key, before == nullptr ? std::nullopt : std::optional{to_text(*before)}});
    texts.push_back(fmt::format("{}={}", key, value));
    draft.postconditions.push_back(wanted);
    draft.preconditions.push_back(
        {address, key, Layer::next_boot, before == nullptr ? Value{} : *before});
    if (key == kNetQueue && !kernel_has_netqueue(context.facts)) draft.steps.run(set_netqueue());
  }
  if (edits.empty()) return work;
  draft.title =
      fmt::format("set {} of {}, and keep its other options", join(texts, " "), address.name);
  draft.disturbs = nics_of_drivers(context.facts);
  draft.steps.run(edit_options(address.name, edits));
  draft.undo.run(edit_options(address.name, undo));
  work.actions.push_back(std::move(draft));
  return work;
}

}  // namespace

// Options of the drivers for the next boot: uplinks of IPoIB, SRP, NetQueue (E-esx-uplinks).
Provider module_provider() {
  return {
      .kind = kinds::kModule,
      .probes = probes_of_module,
      .supports = [](const Resource&, std::string_view) { return true; },
      .observe = observe_module,
      .inventory = module_inventory,
      .disruption = always(Disruption::reboot),
      .work = work_on_module,
  };
}

}  // namespace fabric::providers::esx_classic
