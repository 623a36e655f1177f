// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/settings/settings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/diagnose.hpp"
#include "engine/provider/owned_file.hpp"
#include "engine/provider/second_round.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/cards/observe_setting.hpp"
#include "providers/linux/adapter/inventory.hpp"
#include "providers/linux/module/module_files.hpp"
#include "providers/linux/settings/disturbed_ports.hpp"
#include "providers/linux/settings/driver_port_types.hpp"
#include "providers/linux/settings/held_links.hpp"
#include "providers/linux/settings/told_settings.hpp"

namespace fabric::providers {

namespace {

using Attributes = std::vector<const AttributeChange*>;

std::vector<std::string> names_of(const Resource& resource) {
  std::vector<std::string> names;
  for (const auto& [name, desired] : resource.desired)
    names.push_back(name);
  return names;
}

std::string assignment(const AttributeChange& attribute, const Value& value) {
  return fmt::format("{}={}", attribute.attribute, to_text(value));
}

std::vector<std::string> assignments(const Attributes& attributes) {
  std::vector<std::string> list;
  list.reserve(attributes.size());
  for (const AttributeChange* attribute : attributes)
    list.push_back(assignment(*attribute, attribute->desired));
  std::sort(list.begin(), list.end());
  return list;
}

// $1 the file. Whole or not there: half of an id would be that of another boot.
constexpr const char* kNoteBoot = R"sh(new=${1%/*}/.fabric-new.$$
cp /proc/sys/kernel/random/boot_id "$new" && sync "$new" && mv -f "$new" "$1" ||
  { rm -f "$new"; exit 1; }
sync "${1%/*}" 2>/dev/null || sync)sh";

// Beside the parameters: whether what the document wants was recorded, and in which boot. What
// recording an already armed value is judged by; nothing else would differ after it.
constexpr const char* kRecord = "record";
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

// A BlueField whose own processors run the card (DPU mode): its firmware lives on while the host
// reboots, and `set` says "Skipped reset preparation" (mstflint, mlxcfg_generic_commander.cpp).
bool keeps_firmware(const CardSettings& settings) {
  constexpr std::int64_t kEmbeddedCpu = 1;
  const SettingRow* row = settings.table ? settings.table->find("INTERNAL_CPU_MODEL") : nullptr;
  if (row == nullptr) return false;
  const std::optional<std::string>& value = row->current ? row->current : row->next_boot;
  return value && setting_number(*value) == kEmbeddedCpu;
}

// Makes the drafts of one card.
class SettingsWork {
 public:
  SettingsWork(const Change& change, const Card& card, CardSettings settings)
      : change_{change}, card_{card}, settings_{std::move(settings)} {}

