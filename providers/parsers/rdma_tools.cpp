// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers/rdma_tools.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/model/names.hpp"
#include "engine/value/json.hpp"
#include "engine/value/lists.hpp"
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

namespace {

// "Speed 8GT/s (ok), Width x8 (downgraded), TrErr-" to {speed, speed_note, width, width_note}.
Result<Value> link_line(std::string_view text, std::size_t line) {
  Map value;
  for (const std::string_view part : split(text, ',')) {
    const std::vector<std::string_view> words = split_words(part);
    if (words.size() < 2) continue;
    const bool is_width = words[0] == "Width";
    if (words[0] != "Speed" && !is_width) continue;
    const std::string key = is_width ? "width" : "speed";
    if (is_width) {
      const auto lanes =
          words[1].starts_with('x') ? parse_unsigned(words[1].substr(1), 10) : std::nullopt;
      if (!lanes) return error_at(line, fmt::format("'{}' is not a link width", words[1]));
      value.emplace(key, static_cast<std::int64_t>(*lanes));
    } else {
      value.emplace(key, words[1]);
    }
    if (words.size() > 2) {
      std::string_view note = words[2];
      if (note.starts_with('(') && note.ends_with(')')) note = note.substr(1, note.size() - 2);
      value.emplace(key + "_note", note);
    }
  }
  if (!value.contains("speed") || !value.contains("width"))
    return error_at(line, "no speed and width of the link");
  return Value{std::move(value)};
}

// "0000:5e:00.0 Ethernet controller: ..." or "5e:00.0 ..."
std::optional<std::string_view> device_heading(std::string_view line) {
  if (line.empty() || line.front() == ' ' || line.front() == '\t') return std::nullopt;
  const std::string_view address = line.substr(0, line.find(' '));
  const bool is_address =
      address.size() >= 7 && address[address.size() - 2] == '.' &&
      std::all_of(address.begin(), address.end(), [](char c) {
        return c == ':' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      });
  if (!is_address) return std::nullopt;
  return address;
}

}  // namespace

Result<Value> parse_mstflint_query(std::string_view text) {
  Map value;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (line.starts_with("-E-"))
      return error_at(number, fmt::format("no query; the tool says: {}", trim(line)));
    const std::optional<KeyValue> entry = key_value(line);
    // "Rom Info" and "Description" go on in lines of their own, which have no key.
    if (!entry || line.front() == ' ') continue;
    if (entry->key == "Base GUID" || entry->key == "Base MAC") {
      const std::vector<std::string_view> words = split_words(entry->value);
      if (words.empty()) return error_at(number, fmt::format("'{}' has no value", entry->key));
      value.insert_or_assign(snake_case(entry->key), words.front());
      const auto count = words.size() > 1 ? parse_integer(words[1]) : std::nullopt;
      if (count) value.insert_or_assign(snake_case(entry->key) + "_count", *count);
    } else {
      value.insert_or_assign(snake_case(entry->key), entry->value);
    }
  }
  if (!value.contains("fw_version") || !value.contains("psid")) {
    return error_at(number, "no query of a card: 'FW Version:' and 'PSID:' are missing");
  }
  return Value{std::move(value)};
}

Result<Value> parse_ethtool_info(std::string_view text) {
  Map value;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (trim(line).empty()) continue;
    const std::optional<KeyValue> entry = key_value(line);
    if (!entry)
      return error_at(number, fmt::format("expected 'key: value', found '{}'", trim(line)));
    value.insert_or_assign(snake_case(entry->key), entry->value);
    if (entry->key != "firmware-version") continue;
    // "16.27.2008 (MT_0000000013)"
    const std::vector<std::string_view> words = split_words(entry->value);
    if (words.size() == 2 && words[1].starts_with('(') && words[1].ends_with(')')) {
      value.insert_or_assign("firmware_version", words[0]);
      value.insert_or_assign("psid", words[1].substr(1, words[1].size() - 2));
    }
  }
  if (!value.contains("driver")) return error_at(number, "'driver:' is missing");
  return Value{std::move(value)};
}

