// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers/card_tools.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

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

}  // namespace fabric::providers
