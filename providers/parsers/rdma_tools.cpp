// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers/rdma_tools.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/model/names.hpp"
#include "engine/value/json.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

constexpr std::int64_t kNoLid = 65535;

bool is_decimal(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9';
  };
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || point == 0 || point + 1 == text.size()) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(point), digit) &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(point) + 1, text.end(), digit);
}

// Whole numbers and "2.5" as numbers, GUIDs in their one form, all else as text.
Result<Value> scalar(std::string_view key, std::string_view text, std::size_t line) {
  if (key.find("guid") != std::string_view::npos) {
    const Result<Guid> guid = Guid::parse(text);
    if (!guid) return error_at(line, fmt::format("'{}' is no GUID", text));
    return Value{guid->str()};
  }
  if (const auto number = parse_integer(text)) return Value{*number};
  if (is_decimal(text)) return Value{std::strtod(std::string{text}.c_str(), nullptr)};
  return Value{text};
}

// Devices with ports, from lines that open one or the other.
class Devices {
 public:
  void open_device(std::string_view name) {
    devices_.emplace_back(Map{{"name", name}, {"ports", List{}}});
    in_port_ = false;
  }

  Result<std::monostate> open_port(std::string_view number, std::size_t line) {
    const auto value = parse_integer(number);
    if (devices_.empty() || !value) return error_at(line, "a port of no device");
    ports().emplace_back(Map{{"number", *value}});
    in_port_ = true;
    return std::monostate{};
  }

  bool empty() const { return devices_.empty(); }

  // REQUIRES: !empty().
  Map& current() {
    Map* map = (in_port_ ? ports().back() : devices_.back()).as_map();
    FABRIC_CHECK(map != nullptr, "devices and ports are mappings");
    return *map;
  }

  Value value() && { return Map{{"devices", std::move(devices_)}}; }

 private:
  List& ports() {
    List* list = devices_.back().as_map()->at("ports").as_list();
    FABRIC_CHECK(list != nullptr, "ports of a device are a list");
    return *list;
  }

  List devices_;
  bool in_port_ = false;
};

// "40 (FDR10)" to 40 and "FDR10"; "PORT_ACTIVE (4)" to the text; "4096 (5)" to 4096.
struct Noted {
  std::string_view value, note;
};

Noted noted(std::string_view text) {
  const std::size_t open = text.rfind(" (");
  if (open == std::string_view::npos || !text.ends_with(')')) return {text, {}};
  return {trim(text.substr(0, open)), text.substr(open + 2, text.size() - open - 3)};
}

Result<std::monostate> put(Map& into, const KeyValue& entry, std::size_t line) {
  const std::string key = snake_case(entry.key);
  if (key.empty()) return error_at(line, fmt::format("'{}' is no key", entry.key));
  const Noted parts = noted(entry.value);
  into.insert_or_assign(key, FABRIC_TRY(scalar(key, parts.value, line)));
  if (key == "rate" && !parts.note.empty()) into.insert_or_assign("rate_note", parts.note);
  return std::monostate{};
}

Result<std::monostate> read_ibstat_line(Devices& devices, std::string_view line, std::size_t at) {
  if (line.starts_with("CA '") && line.ends_with('\'') && line.size() > 5) {
    devices.open_device(line.substr(4, line.size() - 5));
    return std::monostate{};
  }
  if (line.starts_with("Port ") && line.ends_with(':'))
    return devices.open_port(line.substr(5, line.size() - 6), at);
  const auto entry = key_value(line);
  if (!entry || devices.empty())
    return error_at(at, fmt::format("expected CA 'NAME' or 'key: value', found '{}'", line));
  return put(devices.current(), *entry, at);
}

Result<std::monostate> read_devinfo_line(Devices& devices, std::string_view line, std::size_t at) {
  const auto entry = key_value(line);
  // Printed by MLNX_OFED before the ports.
  if (line == "Device ports:" || line == "No IB devices found") return std::monostate{};
  if (entry && entry->key == "hca_id") {
    devices.open_device(entry->value);
    return std::monostate{};
  }
  if (!entry || devices.empty())
    return error_at(at, fmt::format("expected 'hca_id:' or 'key: value', found '{}'", line));
  if (entry->key == "port") return devices.open_port(entry->value, at);
  return put(devices.current(), *entry, at);
}

using LineReader = Result<std::monostate> (*)(Devices&, std::string_view, std::size_t);

Result<Value> read_devices(std::string_view text, LineReader read) {
  Devices devices;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (trim(line).empty()) continue;
    FABRIC_TRY(read(devices, trim(line), number));
  }
  return std::move(devices).value();
}

}  // namespace

Result<Value> parse_ibstat(std::string_view text) {
  return read_devices(text, read_ibstat_line);
}

Result<Value> parse_ibv_devinfo(std::string_view text) {
  return read_devices(text, read_devinfo_line);
}

Result<Value> parse_rdma_link_json(std::string_view text) {
  const Value document = FABRIC_TRY(parse_json(text));
  const List* list = document.as_list();
  if (list == nullptr) return error_at(1, "not a list of links");
  List links;
  for (std::size_t index = 0; index < list->size(); ++index) {
    const Map* item = (*list)[index].as_map();
    if (item == nullptr) return error_at(1, fmt::format("link {}: it is no object", index + 1));
    if (item->empty()) continue;
    const Value* port = (*list)[index].find("port");
    if ((*list)[index].string_or_empty("ifname").empty() || port == nullptr ||
        port->as_integer() == nullptr)
      return error_at(1, fmt::format("link {}: it has no 'ifname' and 'port'", index + 1));
    Map link = *item;
    for (const char* key : {"lid", "sm_lid"}) {
      const auto lid = link.find(key);
      if (lid != link.end() && lid->second == Value{kNoLid}) link.erase(lid);
    }
    links.emplace_back(std::move(link));
  }
  return Value{Map{{"links", std::move(links)}}};
}

}  // namespace fabric::providers