Result<Value> parse_lspci_link(std::string_view text) {
  List devices;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (const auto address = device_heading(line)) devices.emplace_back(Map{{"pci", *address}});
    const std::optional<KeyValue> entry = key_value(line);
    if (!entry || (entry->key != "LnkCap" && entry->key != "LnkSta")) continue;
    const char* key = entry->key == "LnkCap" ? "capable" : "status";
    if (devices.empty() || devices.back().find(key) != nullptr) devices.emplace_back(Map{});
    devices.back().as_map()->emplace(key, FABRIC_TRY(link_line(entry->value, number)));
  }
  std::erase_if(devices, [](const Value& device) { return device.find("status") == nullptr; });
  if (devices.empty()) return error_at(number, "no 'LnkSta:' line (lspci shows it to root only)");
  return Value{Map{{"devices", std::move(devices)}}};
}

namespace {

constexpr std::int64_t kPriorities = 8;
constexpr std::int64_t kDscps = 64;

std::optional<std::int64_t> below(std::string_view text, std::int64_t end) {
  const auto number = parse_unsigned(text, 10);
  if (!number || *number >= static_cast<std::uint64_t>(end)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

// "26", "AF31", "CS6", "EF", "default".
std::optional<std::int64_t> dscp_of(std::string_view word) {
  constexpr std::int64_t kExpedited = 46;
  if (word == "EF") return kExpedited;
  if (word == "default" || word == "BE") return 0;
  const auto digit = [word](std::size_t at, std::int64_t end) {
    return at < word.size() ? below(word.substr(at, 1), end) : std::nullopt;
  };
  if (word.starts_with("CS") && word.size() == 3) {
    const auto selector = digit(2, kPriorities);
    return selector ? std::optional{*selector * 8} : std::nullopt;
  }
  if (word.starts_with("AF") && word.size() == 4) {
    const auto group = digit(2, 5);
    const auto drop = digit(3, 4);
    if (!group || !drop) return std::nullopt;
    return *group * 8 + *drop * 2;
  }
  return below(word, kDscps);
}

Value mapping(const std::map<std::int64_t, std::int64_t>& priorities) {
  Map map;
  for (const auto& [dscp, priority] : priorities)
    map.emplace(std::to_string(dscp), priority);
  return map;
}

class MlnxQosReader {
 public:
  Result<MlnxQos> read(std::string_view text) {
    std::size_t number = 0;
    for (const std::string_view raw : split_lines(text)) {
      ++number;
      const std::string_view line = trim(raw);
      if (const auto error = take(line, number)) return *error;
    }
    if (qos_.trust.empty()) return error_at(number, "'Priority trust state:' is missing");
    if (!enabled_)
      return error_at(number, "the line 'enabled' of the PFC configuration is missing");
    return std::move(qos_);
  }

 private:
  std::optional<Error> take(std::string_view line, std::size_t number) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.empty()) return std::nullopt;
    if (line.starts_with("prio:")) return take_map(words, number);
    if (words.front() == "enabled") return take_enabled(words, number);
    const auto entry = key_value(line);
    if (!entry) return std::nullopt;
    if (entry->key == "DCBX mode") qos_.dcbx = entry->value.starts_with("OS") ? "os" : "firmware";
    if (entry->key != "Priority trust state") return std::nullopt;
    if (entry->value != "pcp" && entry->value != "dscp" && entry->value != "none")
      return error_at(number, fmt::format("'{}' is no trust state", entry->value));
    qos_.trust = entry->value;
    return std::nullopt;
  }

  // "prio:6 dscp:30,55,54,": eight at most, the rest in a further line of the same priority.
  std::optional<Error> take_map(const std::vector<std::string_view>& words, std::size_t number) {
    const auto priority = below(words[0].substr(words[0].find(':') + 1), kPriorities);
    if (!priority || words.size() != 2 || !words[1].starts_with("dscp:"))
      return error_at(number, "expected 'prio:P dscp:D,D,...'");
    for (const std::string_view each : split(words[1].substr(5), ',')) {
      if (each.empty()) continue;
      const auto dscp = below(each, kDscps);
      if (!dscp) return error_at(number, fmt::format("'{}' is no DSCP", each));
      if (!qos_.dscp_priorities.emplace(*dscp, *priority).second)
        return error_at(number, fmt::format("DSCP {} has two priorities", *dscp));
    }
    return std::nullopt;
  }

  std::optional<Error> take_enabled(
      const std::vector<std::string_view>& words, std::size_t number) {
    if (words.size() != kPriorities + 1 || enabled_)
      return error_at(number, "expected one line 'enabled' with eight flags");
    enabled_ = true;
    for (std::int64_t priority = 0; priority < kPriorities; ++priority) {
      const std::string_view flag = words[static_cast<std::size_t>(priority) + 1];
      if (flag != "0" && flag != "1")
        return error_at(number, fmt::format("'{}' is neither 0 nor 1", flag));
      if (flag == "1") qos_.pfc.push_back(priority);
    }
    return std::nullopt;
  }

  MlnxQos qos_;
  bool enabled_ = false;
};

// The words behind `key`, "0:off 1:on", as pairs; nullopt: no such line.
struct Pair {
  std::string_view first, second;
};
Result<std::optional<std::vector<Pair>>> pairs_of(std::string_view text, std::string_view key) {
  std::optional<std::vector<Pair>> found;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    const std::vector<std::string_view> words = split_words(line);
    if (words.empty() || words.front() != key) continue;
    if (found) return error_at(number, fmt::format("'{}' stands there twice", key));
    found.emplace();
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::size_t colon = words[i].find(':');
      if (colon == std::string_view::npos)
        return error_at(number, fmt::format("expected 'A:B', found '{}'", words[i]));
      found->push_back({words[i].substr(0, colon), words[i].substr(colon + 1)});
    }
  }
  return found;
}

}  // namespace

