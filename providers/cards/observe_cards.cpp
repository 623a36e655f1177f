// SPDX-License-Identifier: Apache-2.0
#include "providers/cards/observe_cards.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/diagnose.hpp"
#include "engine/provider/provider.hpp"
#include "providers/cards/find_card.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kFirmwareMinimum = "firmware_minimum";

LayeredReading running(Reading reading) {
  return {std::move(reading), std::nullopt, std::nullopt};
}

Reading text_reading(const std::string& text, std::string_view what) {
  if (text.empty()) return Reading::unknown(fmt::format("the node does not show the {}", what));
  return Reading::of(text);
}

std::string list_text(const std::vector<const Card*>& cards) {
  std::vector<std::string> texts;
  texts.reserve(cards.size());
  for (const Card* card : cards)
    texts.push_back(card->text());
  return join(texts, ", ");
}

void report_missing(
    const Resource& resource,
    const FoundCard& found,
    const std::vector<Card>& cards,
    Diagnostics& diagnostics) {
  const std::string who = resource.address.node.str() + ": adapter " + resource.address.name;
  if (!found.other_port.empty()) {
    report_finding(
        diagnostics,
        resource,
        "adapter-second-port",
        fmt::format("{}: {}; port 1 of the adapter would be another one", who, found.other_port))
        .with_help(fmt::format(
            "select the card by its first port (pci {}), and cable its port {}",
            found.candidates.front()->address.str(),
            found.candidates.front()->ports.back().number));
    return;
  }
  if (!found.candidates.empty()) {
    report_finding(
        diagnostics,
        resource,
        "adapter-ambiguous",
        fmt::format("{}: {}: {}", who, found.why, list_text(found.candidates)))
        .with_help("give the adapter one of pci, node_guid, mac or serial");
    return;
  }
  std::vector<const Card*> all;
  all.reserve(cards.size());
  for (const Card& card : cards)
    all.push_back(&card);
  report_finding(
      diagnostics,
      resource,
      "adapter-missing",
      fmt::format(
          "{}: {}; the node has {}", who, found.why, all.empty() ? "no card" : list_text(all)))
      .with_help(
          "correct the model or the selector, or find out with `lspci -d 15b3:` why the card is "
          "not there");
}

void report_ports(const Resource& resource, const Card& card, Diagnostics& diagnostics) {
  const auto wanted = resource.binding.find(keys::kPorts);
  if (wanted == resource.binding.end() || wanted->second.as_integer() == nullptr) return;
  if (static_cast<std::int64_t>(card.ports.size()) >= *wanted->second.as_integer()) return;
  report_finding(
      diagnostics,
      resource,
      "adapter-missing",
      fmt::format(
          "{}: adapter {}: expected {} ports, card {} has {}",
          resource.address.node.str(),
          resource.address.name,
          *wanted->second.as_integer(),
          card.text(),
          card.ports.size()))
      .with_help("correct `ports`, or select another card");
}

// Two adapters that mean one card would undo each other's settings.
void report_shared(
    const Resource& resource, const Resource& other, const Card& card, Diagnostics& diagnostics) {
  report_finding(
      diagnostics,
      resource,
      "adapter-selector-reused",
      fmt::format(
          "{}: adapter {} and adapter {} are both card {}",
          resource.address.node.str(),
          other.address.name,
          resource.address.name,
          card.text()))
      .with_help(
          "one card is one adapter, with its ports: correct a selector, or remove an adapter");
}

void report_undecided(const Resource& resource, const Card& card, Diagnostics& diagnostics) {
  const auto wanted = resource.binding.find(keys::kPorts);
  const std::int64_t* count =
      wanted == resource.binding.end() ? nullptr : wanted->second.as_integer();
  for (const AdapterPort& port : card.ports) {
    if (port.undecided.empty() || (count != nullptr && port.number > *count)) continue;
    report_finding(
        diagnostics,
        resource,
        "interface-ambiguous",
        fmt::format(
            "{}: adapter {}: port {} of card {} has the interfaces {}, and nothing shows which of "
            "them is the port",
            resource.address.node.str(),
            resource.address.name,
            port.number,
            card.text(),
            join(port.undecided, ", ")))
        .with_help(
            "find the one that is the port (phys_port_name in /sys/class/net/NAME), and remove the "
            "others");
  }
}

