// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/diagnostic.hpp"
#include "engine/base/text.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/diagnose.hpp"
#include "providers/cards/card_settings.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/cards/observe_cards.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/module/module_files.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/settings/driver_port_types.hpp"
#include "providers/linux/kinds/settings/former_values.hpp"
#include "providers/linux/kinds/settings/told_settings.hpp"

namespace fabric::providers {

namespace {

// Sets the parameters of one card by its firmware tool.

// Beside the parameters: whether the document's values were recorded, and in which boot. The
// recording of an already armed value is judged by this; nothing else would differ after it.
inline constexpr const char* kRecord = "record";

using Attributes = std::vector<const AttributeChange*>;

std::string assignment(const AttributeChange& attribute, const Value& value) {
  return fmt::format("{}={}", attribute.attribute, to_text(value));
}

std::vector<std::string> assignments(const Attributes& attributes, const Resource& parameters) {
  std::vector<std::string> list;
  list.reserve(attributes.size());
  for (const AttributeChange* attribute : attributes)
    list.push_back(assignment(*attribute, parameters.desired.at(attribute->attribute).value));
  std::sort(list.begin(), list.end());
  return list;
}

constexpr const char* kThisBoot = "of this boot";
constexpr const char* kEarlierBoot = "of an earlier boot";

Reading record_reading(const Resource& resource, const CardSettings& settings) {
  const SettingsRecord& record = settings.record;
  if (!record.record_file) return Reading::absent();
  for (const auto& [name, desired] : resource.desired) {
    const auto recorded = record.values.find(name);
    if (recorded == record.values.end() || recorded->second != to_text(desired.value)) {
      return Reading::of("of other values");
    }
  }
  if (record.boot_id.empty() || settings.boot_id.empty()) return Reading::of("of an unknown boot");
  return Reading::of(record.boot_id == settings.boot_id ? kThisBoot : kEarlierBoot);
}

// The factory's value of a parameter. Nullopt: the tool does not show it.
std::optional<Value> factory_value(const std::string& parameter, const CardSettings& settings) {
  const SettingRow* row = settings.table ? settings.table->find(parameter) : nullptr;
  if (row == nullptr || !row->default_value) return std::nullopt;
  const auto number = setting_number(*row->default_value);
  if (!number) return std::nullopt;
  return Value{*number};
}

// The parameters alone, with the number of the factory in the place of "default" where the tool
// shows one.
Resource parameters_of(const Resource& resource, const CardSettings& settings) {
  Resource parameters = resource;
  parameters.desired.erase(keys::kRestore);
  for (auto& [name, desired] : parameters.desired.edit()) {
    if (desired.value != Value{keys::kFactory}) continue;
    if (std::optional<Value> factory = factory_value(name, settings))
      desired.value = *std::move(factory);
  }
  return parameters;
}

// Makes the drafts of one card.
class SettingsWork {
 public:
  SettingsWork(const Change& change, const Card& card, const CardSettings& settings)
      : change_{change},
        parameters_{parameters_of(change.resource, settings)},
        card_{card},
        settings_{settings} {}

  Result<Work> make() const {
    Attributes first;
    Attributes then;
    for (const AttributeChange& attribute : change_.attributes) {
      if (!attribute.write || attribute.attribute == keys::kRestore) continue;
      const SettingRow* row =
          settings_.table ? settings_.table->find(attribute.attribute) : nullptr;
      if (row != nullptr && row->read_only) {
        return impossible(
            change_.resource, fmt::format("{} is read-only on this card", attribute.attribute));
      }
      (attribute.attribute == kAdvancedPciSettings ? first : then).push_back(&attribute);
    }
    const bool two_steps = !first.empty() && std::ranges::any_of(then, [](const auto* attribute) {
      return attribute->attribute == kForceEthernetSubclass;
    });
    Work work;
    if (!two_steps) {
      then.insert(then.end(), first.begin(), first.end());
    } else {
      work.actions.push_back(set(first));
    }
    if (!then.empty()) {
      work.actions.push_back(set(then));
    } else if (work.actions.empty() && wants_record()) {
      work.actions.push_back(record_only());
    }
    if (work.actions.empty() && changes_restore()) {
      ActionDraft action =
          draft(methods::kSettingsRecord, fmt::format("record the former values of {}", where()));
      expect_restore(action);
      WorkSteps notes;
      if (keep_former_values(change_, settings_, card_, action, notes)) {
        action.steps.append(notes);
        work.actions.push_back(std::move(action));
      }
    }
    return work;
  }

