// SPDX-License-Identifier: Apache-2.0
#include "engine/model/hardware.hpp"

#include <algorithm>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/schema/catalog.hpp"
#include "engine/value/json.hpp"

namespace fabric {

namespace {

std::uint32_t number(const Value& row, std::string_view key) {
  const Value* member = row.find(key);
  FABRIC_CHECK(
      member != nullptr && member->as_integer() != nullptr,
      "a row of schemas/hardware.json lacks a number");
  return static_cast<std::uint32_t>(*member->as_integer());
}

bool flag(const Value& row, std::string_view key) {
  const Value* member = row.find(key);
  FABRIC_CHECK(
      member != nullptr && member->as_bool() != nullptr,
      "a row of schemas/hardware.json lacks a truth value");
  return *member->as_bool();
}

std::string text(const Value& row, std::string_view key) {
  const Value* member = row.find(key);
  FABRIC_CHECK(
      member != nullptr && member->as_string() != nullptr,
      "a row of schemas/hardware.json lacks a text");
  return *member->as_string();
}

std::vector<std::string> texts(const Value& row, std::string_view key) {
  const Value* member = row.find(key);
  FABRIC_CHECK(
      member != nullptr && member->as_list() != nullptr,
      "a row of schemas/hardware.json lacks a list");
  std::vector<std::string> result;
  for (const Value& item : *member->as_list()) {
    FABRIC_CHECK(
        item.as_string() != nullptr,
        "a list of schemas/hardware.json holds something else than texts");
    result.push_back(*item.as_string());
  }
  return result;
}

HardwareModel decode_row(const Value& row) {
  HardwareModel model;
  model.slug = text(row, "slug");
  model.name = text(row, "name");
  model.aliases = texts(row, "aliases");
  model.family = text(row, "family");
  for (const std::string& id : texts(row, "device_ids")) {
    const auto parsed = parse_unsigned(id, 16);
    FABRIC_CHECK(parsed.has_value(), "a device id of schemas/hardware.json is not hexadecimal");
    model.device_ids.push_back(static_cast<std::uint32_t>(*parsed));
  }
  model.tool_name = text(row, "tool_name");
  model.driver = text(row, "driver");
  model.ports = number(row, "ports");
  model.infiniband_gbps = number(row, "infiniband_gbps");
  model.ethernet_gbps = number(row, "ethernet_gbps");
  model.infiniband = model.infiniband_gbps > 0;
  model.ethernet = model.ethernet_gbps > 0;
  model.host_chaining = flag(row, "host_chaining");
  model.roce_lag = flag(row, "roce_lag");
  model.current_settings = flag(row, "current_settings");
  model.pkeys = number(row, "pkeys");
  model.vfs = number(row, "vfs");
  model.firmware_major = number(row, "firmware_major");
  model.tool_last_version = text(row, "tool_last_version");
  model.pcie_generation = number(row, "pcie_generation");
  model.pcie_width = number(row, "pcie_width");
  model.source = text(row, "source");
  return model;
}

const List& table_rows(std::string_view key) {
  static const Result<Value> table = parse_json(schema::find_table("hardware.json"));
  FABRIC_CHECK(table.has_value(), "schemas/hardware.json is not valid JSON");
  const Value* rows = table.value().find(key);
  FABRIC_CHECK(
      rows != nullptr && rows->as_list() != nullptr, "schemas/hardware.json lacks a table");
  return *rows->as_list();
}

std::vector<HardwareModel> read_table() {
  std::vector<HardwareModel> result;
  for (const Value& row : table_rows("models"))
    result.push_back(decode_row(row));
  std::ranges::sort(
      result, [](const HardwareModel& a, const HardwareModel& b) { return a.slug < b.slug; });
  return result;
}

SwitchPorts layout_of(std::string_view name) {
  if (name == "one_a_cage") return SwitchPorts::one_a_cage;
  if (name == "two_a_cage") return SwitchPorts::two_a_cage;
  if (name == "modules") return SwitchPorts::modules;
  FABRIC_CHECK(name == "other_layout", "a layout of schemas/hardware.json is not known");
  return SwitchPorts::other_layout;
}

std::vector<SwitchModel> read_switches() {
  std::vector<SwitchModel> result;
  for (const Value& row : table_rows("switches")) {
    result.push_back(
        {texts(row, "models"),
         text(row, "chip"),
         layout_of(text(row, "layout")),
         number(row, "ports"),
         number(row, "parts"),
         number(row, "infiniband_gbps"),
         number(row, "ethernet_gbps"),
         row.find("sfp28_first") == nullptr ? 0 : number(row, "sfp28_first"),
         row.find("sfp28_last") == nullptr ? 0 : number(row, "sfp28_last")});
  }
  return result;
}

const HardwareModel* find_exact(std::string_view slug) {
  const std::vector<HardwareModel>& table = hardware_table();
  const auto found = std::lower_bound(
      table.begin(), table.end(), slug, [](const HardwareModel& model, std::string_view wanted) {
        return model.slug < wanted;
      });
  return found != table.end() && found->slug == slug ? &*found : nullptr;
}

// "MCX556A-ECAT", as it stands on the label: what an alias of that form begins. The longest one
// wins, for MCX556A-EDAT is another card than the rest of MCX556A.
const HardwareModel* find_order_number(std::string_view written) {
  const HardwareModel* found = nullptr;
  std::size_t longest = 0;
  for (const HardwareModel& model : hardware_table()) {
    for (const std::string& alias : model.aliases) {
      const bool is_order_number = alias.starts_with("MCX") || alias.starts_with("MBF") ||
                                   alias.starts_with("MCB") || alias.starts_with("MH") ||
                                   alias.starts_with("900-");
      if (!is_order_number || alias.size() <= longest) continue;
      if (to_lower(written.substr(0, alias.size())) != to_lower(alias)) continue;
      found = &model;
      longest = alias.size();
    }
  }
  return found;
}

}  // namespace

const std::vector<HardwareModel>& hardware_table() {
  static const std::vector<HardwareModel> table = read_table();
  return table;
}

const HardwareModel* find_hardware(std::string_view slug) {
  if (const HardwareModel* exact = find_exact(slug)) return exact;
  if (const HardwareModel* vpi = find_exact(std::string{slug} + "-vpi")) return vpi;
  if (const HardwareModel* ordered = find_order_number(slug)) return ordered;
  // "connectx-4-lx-en" says what is true of every card of a family that has no other kind.
  constexpr std::string_view kEn = "-en";
  if (!slug.ends_with(kEn)) return nullptr;
  const HardwareModel* only = find_exact(slug.substr(0, slug.size() - kEn.size()));
  return only != nullptr && !only->infiniband ? only : nullptr;
}

std::vector<const HardwareModel*> hardware_by_device(std::uint32_t device_id) {
  std::vector<const HardwareModel*> result;
  for (const HardwareModel& model : hardware_table()) {
    const auto& ids = model.device_ids;
    if (std::find(ids.begin(), ids.end(), device_id) != ids.end()) result.push_back(&model);
  }
  return result;
}

const std::vector<SwitchModel>& switch_table() {
  static const std::vector<SwitchModel> table = read_switches();
  return table;
}

const SwitchModel* find_switch_model(std::string_view model) {
  const std::string lower = to_lower(trim(model));
  const std::string_view whole = lower;
  const SwitchModel* found = nullptr;
  std::size_t longest = 0;
  for (const SwitchModel& each : switch_table()) {
    for (const std::string& name : each.names) {
      const bool fits =
          whole.starts_with(name) || (whole.starts_with('m') && whole.substr(1).starts_with(name));
      if (!fits || name.size() <= longest) continue;
      found = &each;
      longest = name.size();
    }
  }
  return found;
}

}  // namespace fabric