// Satisfied reads as the desired value itself: a newer firmware is no difference.
Reading minimum_reading(
    const Resource& resource,
    const DesiredAttribute& desired,
    const Card& card,
    Diagnostics& diagnostics) {
  const std::string* minimum = desired.value.as_string();
  const Result<Version> wanted = Version::parse(minimum == nullptr ? "" : *minimum);
  const Result<Version> found = Version::parse(card.firmware);
  if (!wanted || !found) return text_reading("", "firmware version");
  if (*found >= *wanted) return Reading::of(desired.value);
  report_finding_at(
      diagnostics,
      resource,
      desired.source,
      "firmware-too-old",
      fmt::format(
          "{}: adapter {}: card {} has firmware {}, but the document asks for {} or newer",
          resource.address.node.str(),
          resource.address.name,
          card.address.str(),
          card.firmware,
          wanted->str()))
      .with_help("update the firmware, or lower `firmware.minimum`");
  // No plan can change it: the finding says what to do.
  return Reading::unknown(fmt::format("firmware {} is too old", card.firmware));
}

Observation observe_card(const Resource& resource, const Card& card, Diagnostics& diagnostics) {
  Observation observation{resource.address, {}};
  auto& attributes = observation.attributes;
  attributes["pci"] = running(Reading::of(card.address.str()));
  attributes["device_id"] = running(Reading::of(fmt::format("{:04x}", card.device_id)));
  attributes["ports"] = running(Reading::of(static_cast<std::int64_t>(card.ports.size())));
  attributes["firmware"] = running(text_reading(card.firmware, "firmware version"));
  attributes["psid"] = running(text_reading(card.psid, "PSID"));
  attributes["serial"] = running(text_reading(card.serial, "serial number"));
  attributes["part_number"] = running(text_reading(card.part_number, "part number"));
  // For a board with all slots in this host it is the GUID of the first port.
  const Result<Guid> image = Guid::parse(card.system_image);
  const bool is_shared = image && std::ranges::none_of(card.ports, [&](const AdapterPort& port) {
                           return port.node_guid == *image;
                         });
  if (is_shared) attributes["system_image"] = running(Reading::of(image->str()));
  if (!card.pcie_speed.empty()) attributes["pcie_speed"] = running(Reading::of(card.pcie_speed));
  if (card.pcie_width) attributes["pcie_width"] = running(Reading::of(*card.pcie_width));
  if (const auto minimum = resource.desired.find(kFirmwareMinimum);
      minimum != resource.desired.end()) {
    attributes[minimum->first] =
        running(minimum_reading(resource, minimum->second, card, diagnostics));
  }
  return observation;
}

}  // namespace

std::vector<Observation> observe_adapters(
    std::span<const Resource> wanted,
    const std::vector<Card>& cards,
    bool probed,
    Diagnostics& diagnostics) {
  std::map<const Card*, const Resource*> taken;
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const FoundCard found = find_card(cards, resource.binding);
    if (found.card != nullptr) {
      const auto [other, is_first] = taken.emplace(found.card, &resource);
      if (!is_first) report_shared(resource, *other->second, *found.card, diagnostics);
      observation = observe_card(resource, *found.card, diagnostics);
      report_ports(resource, *found.card, diagnostics);
      report_undecided(resource, *found.card, diagnostics);
      return;
    }
    const Reading unknown =
        Reading::unknown(probed ? found.why : "the PCI devices could not be read");
    observation.attributes["pci"] = running(unknown);
    for (const auto& [name, desired] : resource.desired)
      observation.attributes[name] = running(unknown);
    if (probed) report_missing(resource, found, cards, diagnostics);
  });
}

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
  const bool has_link_types = std::ranges::any_of(
      table.rows, [](const SettingRow& row) { return row.name.starts_with(kLinkType); });
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
  const List& names = resource.bound_list(keys::kAtLeast);
  const bool is_minimum = std::ranges::any_of(names, [&](const Value& name) {
    return name.as_string() != nullptr && *name.as_string() == parameter;
  });
  if (!is_minimum) return observed;
  for (std::optional<Reading>* layer : {&observed.running, &observed.next_boot})
    if (*layer) *layer = at_least(**layer, desired);
  return observed;
}

}  // namespace fabric::providers