  Result<Work> make() const {
    Attributes first;
    Attributes then;
    for (const AttributeChange& attribute : change_.attributes) {
      if (!attribute.write) continue;
      const SettingRow* row =
          settings_.table ? settings_.table->find(attribute.attribute) : nullptr;
      if (row != nullptr && row->read_only) {
        return Error{
            ErrorCode::invalid,
            fmt::format(
                "{}: {} is read-only on this card",
                change_.resource.address.str(),
                attribute.attribute)};
      }
      (attribute.attribute == kAdvancedPciSettings ? first : then).push_back(&attribute);
    }
    const bool two_steps =
        !first.empty() && std::any_of(then.begin(), then.end(), [](const auto* attribute) {
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
    return work;
  }

 private:
  // A value that only a record can prove to be in force differs, and the record is not made.
  bool wants_record() const {
    if (record_reading(change_.resource, settings_).equals(kThisBoot)) return false;
    return std::any_of(
        change_.attributes.begin(),
        change_.attributes.end(),
        [&](const AttributeChange& attribute) {
          return needs_record(attribute.attribute, settings_, card_);
        });
  }

  std::string where() const {
    return fmt::format("{} ({})", change_.resource.address.name, card_.address.str());
  }

  // Of all that the document wants of the card, not only of what changes now: what was proven by
  // the record before must stay proven. The boot id goes first and comes back before the set, so
  // that no interruption leaves new values beside the boot id of an earlier set.
  void add_record(ActionDraft& draft) const {
    std::string content = owned_marker(change_.resource.address);
    content +=
        "# What was set on this card; in force once the boot id differs from the one beside.\n";
    for (const auto& [name, desired] : change_.resource.desired) {
      content += fmt::format("{}={}\n", name, to_text(desired.value));
    }
    const std::string record = record_path(card_.address);
    const std::string boot_id = boot_id_path(card_.address);
    draft.writes.push_back({record, content, 0644, "root:root"});
    draft.removes.push_back(boot_id);
    draft.commands.push_back({"sh", "-c", kNoteBoot, "fabric-boot", boot_id});
    draft.postconditions.push_back(
        {change_.resource.address, kRecord, Layer::persistent, kThisBoot});
    put_back(draft, record, settings_.record.record_file);
    put_back(draft, boot_id, settings_.record.boot_id_file);
  }

  static void put_back(
      ActionDraft& draft, const std::string& path, const std::optional<std::string>& content) {
    if (content) {
      draft.undo_writes.push_back({path, *content, 0644, "root:root"});
    } else {
      draft.undo_removes.push_back(path);
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
    const std::vector<std::string> values = assignments(attributes);
    ActionDraft action =
        draft(methods::kSettingsSet, fmt::format("set {} on {}", join(values, " "), where()));
    if (wants_record()) add_record(action);
    remote::Argv argv{settings_.tool, "-d", card_.address.str(), "-y", "set"};
    remote::Argv undo = argv;
    argv.insert(argv.end(), values.begin(), values.end());
    action.commands.push_back(std::move(argv));
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
    if (undo.size() > 5) action.undo_commands.push_back(std::move(undo));
    return action;
  }

  ActionDraft record_only() const {
    ActionDraft action =
        draft(methods::kSettingsRecord, fmt::format("record the settings of {}", where()));
    add_record(action);
    for (const AttributeChange& attribute : change_.attributes) {
      const Condition holds{
          change_.resource.address, attribute.attribute, Layer::next_boot, attribute.desired};
      action.preconditions.push_back(holds);
      action.postconditions.push_back(holds);
    }
    return action;
  }

  const Change& change_;
  const Card& card_;
  CardSettings settings_;
};

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

bool SettingsProvider::supports(const Resource& /*resource*/, std::string_view feature) const {
  return feature == "driver_link_type";
}

std::vector<Observation> SettingsProvider::observe(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) const {
  const std::vector<Card>& cards = inventory_of(facts);
  const ModuleFiles& modules = module_files(facts);
  std::vector<Observation> observations;
  for (const Resource& resource : wanted) {
    Observation observation{resource.address, {}};
    const FoundCard found = find_card(cards, resource.binding);
    CardSettings settings =
        found.card != nullptr ? settings_of(facts, found.card->address) : CardSettings{};
    if (found.card == nullptr) {
      const Reading unknown = Reading::unknown(found.why);
      for (const auto& [parameter, desired] : resource.desired)
        observation.attributes[parameter] = {unknown, unknown, std::nullopt};
      observations.push_back(std::move(observation));
      continue;
    }
    warn_of_held_links(resource, settings, diagnostics);
    const bool by_driver = is_set_by_driver(resource, *found.card, settings);
    if (settings.lacks_tool && !by_driver) {
      const std::string package = package_to_come(resource);
      if (package.empty()) report_no_tool(resource, facts, diagnostics);
      if (!package.empty()) settings.why = unknown_without(package).why();
    }
    const DriverPortTypes types{*found.card, cards, modules};
    for (const auto& [parameter, desired] : resource.desired) {
      observation.attributes[parameter] =
          by_driver && is_link_type(parameter)
              ? types.observe(parameter, desired.value)
              : observe_setting(parameter, desired.value, settings, *found.card);
      LayeredReading& reading = observation.attributes[parameter];
      reading = or_more(resource, parameter, desired.value, std::move(reading));
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
                          : SettingsWork{change, *found.card, settings}.make();
  if (work) add_disturbed_ports(change, *found.card, context.reboot_planned, *work);
  return work;
}

}  // namespace fabric::providers