 private:
  // A value that only a record can prove to be in force differs, and the record is not made.
  bool wants_record() const {
    if (record_reading(parameters_, settings_).equals(kThisBoot)) return false;
    return std::ranges::any_of(change_.attributes, [&](const AttributeChange& attribute) {
      return parameters_.desired.contains(attribute.attribute) &&
             needs_record(attribute.attribute, settings_, card_);
    });
  }

  bool changes_restore() const {
    return std::ranges::any_of(change_.attributes, [](const AttributeChange& each) {
      return each.attribute == keys::kRestore;
    });
  }

  std::string where() const {
    return fmt::format("{} ({})", change_.resource.address.name, card_.address.str());
  }

  // Records all values that the document wants of the card, not only those that change now: what
  // the former record proved must stay proven. The boot id is removed first and written again
  // before the set, so that no interruption leaves new values beside the boot id of an earlier set.
  void add_record(ActionDraft& draft, WorkSteps& notes) const {
    std::string content = owned_marker(change_.resource.address);
    content +=
        "# What was set on this card; in force once the boot id differs from the one beside.\n";
    for (const auto& [name, desired] : parameters_.desired) {
      content += fmt::format("{}={}\n", name, to_text(desired.value));
    }
    const std::string record = record_path(card_.address);
    const std::string boot_id = boot_id_path(card_.address);
    replace_file(draft, {record, content}, former_text(settings_.record.record_file));
    remove_file(draft, boot_id, former_text(settings_.record.boot_id_file));
    notes.run(note_boot(boot_id));
    draft.postconditions.push_back(
        {change_.resource.address, kRecord, Layer::persistent, kThisBoot});
  }

  void expect_restore(ActionDraft& draft) const {
    for (const AttributeChange& attribute : change_.attributes) {
      if (attribute.attribute != keys::kRestore) continue;
      draft.postconditions.push_back(
          {change_.resource.address, attribute.attribute, Layer::persistent, attribute.desired});
    }
  }

  ActionDraft draft(std::string_view kind, std::string title) const {
    ActionDraft draft;
    draft.kind = kind;
    draft.title = std::move(title);
    draft.stage = Stage::prepare;
    draft.disruption = Disruption::none;
    return draft;
  }

  ActionDraft set(const Attributes& attributes) const {
    const std::vector<std::string> values = assignments(attributes, parameters_);
    ActionDraft action =
        draft(methods::kSettingsSet, fmt::format("set {} on {}", join(values, " "), where()));
    WorkSteps notes;
    if (wants_record()) add_record(action, notes);
    if (keep_former_values(change_, settings_, card_, action, notes)) expect_restore(action);
    action.steps.append(notes);
    remote::Argv argv{settings_.tool, "-d", card_.address.str(), "-y", "set"};
    remote::Argv undo = argv;
    argv.insert(argv.end(), values.begin(), values.end());
    action.steps.run(std::move(argv));
    for (const AttributeChange* attribute : attributes) {
      const ResourceAddress& address = change_.resource.address;
      action.postconditions.push_back(
          {address, attribute->attribute, Layer::next_boot, attribute->desired});
      const std::optional<Reading>& before = attribute->observed.next_boot;
      const Value* value = before ? before->value() : nullptr;
      // A hidden one (absent) has no value to expect or to put back.
      if (value == nullptr) continue;
      action.preconditions.push_back({address, attribute->attribute, Layer::next_boot, *value});
      undo.push_back(assignment(*attribute, *value));
    }
    std::sort(undo.begin() + 5, undo.end());
    if (undo.size() > 5) action.undo.run(std::move(undo));
    return action;
  }

