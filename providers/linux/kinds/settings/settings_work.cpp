// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/settings/settings_work.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/action_methods.hpp"
#include "providers/cards/observe_setting.hpp"
#include "providers/linux/kinds/settings/former_values.hpp"

namespace fabric::providers {

namespace {

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
    return std::any_of(
        change_.attributes.begin(),
        change_.attributes.end(),
        [&](const AttributeChange& attribute) {
          return parameters_.desired.contains(attribute.attribute) &&
                 needs_record(attribute.attribute, settings_, card_);
        });
  }

  bool changes_restore() const {
    return std::any_of(
        change_.attributes.begin(), change_.attributes.end(), [](const AttributeChange& each) {
          return each.attribute == keys::kRestore;
        });
  }

  std::string where() const {
    return fmt::format("{} ({})", change_.resource.address.name, card_.address.str());
  }

  // Of all that the document wants of the card, not only of what changes now: what was proven by
  // the record before must stay proven. The boot id goes first and comes back before the set, so
  // that no interruption leaves new values beside the boot id of an earlier set.
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

}  // namespace

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

std::optional<Value> factory_value(const std::string& parameter, const CardSettings& settings) {
  const SettingRow* row = settings.table ? settings.table->find(parameter) : nullptr;
  if (row == nullptr || !row->default_value) return std::nullopt;
  const auto number = setting_number(*row->default_value);
  if (!number) return std::nullopt;
  return Value{*number};
}

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

Result<Work> settings_work(const Change& change, const Card& card, const CardSettings& settings) {
  return SettingsWork{change, card, settings}.make();
}

}  // namespace fabric::providers
