// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/settings/former_values.hpp"

#include <algorithm>
#include <utility>

#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/value/lists.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

namespace fabric::providers {

namespace {

using Names = std::set<std::string, std::less<>>;

constexpr const char* kGivenBack = "given_back";
constexpr const char* kSerial = "serial";

Names names_in(const Map& map, std::string_view key) {
  Names names;
  for (const Value& each : value_at(map, key).items())
    names.insert(to_text(each));
  return names;
}

// The boot in which values were given back has ended.
bool has_booted_since(const CardSettings& settings) {
  return !settings.given_back_in.empty() && !settings.boot_id.empty() &&
         settings.given_back_in != settings.boot_id;
}

Value present_value(const CardSettings& settings, const std::string& parameter) {
  const SettingRow* row = settings.table ? settings.table->find(parameter) : nullptr;
  if (row == nullptr || !row->next_boot) return {};
  const auto number = setting_number(*row->next_boot);
  return number ? Value{*number} : Value{*row->next_boot};
}

const Resource* wanted_of(
    std::span<const Resource> wanted, const std::vector<Card>& cards, const Card& card) {
  const auto found = std::ranges::find_if(
      wanted, [&](const Resource& each) { return find_card(cards, each.binding).card == &card; });
  return found == wanted.end() ? nullptr : &*found;
}

bool is_given_back(const Change& change, const std::string& parameter) {
  return change.resource.bound_map(keys::kGiveBack).contains(parameter);
}

// The observed value of a parameter that is about to be written.
Value observed_before(const AttributeChange& attribute) {
  const std::optional<Reading>& before = attribute.observed.next_boot;
  const Value* value = before ? before->value() : nullptr;
  return value == nullptr ? Value{} : *value;
}

// The former values in the file after `change`.
FormerValues after(const Change& change, FormerValues former) {
  const auto wanted = change.resource.desired.find(keys::kRestore);
  if (wanted != change.resource.desired.end()) {
    former.restore.clear();
    for (const Value& each :
         wanted->second.value.as_list() == nullptr ? List{} : *wanted->second.value.as_list())
      former.restore.insert(to_text(each));
  }
  for (const AttributeChange& attribute : change.attributes) {
    if (attribute.attribute == keys::kRestore || !attribute.write) continue;
    if (is_given_back(change, attribute.attribute)) {
      former.given_back.insert(attribute.attribute);
      continue;
    }
    former.given_back.erase(attribute.attribute);
    former.values.emplace(attribute.attribute, observed_before(attribute));
  }
  return former;
}

std::string render(const FormerValues& former, const Change& change, const Card& card) {
  Resource written = change.resource;
  for (const std::string_view key :
       {keys::kGiveBack, keys::kFormer, keys::kPresent, keys::kRestore}) {
    if (const auto found = written.binding.find(key); found != written.binding.end())
      written.binding.erase(found);
  }
  written.desired.clear();
  for (const auto& [name, value] : former.values)
    written.desired.emplace(name, DesiredAttribute{name, {}, {}});
  if (!former.restore.empty()) written.binding.emplace(keys::kRestore, to_list(former.restore));
  if (!former.given_back.empty()) written.binding.emplace(kGivenBack, to_list(former.given_back));
  if (!card.serial.empty()) written.binding.emplace(kSerial, card.serial);
  Map before;
  for (const auto& [name, value] : former.values)
    before.emplace(name, value);
  return owned_marker(written, before);
}

}  // namespace

std::optional<FormerValues> former_values(
    const NodeName& node, const CardSettings& settings, const Card& card) {
  if (!settings.before_file) return std::nullopt;
  std::optional<Resource> written = owned_resource(node, *settings.before_file);
  if (!written) return std::nullopt;
  if (const auto serial = written->binding.find(kSerial); serial != written->binding.end()) {
    if (!card.serial.empty() && to_text(serial->second) != card.serial) return std::nullopt;
    written->binding.erase(serial);
  }
  FormerValues former{
      {},
      names_in(written->binding, keys::kRestore),
      names_in(written->binding, kGivenBack),
      *std::move(written)};
  if (const auto given = former.written.binding.find(kGivenBack);
      given != former.written.binding.end())
    former.written.binding.erase(given);
  for (const auto& [name, value] : owned_before(*settings.before_file))
    former.values.emplace(name, value);
  if (has_booted_since(settings)) {
    for (const std::string& name : former.given_back)
      former.values.erase(name);
    former.given_back.clear();
  }
  if (former.values.empty()) return std::nullopt;
  return former;
}

std::vector<Resource> left_settings(std::span<const Resource> wanted, const NodeFacts& facts) {
  const std::vector<Card>& cards = inventory_of(facts);
  std::vector<Resource> left;
  for (const Card& card : cards) {
    const CardSettings settings = settings_of(facts, card.address);
    const std::optional<FormerValues> former = former_values(facts.node, settings, card);
    if (!former) continue;
    const Resource* same = wanted_of(wanted, cards, card);
    Resource orphan = former->written;
    orphan.desired.clear();
    if (same != nullptr) orphan.address = same->address;
    Map values;
    Map present;
    for (const auto& [name, value] : former->values) {
      if (same != nullptr && same->desired.contains(name)) continue;
      orphan.desired.emplace(name, DesiredAttribute{});
      values.emplace(name, value);
      present.emplace(name, present_value(settings, name));
    }
    // The document no longer says that they are to be given back.
    const bool restores = same != nullptr && same->desired.contains(keys::kRestore);
    if (same != nullptr && !restores && !former->restore.empty())
      orphan.desired.emplace(keys::kRestore, DesiredAttribute{});
    if (orphan.desired.empty()) continue;
    orphan.binding.insert_or_assign(std::string{keys::kFormer}, std::move(values));
    orphan.binding.insert_or_assign(std::string{keys::kPresent}, std::move(present));
    orphan.binding.insert_or_assign(std::string{keys::kRestore}, to_list(former->restore));
    left.push_back(std::move(orphan));
  }
  return left;
}

LayeredReading restore_reading(
    const Value& desired, const NodeName& node, const CardSettings& settings, const Card& card) {
  const std::optional<FormerValues> former = former_values(node, settings, card);
  // Nothing of fabric's is on the card, so that there is nothing to be noted beside it.
  if (!former) {
    return {
        std::nullopt, std::nullopt, desired.is_null() ? Reading::absent() : Reading::of(desired)};
  }
  return {
      std::nullopt,
      std::nullopt,
      former->restore.empty() ? Reading::absent() : Reading::of(to_list(former->restore))};
}

bool keep_former_values(
    const Change& change,
    const CardSettings& settings,
    const Card& card,
    ActionDraft& draft,
    WorkSteps& notes) {
  const NodeName& node = change.resource.address.node;
  std::optional<FormerValues> now = former_values(node, settings, card);
  const FormerValues next = after(change, now ? *now : FormerValues{{}, {}, {}, change.resource});
  const std::string content = render(next, change, card);
  if (next.values.empty() || content == settings.before_file) return false;
  const std::string path = before_path(card.address);
  const std::string given_back = given_back_path(card.address);
  replace_file(draft, {path, content}, former_text(settings.before_file));
  if (!next.given_back.empty() || settings.given_back_file)
    remove_file(draft, given_back, former_text(settings.given_back_file));
  if (!next.given_back.empty()) notes.run(note_boot(given_back));
  return true;
}

const std::string* former_text(const std::optional<std::string>& file) {
  return file ? &*file : nullptr;
}

remote::Argv note_boot(const std::string& path) {
  return {"sh", "-c", sh::settings_note_boot, "fabric-boot", path};
}

}  // namespace fabric::providers
