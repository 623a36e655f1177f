// SPDX-License-Identifier: Apache-2.0
#include "providers/cards/observe_setting.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"

namespace fabric::providers {

namespace {

constexpr std::int64_t kInfiniband = 1;
constexpr std::int64_t kEthernet = 2;
constexpr std::int64_t kVpi = 3;  // ConnectX-3: the port finds out by itself
constexpr std::string_view kLinkType = "LINK_TYPE_P";
constexpr std::string_view kClassEthernet = "0x020000";
constexpr std::string_view kClassInfiniband = "0x020700";

// "ETH(2)" to 2, or to "ETH" if that is how it is wanted. Nullopt for "N/A" and "Array[0..7]".
std::optional<Value> value_of(std::string_view shown, const Value& desired) {
  const std::optional<std::int64_t> number = setting_number(shown);
  const std::string* name = desired.as_string();
  if (name != nullptr) {
    if (to_lower(setting_name(shown)) == to_lower(*name) || shown == *name) return desired;
    if (number && parse_integer(*name) == number) return desired;
    const bool hex = name->starts_with("0x") || name->starts_with("0X");
    const auto written = hex ? parse_unsigned(name->substr(2), 16) : std::nullopt;
    if (number && written && static_cast<std::int64_t>(*written) == *number) return desired;
  }
  if (!number) return std::nullopt;
  return Value{*number};
}

Reading reading_of(
    const std::optional<std::string>& cell, std::string_view parameter, const Value& desired) {
  if (!cell) return Reading::unknown("the tool has no such column");
  if (std::optional<Value> value = value_of(*cell, desired)) return Reading::of(*std::move(value));
  return Reading::unknown(fmt::format("the tool shows {} for {}", *cell, parameter));
}

const AdapterPort* port_of(std::string_view parameter, const Card& card) {
  if (!parameter.starts_with(kLinkType)) return nullptr;
  const auto number = parse_unsigned(parameter.substr(kLinkType.size()), 10);
  return number && *number <= 255 ? card.find_port(static_cast<std::uint32_t>(*number)) : nullptr;
}

std::optional<std::int64_t> link_type(const AdapterPort* port) {
  if (port == nullptr) return std::nullopt;
  if (port->link_layer == LinkLayer::ethernet) return kEthernet;
  if (port->link_layer == LinkLayer::infiniband) return kInfiniband;
  return std::nullopt;
}

// The running value of a parameter as the kernel shows it; nullopt if the kernel does not show it.
std::optional<std::int64_t> kernel_evidence(std::string_view parameter, const Card& card) {
  if (card.ports.empty() || card.driver.empty()) return std::nullopt;
  const AdapterPort& first = card.ports.front();
  if (parameter.starts_with(kLinkType)) return link_type(port_of(parameter, card));
  if (parameter == "SRIOV_EN") return first.sriov_total.value_or(0) > 0 ? 1 : 0;
  if (parameter == "NUM_OF_VFS") return first.sriov_total;
  if (parameter == kForceEthernetSubclass && first.link_layer == LinkLayer::infiniband) {
    if (first.pci_class == kClassEthernet) return 1;
    if (first.pci_class == kClassInfiniband) return 0;
  }
  return std::nullopt;
}

Reading by_record(
    const std::string& parameter,
    const Reading& next_boot,
    const Value& desired,
    const CardSettings& settings) {
  const Value* next = next_boot.value();
  const auto recorded = settings.record.values.find(parameter);
  if (next == nullptr || recorded == settings.record.values.end()) {
    return Reading::unknown(
        "the card does not show the running value, and no record of the parameter exists");
  }
  const auto value = value_of(recorded->second, desired);
  if (!value || *value != *next) {
    return Reading::unknown(
        "the card does not show the running value, and the record is of another value");
  }
  if (settings.record.boot_id.empty() || settings.boot_id.empty()) {
    return Reading::unknown(
        "the card does not show the running value and the boot of the record is not known");
  }
  if (settings.record.boot_id == settings.boot_id) {
    return Reading::unknown("set in this boot and not yet in force");
  }
  return next_boot;
}

Reading running_of(
    const std::string& parameter,
    const Value& desired,
    const SettingRow& row,
    const CardSettings& settings,
    const Card& card) {
  if (settings.table->has_current && row.current && *row.current != "N/A") {
    return reading_of(row.current, parameter, desired);
  }
  const Reading next_boot = reading_of(row.next_boot, parameter, desired);
  // A port that senses its type shows one of the two: the record decides.
  const bool by_itself = parameter.starts_with(kLinkType) && next_boot.equals(kVpi);
  if (const auto shown = by_itself ? std::nullopt : kernel_evidence(parameter, card)) {
    const Value* next = next_boot.value();
    const bool same = next != nullptr && row.next_boot && setting_number(*row.next_boot) == shown;
    return same ? next_boot : Reading::of(*shown);
  }
  return by_record(parameter, next_boot, desired, settings);
}

LayeredReading both(const Reading& reading) {
  return {reading, reading, std::nullopt};
}

LayeredReading not_listed(
    const std::string& parameter,
    const Value& desired,
    const CardSettings& settings,
    const Card& card) {
  const SettingsTable& table = *settings.table;
  const SettingRow* advanced = table.find(kAdvancedPciSettings);
  if (parameter == kForceEthernetSubclass && advanced != nullptr && advanced->next_boot &&
      setting_number(*advanced->next_boot) == 0) {
    const auto shown = kernel_evidence(parameter, card);
    return {
        shown ? Reading::of(*shown) : Reading::unknown("hidden until ADVANCED_PCI_SETTINGS is set"),
        Reading::absent(),
        std::nullopt};
  }
  // EN cards have no such parameter on any port: their type never changes.
  const bool has_link_types =
      std::any_of(table.rows.begin(), table.rows.end(), [](const SettingRow& row) {
        return row.name.starts_with(kLinkType);
      });
  if (parameter.starts_with(kLinkType) && !has_link_types && !table.rows.empty()) {
    if (const auto fixed = link_type(port_of(parameter, card))) {
      const bool by_name = desired.as_string() != nullptr &&
                           to_lower(*desired.as_string()) == (*fixed == kEthernet ? "eth" : "ib");
      return both(Reading::of(by_name ? desired : Value{*fixed}));
    }
  }
  if (!settings.part_failed.empty()) {
    return both(Reading::unknown(
        fmt::format("{} could not read all of the card: {}", settings.tool, settings.part_failed)));
  }
  return both(Reading::unknown("not supported by this card or its firmware"));
}

}  // namespace

std::optional<std::int64_t> shown_link_type(std::string_view parameter, const Card& card) {
  return card.driver.empty() ? std::nullopt : link_type(port_of(parameter, card));
}

LayeredReading observe_setting(
    const std::string& parameter,
    const Value& desired,
    const CardSettings& settings,
    const Card& card) {
  if (!settings.table) return both(Reading::unknown(settings.why, settings.needs));
  const SettingRow* row = settings.table->find(parameter);
  if (row == nullptr) return not_listed(parameter, desired, settings, card);
  return {
      running_of(parameter, desired, *row, settings, card),
      reading_of(row->next_boot, parameter, desired),
      std::nullopt};
}

bool needs_record(const std::string& parameter, const CardSettings& settings, const Card& card) {
  if (!settings.table) return false;
  const SettingRow* row = settings.table->find(parameter);
  const bool shown =
      settings.table->has_current && row != nullptr && row->current && *row->current != "N/A";
  return !shown && !kernel_evidence(parameter, card);
}

std::map<std::string, Value, std::less<>> recorded_settings(
    const Resource& resource, const CardSettings& settings, const Card& card) {
  std::map<std::string, Value, std::less<>> recorded;
  for (const auto& [parameter, desired] : resource.desired) {
    const auto record = settings.record.values.find(parameter);
    if (record == settings.record.values.end() || !needs_record(parameter, settings, card))
      continue;
    if (std::optional<Value> value = value_of(record->second, desired.value))
      recorded.emplace(parameter, *std::move(value));
  }
  return recorded;
}

std::map<std::string, LayeredReading, std::less<>> waiting_settings(
    const Resource& resource, const CardSettings& settings) {
  std::map<std::string, LayeredReading, std::less<>> waiting;
  if (!settings.table || !settings.table->has_current) return waiting;
  for (const SettingRow& row : settings.table->rows) {
    if (resource.desired.contains(row.name) || !row.current || !row.next_boot) continue;
    const auto running = setting_number(*row.current);
    const auto next = setting_number(*row.next_boot);
    if (!running || !next || *running == *next) continue;
    waiting[row.name] = {Reading::of(*running), Reading::of(*next), std::nullopt};
  }
  return waiting;
}

LayeredReading or_more(
    const Resource& resource,
    const std::string& parameter,
    const Value& desired,
    LayeredReading observed) {
  const auto found = resource.binding.find(keys::kAtLeast);
  const List* names = found == resource.binding.end() ? nullptr : found->second.as_list();
  const bool is_minimum =
      names != nullptr && std::any_of(names->begin(), names->end(), [&](const Value& name) {
        return name.as_string() != nullptr && *name.as_string() == parameter;
      });
  if (!is_minimum) return observed;
  for (std::optional<Reading>* layer : {&observed.running, &observed.next_boot}) {
    const Value* value = *layer ? (*layer)->value() : nullptr;
    if (value == nullptr || value->as_integer() == nullptr || desired.as_integer() == nullptr)
      continue;
    if (*value->as_integer() > *desired.as_integer()) *layer = Reading::of(desired);
  }
  return observed;
}

}  // namespace fabric::providers