Result<MlnxQos> parse_mlnx_qos(std::string_view text) {
  return MlnxQosReader{}.read(text);
}

Value to_value(const MlnxQos& qos) {
  Map map{{"trust", qos.trust}, {"pfc", to_list(qos.pfc)}};
  if (!qos.dcbx.empty()) map.emplace("dcbx", qos.dcbx);
  if (!qos.dscp_priorities.empty()) map.emplace("dscp_priorities", mapping(qos.dscp_priorities));
  return map;
}

Result<DcbPfc> parse_dcb_pfc(std::string_view text) {
  const auto pairs = FABRIC_TRY(pairs_of(text, "prio-pfc"));
  if (!pairs) return error_at(1, "'prio-pfc' is missing");
  DcbPfc found;
  for (const Pair& each : *pairs) {
    const auto priority = below(each.first, kPriorities);
    if (!priority || (each.second != "on" && each.second != "off"))
      return error_at(1, fmt::format("'{}:{}' is no priority on or off", each.first, each.second));
    if (each.second == "on") found.pfc.push_back(*priority);
  }
  std::sort(found.pfc.begin(), found.pfc.end());
  return found;
}

Value to_value(const DcbPfc& pfc) {
  return Map{{"pfc", to_list(pfc.pfc)}};
}

Result<DcbApp> parse_dcb_app(std::string_view text) {
  const auto pairs = FABRIC_TRY(pairs_of(text, "dscp-prio"));
  DcbApp found;
  if (!pairs) {
    // The text may have only other tables of the command; an error message is no table.
    for (const std::string_view line : split_lines(text)) {
      if (!trim(line).empty() && line.find("prio") == std::string_view::npos)
        return error_at(1, fmt::format("no table; the tool says: {}", trim(line)));
    }
    return found;
  }
  for (const Pair& each : *pairs) {
    const auto dscp = dscp_of(each.first);
    const auto priority = below(each.second, kPriorities);
    if (!dscp || !priority)
      return error_at(1, fmt::format("'{}:{}' is no DSCP and priority", each.first, each.second));
    found.dscp_priorities[*dscp] = *priority;
  }
  return found;
}

Value to_value(const DcbApp& app) {
  return Map{{"dscp_priorities", mapping(app.dscp_priorities)}};
}

}  // namespace fabric::providers