  ActionDraft record_only() const {
    ActionDraft action =
        draft(methods::kSettingsRecord, fmt::format("record the settings of {}", where()));
    WorkSteps notes;
    add_record(action, notes);
    action.steps.append(notes);
    for (const AttributeChange& attribute : change_.attributes) {
      if (attribute.attribute == keys::kRestore) continue;
      const Condition holds{
          change_.resource.address, attribute.attribute, Layer::next_boot, attribute.desired};
      action.preconditions.push_back(holds);
      action.postconditions.push_back(holds);
    }
    return action;
  }

  const Change& change_;
  const Resource parameters_;
  const Card& card_;
  const CardSettings& settings_;
};

// One `set` for all values that differ; two if a parameter shows itself only after another.
Result<Work> settings_work(const Change& change, const Card& card, const CardSettings& settings) {
  return SettingsWork{change, card, settings}.make();
}

// A card of a chain that keeps its link while its host is off.

constexpr std::string_view kChaining = "HOST_CHAINING_MODE";
constexpr std::string_view kHolding[] = {"KEEP_LINK_UP_ON_BOOT_P", "KEEP_LINK_UP_ON_STANDBY_P"};

bool holds(std::string_view parameter) {
  return parameter.starts_with(kHolding[0]) || parameter.starts_with(kHolding[1]);
}

// Rule `chain-link-held`, where the document asks the card to chain and the next boot holds the
// link of a port: the card forwards nothing then, and the neighbours see a carrier.
void warn_of_held_links(
    const Resource& resource, const CardSettings& settings, Diagnostics& diagnostics) {
  const auto chaining = resource.desired.find(kChaining);
  if (chaining == resource.desired.end() || chaining->second.value == Value{0} ||
      settings.table == nullptr)
    return;
  std::vector<std::string> held;
  for (const SettingRow& row : settings.table->rows) {
    const bool is_on = row.next_boot && setting_number(*row.next_boot).value_or(0) != 0;
    // The document's parameters are left out.
    if (is_on && holds(row.name) && !resource.desired.contains(row.name)) held.push_back(row.name);
  }
  if (held.empty()) return;
  diagnostics
      .warning(
          "chain-link-held",
          chaining->second.source,
          fmt::format(
              "{}: {} keeps links while its host is not running ({}): the neighbours see a carrier "
              "and send into a card that forwards nothing",
              resource.address.node.str(),
              resource.address.name,
              join(held, ", ")))
      .with_help(fmt::format("set `firmware: {{params: {{{}: 0}}}}`", join(held, ": 0, ")));
}

// Interfaces that a card's settings remove: a host that is reached by one of them is cut off.

constexpr std::string_view kLinkType = "LINK_TYPE_P";

// True for parameters that forward frames between ports, or set the function of a port. SR-IOV adds
// functions and leaves the ports alone.
bool is_of_all_ports(std::string_view parameter) {
  return parameter == "HOST_CHAINING_MODE" || parameter == "NUM_OF_PF";
}

bool disturbs(const AttributeChange& change, const AdapterPort& port) {
  // A value that runs already is only restored for the next boot.
  if (change.observed.running && change.observed.running->equals(change.desired)) return false;
  const std::string_view parameter = change.attribute;
  if (is_of_all_ports(parameter)) return true;
  return parameter.starts_with(kLinkType) &&
         parse_unsigned(parameter.substr(kLinkType.size()), 10) == port.number;
}

std::vector<std::string> disturbed_ports(const Change& change, const Card& card) {
  std::set<std::string> devices;
  for (const AttributeChange& attribute : change.attributes) {
    for (const AdapterPort& port : card.ports) {
      if (!port.netdev.empty() && disturbs(attribute, port)) devices.insert(port.netdev);
    }
  }
  return {devices.begin(), devices.end()};
}

// Notes in ActionDraft::disturbs the interfaces of the card that change at the boot that activates
// the change. If nothing is left to set and a reboot is planned, which changes them anyway, it adds
// an action of stage activate only for this note.
void add_disturbed_ports(const Change& change, const Card& card, bool reboot_planned, Work& work) {
  std::vector<std::string> devices = disturbed_ports(change, card);
  if (devices.empty()) return;
  if (!work.actions.empty()) {
    work.actions.back().disturbs = std::move(devices);
  } else if (reboot_planned) {
    ActionDraft draft;
    draft.kind = methods::kSettingsLoad;
    draft.stage = Stage::activate;
    draft.disturbs = std::move(devices);
    work.actions.push_back(std::move(draft));
  }
}

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

std::vector<Probe> probes_of_settings() {
  std::vector<Probe> probes = settings_probes();
  probes.push_back(pci_probe());
  probes.push_back(module_files_probe());
  return probes;
}

bool settings_supports(const Resource& resource, std::string_view feature) {
  const auto parameter = resource.desired.find(feature);
  return feature == "driver_link_type" ||
         (parameter != resource.desired.end() && parameter->second.value == Value{keys::kFactory});
}

std::vector<Observation> observe_settings(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const std::vector<Card>& cards = inventory_of(facts);
  const ModuleFiles& modules = module_files(facts);
  return observe_each(wanted, [&](const Resource& asked, Observation& observation) {
    const FoundCard found = find_card(cards, asked.binding);
    if (found.card == nullptr) {
      observation = of_no_card(asked, found.why);
      return;
    }
    CardSettings settings = settings_of(facts, found.card->address);
    const Resource resource = parameters_of(asked, settings);
    warn_of_held_links(resource, settings, diagnostics);
    const bool by_driver = is_set_by_driver(resource, *found.card, settings);
    if (settings.lacks_tool && !by_driver) {
      const std::string package = package_to_come(resource);
      if (package.empty()) report_no_tool(resource, facts, diagnostics);
      if (!package.empty()) {
        settings.why = fmt::format("to read it, install the package {}", package);
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
  });
}

std::map<std::string, Value, std::less<>> settings_recorded(
    const Resource& resource, const NodeFacts& facts) {
  const std::vector<Card>& cards = inventory_of(facts);
  const FoundCard found = find_card(cards, resource.binding);
  if (found.card == nullptr) return {};
  return recorded_settings(resource, settings_of(facts, found.card->address), *found.card);
}

std::map<std::string, LayeredReading, std::less<>> settings_waiting(
    const Resource& resource, const NodeFacts& facts) {
  const std::vector<Card>& cards = inventory_of(facts);
  const FoundCard found = find_card(cards, resource.binding);
  if (found.card == nullptr) return {};
  return waiting_settings(resource, settings_of(facts, found.card->address));
}

Disruption settings_disruption(
    const NodeFacts& facts, const Resource& resource, std::string_view /*attribute*/) {
  const std::vector<Card>& cards = inventory_of(facts);
  const FoundCard found = find_card(cards, resource.binding);
  if (found.card == nullptr) return Disruption::reboot;
  return keeps_firmware(settings_of(facts, found.card->address)) ? Disruption::power_cycle
                                                                 : Disruption::reboot;
}

Result<Work> work_on_settings(const Change& change, const WorkContext& context) {
  const std::vector<Card>& cards = inventory_of(context.facts);
  const FoundCard found = find_card(cards, change.resource.binding);
  if (found.card == nullptr) return impossible(change.resource, found.why);
  const CardSettings settings = settings_of(context.facts, found.card->address);
  const ModuleFiles& modules = module_files(context.facts);
  Result<Work> work = is_set_by_driver(change.resource, *found.card, settings)
                          ? DriverPortTypes{*found.card, cards, modules}.work(change)
                          : settings_work(change, *found.card, settings);
  if (work) add_disturbed_ports(change, *found.card, context.reboot_planned, *work);
  return work;
}

}  // namespace

// "settings": the firmware parameters of a card, by mlxconfig or mstconfig. A value that
// is set is in force after the next boot. The link types of a card that no such tool knows are its
// driver's matter (driver_port_types.hpp).
Provider settings_provider() {
  return {
      .kind = kinds::kSettings,
      .probes = probes_of_settings,
      .supports = settings_supports,
      .observe = observe_settings,
      // Settings that fabric has made and no document asks for, with the former values of the card.
      .orphans = left_settings,
      .recorded = settings_recorded,
      .waiting = settings_waiting,
      .disruption = settings_disruption,
      .work = work_on_settings,
      .folders = {"/etc/modprobe.d/", "/var/lib/fabric/settings/"},
  };
}

}  // namespace fabric::providers
