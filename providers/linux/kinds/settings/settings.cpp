// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/diagnose.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/cards/observe_setting.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/kinds.hpp"
#include "providers/linux/kinds/module/module_files.hpp"
#include "providers/linux/kinds/settings/disturbed_ports.hpp"
#include "providers/linux/kinds/settings/driver_port_types.hpp"
#include "providers/linux/kinds/settings/former_values.hpp"
#include "providers/linux/kinds/settings/held_links.hpp"
#include "providers/linux/kinds/settings/settings_work.hpp"
#include "providers/linux/kinds/settings/told_settings.hpp"

namespace fabric::providers {

namespace {

std::vector<std::string> names_of(const Resource& resource) {
  std::vector<std::string> names;
  for (const auto& [name, desired] : resource.desired)
    names.push_back(name);
  return names;
}

// A BlueField whose own processors run the card (DPU mode): its firmware lives on while the host
// reboots, and `set` says "Skipped reset preparation" (mstflint, mlxcfg_generic_commander.cpp).
bool keeps_firmware(const CardSettings& settings) {
  constexpr std::int64_t kEmbeddedCpu = 1;
  const SettingRow* row = settings.table ? settings.table->find("INTERNAL_CPU_MODEL") : nullptr;
  if (row == nullptr) return false;
  const std::optional<std::string>& value = row->current ? row->current : row->next_boot;
  return value && setting_number(*value) == kEmbeddedCpu;
}

// In the document's word for the factory's value.
LayeredReading as_factory(
    const std::string& parameter, const CardSettings& settings, LayeredReading observed) {
  const std::optional<Value> factory = factory_value(parameter, settings);
  for (std::optional<Reading>* layer : {&observed.running, &observed.next_boot}) {
    if (!*layer) continue;
    if (!factory) {
      if (!(*layer)->is_unknown())
        *layer = Reading::unknown("the tool does not show the factory's value of " + parameter);
    } else if ((*layer)->equals(*factory)) {
      *layer = Reading::of(keys::kFactory);
    }
  }
  return observed;
}

// The document has it installed, and the resource waits for that; "" if nothing brings the tool.
std::string package_to_come(const Resource& resource) {
  for (const ResourceAddress& before : resource.after) {
    const bool brings = before.name == "mstflint" || before.name == "mft";
    if (before.kind == kinds::kPackage && brings) return before.name;
  }
  return {};
}

void report_no_tool(const Resource& resource, const NodeFacts& facts, Diagnostics& diagnostics) {
  const std::string& node = facts.node.str();
  report_finding(
      diagnostics,
      resource,
      "package-missing",
      fmt::format(
          "{}: there is neither mstconfig nor mlxconfig to read and set {} of {}",
          node,
          join(names_of(resource), ", "),
          resource.address.name))
      .about(facts.node)
      .with_help(fmt::format("let fabric install it: nodes.{}.packages: [mstflint]", node));
}

}  // namespace

std::vector<Probe> SettingsProvider::probes() const {
  std::vector<Probe> probes = settings_probes();
  probes.push_back(pci_probe());
  probes.push_back(module_files_probe());
  return probes;
}

bool SettingsProvider::supports(const Resource& resource, std::string_view feature) const {
  const auto parameter = resource.desired.find(feature);
  return feature == "driver_link_type" ||
         (parameter != resource.desired.end() && parameter->second.value == Value{keys::kFactory});
}

std::vector<Resource> SettingsProvider::orphans(
    std::span<const Resource> wanted, const NodeFacts& facts) const {
  return left_settings(wanted, facts);
}

namespace {

Observation of_no_card(const Resource& asked, const std::string& why) {
  Observation observation{asked.address, {}};
  const Reading unknown = Reading::unknown(why);
  for (const auto& [parameter, desired] : asked.desired)
    observation.attributes[parameter] = {unknown, unknown, std::nullopt};
  return observation;
}

// Each parameter as it is asked for.
void read_parameters(
    const Resource& asked,
    const Resource& resource,
    const CardSettings& settings,
    const Card& card,
    const DriverPortTypes* by_driver,
    Observation& observation) {
  for (const auto& [parameter, desired] : resource.desired) {
    LayeredReading& reading = observation.attributes[parameter];
    reading = by_driver != nullptr && is_link_type(parameter)
                  ? by_driver->observe(parameter, desired.value)
                  : observe_setting(parameter, desired.value, settings, card);
    reading = or_more(resource, parameter, desired.value, std::move(reading));
    if (asked.desired.at(parameter).value == Value{keys::kFactory})
      reading = as_factory(parameter, settings, std::move(reading));
  }
}

}  // namespace

std::vector<Observation> SettingsProvider::observe(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) const {
  const std::vector<Card>& cards = inventory_of(facts);
  const ModuleFiles& modules = module_files(facts);
  std::vector<Observation> observations;
  for (const Resource& asked : wanted) {
    const FoundCard found = find_card(cards, asked.binding);
    if (found.card == nullptr) {
      observations.push_back(of_no_card(asked, found.why));
      continue;
    }
    Observation observation{asked.address, {}};
    CardSettings settings = settings_of(facts, found.card->address);
    const Resource resource = parameters_of(asked, settings);
    warn_of_held_links(resource, settings, diagnostics);
    const bool by_driver = is_set_by_driver(resource, *found.card, settings);
    if (settings.lacks_tool && !by_driver) {
      const std::string package = package_to_come(resource);
      if (package.empty()) report_no_tool(resource, facts, diagnostics);
      if (!package.empty()) {
        settings.why = fmt::format("it can be read when this package is installed: {}", package);
        settings.needs = {package};
      }
    }
    const DriverPortTypes types{*found.card, cards, modules};
    read_parameters(
        asked, resource, settings, *found.card, by_driver ? &types : nullptr, observation);
    if (const auto restore = asked.desired.find(keys::kRestore); restore != asked.desired.end()) {
      observation.attributes[std::string{keys::kRestore}] =
          restore_reading(restore->second.value, facts.node, settings, *found.card);
    }
    if (by_driver) {
      types.report(resource, diagnostics);
    } else {
      observation.attributes[kRecord] = {
          std::nullopt, std::nullopt, record_reading(resource, settings)};
    }
    observations.push_back(std::move(observation));
  }
  return observations;
}

std::map<std::string, Value, std::less<>> SettingsProvider::recorded(
    const Resource& resource, const NodeFacts& facts) const {
  const std::vector<Card>& cards = inventory_of(facts);
  const FoundCard found = find_card(cards, resource.binding);
  if (found.card == nullptr) return {};
  return recorded_settings(resource, settings_of(facts, found.card->address), *found.card);
}

std::map<std::string, LayeredReading, std::less<>> SettingsProvider::waiting(
    const Resource& resource, const NodeFacts& facts) const {
  const std::vector<Card>& cards = inventory_of(facts);
  const FoundCard found = find_card(cards, resource.binding);
  if (found.card == nullptr) return {};
  return waiting_settings(resource, settings_of(facts, found.card->address));
}

Disruption SettingsProvider::disruption(
    const NodeFacts& facts, const Resource& resource, std::string_view /*attribute*/) const {
  const std::vector<Card>& cards = inventory_of(facts);
  const FoundCard found = find_card(cards, resource.binding);
  if (found.card == nullptr) return Disruption::reboot;
  return keeps_firmware(settings_of(facts, found.card->address)) ? Disruption::power_cycle
                                                                 : Disruption::reboot;
}

Result<Work> SettingsProvider::work(const Change& change, const WorkContext& context) const {
  const std::vector<Card>& cards = inventory_of(context.facts);
  const FoundCard found = find_card(cards, change.resource.binding);
  if (found.card == nullptr) {
    return Error{
        ErrorCode::invalid, fmt::format("{}: {}", change.resource.address.str(), found.why)};
  }
  const CardSettings settings = settings_of(context.facts, found.card->address);
  const ModuleFiles& modules = module_files(context.facts);
  Result<Work> work = is_set_by_driver(change.resource, *found.card, settings)
                          ? DriverPortTypes{*found.card, cards, modules}.work(change)
                          : settings_work(change, *found.card, settings);
  if (work) add_disturbed_ports(change, *found.card, context.reboot_planned, *work);
  return work;
}

}  // namespace fabric::providers
