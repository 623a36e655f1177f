// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/link_tools/link_tools.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::platform {

namespace {

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

// "47.11 degrees C / 116.79 degrees F", "-1.21 dBm", "-inf dBm"; nullopt for what is no number.
std::optional<double> leading_number(std::string_view text) {
  text = trim(text);
  if (text.starts_with("-inf")) return -std::numeric_limits<double>::infinity();
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || !std::isfinite(number)) return std::nullopt;
  return number;
}

// "0.7457 mW / -1.27 dBm"
std::optional<double> dbm_of(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash == std::string_view::npos ? std::nullopt : leading_number(text.substr(slash + 1));
}

Error not_of(std::string_view what, std::size_t line, std::string_view found) {
  return Error{
      ErrorCode::invalid,
      fmt::format(
          "line {}: expected {}, found '{}'", line, what, std::string{found.substr(0, 60)})};
}

// The first line that says something, with its number.
std::pair<std::size_t, std::string_view> first_line(std::string_view text) {
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (!trim(line).empty()) return {number, trim(line)};
  }
  return {1, {}};
}

// "100000baseCR4/Full" to 100000; 0 for what is no mode.
std::uint64_t mode_mbps(std::string_view mode) {
  const std::size_t base = mode.find("base");
  if (base == std::string_view::npos) return 0;
  return parse_unsigned(mode.substr(0, base), 10).value_or(0);
}

// "Laser bias current high alarm   (Chan 1)" with single blanks.
std::string join_words(std::string_view text) {
  const std::vector<std::string_view> words = split_words(text);
  return fmt::format("{}", fmt::join(words, " "));
}

// "None" and "Not reported" say nothing.
std::vector<std::string> words_but_none(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split_words(text)) {
    if (word != "None" && word != "Not" && word != "reported") words.emplace_back(word);
  }
  return words;
}

bool is_received_power(std::string_view key) {
  return key.starts_with("Rcvr signal avg optical power") ||
         key.starts_with("Receiver signal average optical power");
}

// "5m"; 0 says nothing.
std::optional<double> metres(std::string_view value) {
  const auto length = leading_number(value);
  return length && *length > 0 ? length : std::nullopt;
}

void read_module_line(ModuleReading& module, const KeyValue& line) {
  const auto& [key, value] = line;
  if (key == "Vendor name") module.vendor = value;
  if (key == "Vendor PN") module.part_number = value;
  if (key == "Vendor SN") module.serial = value;
  if (key.starts_with("Length (Copper")) module.cable_metres = metres(value);
  if (key == "Module temperature") module.temperature = leading_number(value);
  if (is_received_power(key)) {
    if (const auto power = dbm_of(value)) module.received_dbm.push_back(*power);
  }
  // Thresholds of 0 are none.
  if (key == "Module temperature high warning threshold") {
    const auto most = leading_number(value);
    if (most && *most > 0) module.temperature_most = most;
  }
  if (key == "Laser rx power low warning threshold") {
    const auto least = dbm_of(value);
    if (least && std::isfinite(*least)) module.received_least = least;
  }
  const bool is_flag =
      key.find("alarm") != std::string_view::npos || key.find("warning") != std::string_view::npos;
  if (is_flag && value == "On") module.alarms.emplace_back(join_words(key));
}

// "15E-255" says that none was counted (E-mlxlink).
std::optional<double> bit_errors(std::string_view text) {
  constexpr double kNoneCounted = 1e-200;
  const auto share = leading_number(text);
  if (!share || *share < 0) return std::nullopt;
  return *share < kNoneCounted ? 0 : *share;
}

// "0 [0..0]": a range of 0 to 0 says that there are no thresholds, and with 0 before it no value.
struct Ranged {
  std::optional<double> value, least, most;
};

Ranged ranged(std::string_view text) {
  Ranged found;
  const std::size_t open = text.find('[');
  const std::size_t dots = text.find("..", open == std::string_view::npos ? text.size() : open);
  if (dots == std::string_view::npos) {
    found.value = leading_number(text);
    return found;
  }
  const auto least = leading_number(text.substr(open + 1, dots - open - 1));
  const auto most = leading_number(text.substr(dots + 2));
  const bool has_limits = least && most && (*least != 0 || *most != 0);
  if (!has_limits) return found;
  found.value = leading_number(text);
  found.least = least;
  found.most = most;
  return found;
}

// The tool paints values, some releases where no terminal is too.
std::string without_colour(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end =
        text.substr(at).starts_with("\033[") ? text.find('m', at) : std::string_view::npos;
    if (end == std::string_view::npos) {
      plain += text[at];
    } else {
      at = end;
    }
  }
  return plain;
}

std::string known(std::string_view value) {
  return value == "N/A" ? std::string{} : std::string{value};
}

std::optional<ModuleReading> module_of_card(const std::vector<KeyValue>& lines) {
  const std::string identifier = known(value_of(lines, "Identifier"));
  if (identifier.empty()) return std::nullopt;
  ModuleReading module;
  module.identifier = identifier;
  module.vendor = known(value_of(lines, "Vendor Name"));
  module.part_number = known(value_of(lines, "Vendor Part Number"));
  module.serial = known(value_of(lines, "Vendor Serial Number"));
  const std::string technology = to_lower(value_of(lines, "Cable Technology"));
  module.copper = technology.find("copper") != std::string::npos;
  if (module.copper) module.cable_metres = metres(value_of(lines, "Transfer Distance [m]"));
  const Ranged temperature = ranged(value_of(lines, "Temperature [C]"));
  module.temperature = temperature.value;
  module.temperature_most = temperature.most;
  const std::string_view power = value_of(lines, "Rx Power Current [dBm]");
  const Ranged limits = ranged(power);
  if (limits.value && !module.copper) {
    module.received_least = limits.least;
    for (const std::string_view lane : split(power.substr(0, power.find('[')), ',')) {
      if (const auto value = leading_number(lane)) module.received_dbm.push_back(*value);
    }
  }
  return module;
}

}  // namespace

std::vector<KeyValue> key_values(std::string_view text) {
  std::vector<KeyValue> found;
  std::size_t indent = 0;
  for (const std::string_view line : split_lines(text)) {
    const std::string_view told = trim(line);
    if (told.empty()) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) {
      indent = indent_of(line);
      found.push_back({trim(line.substr(0, colon)), trim(line.substr(colon + 1))});
    } else if (!found.empty() && indent_of(line) > indent) {
      const std::string_view key = found.back().key;
      found.push_back({key, told});
    }
  }
  return found;
}

std::string_view value_of(const std::vector<KeyValue>& lines, std::string_view key) {
  const auto line = std::find_if(
      lines.begin(), lines.end(), [&](const KeyValue& each) { return each.key == key; });
  return line == lines.end() ? std::string_view{} : line->value;
}

Result<LinkSettings> parse_link_settings(std::string_view text) {
  const auto [number, first] = first_line(text);
  if (!first.starts_with("Settings for ")) return not_of("'Settings for ...'", number, first);
  const std::vector<KeyValue> lines = key_values(text);
  LinkSettings settings;
  for (const auto& [key, value] : lines) {
    if (key == "Supported link modes") {
      for (const std::string_view mode : split_words(value)) {
        const std::uint64_t mbps = mode_mbps(mode);
        if (mbps > settings.capable_mbps.value_or(0)) settings.capable_mbps = mbps;
      }
    }
  }
  const std::string_view speed = value_of(lines, "Speed");
  if (const std::size_t unit = speed.find("Mb/s"); unit != std::string_view::npos)
    settings.speed_mbps = parse_unsigned(speed.substr(0, unit), 10);
  const std::string_view link = value_of(lines, "Link detected");
  if (!link.empty()) settings.has_link = link.starts_with("yes");
  const std::string_view negotiation = value_of(lines, "Auto-negotiation");
  if (!negotiation.empty()) settings.auto_negotiation = negotiation == "on";
  return settings;
}

Result<FecReading> parse_fec(std::string_view text) {
  const auto [number, first] = first_line(text);
  if (!first.starts_with("FEC parameters for "))
    return not_of("'FEC parameters for ...'", number, first);
  FecReading fec;
  for (const auto& [key, value] : key_values(text)) {
    if (key == "Active FEC encoding" || key == "Active FEC encodings")
      fec.active = join_words(value);
    if (key == "Supported/Configured FEC encodings" || key == "Configured FEC encodings")
      fec.configured = words_but_none(value);
    if (key == "uncorrectable_blocks")
      fec.uncorrectable_blocks = parse_unsigned(value.substr(0, value.find(' ')), 10);
  }
  if (fec.active == "None") fec.active = "Off";
  return fec;
}

Result<ModuleReading> parse_module(std::string_view text) {
  const auto [number, first] = first_line(text);
  if (!first.starts_with("Identifier")) return not_of("'Identifier'", number, first);
  ModuleReading module;
  for (const KeyValue& line : key_values(text)) {
    if (line.key == "Identifier") {
      const std::size_t open = line.value.find('(');
      const std::size_t close = line.value.find(')', std::min(open, line.value.size()));
      module.identifier = open != std::string_view::npos && close != std::string_view::npos
                              ? line.value.substr(open + 1, close - open - 1)
                              : line.value;
    }
    const std::string told = to_lower(std::string{line.value});
    if (line.key == "Transceiver type" && told.find("passive cable") != std::string::npos)
      module.copper = true;
    const bool names_material = line.key == "Connector" || line.key == "Transmitter technology";
    if (names_material && told.find("copper") != std::string::npos) module.copper = true;
    read_module_line(module, line);
  }
  // In a transceiver that length is what it can drive (E-link-module).
  if (!module.copper) module.cable_metres.reset();
  return module;
}

Result<CardLink> parse_mlxlink(std::string_view text) {
  const std::string plain = without_colour(text);
  const std::vector<KeyValue> lines = key_values(plain);
  CardLink link;
  link.state = known(value_of(lines, "State"));
  if (link.state.empty()) {
    const auto [number, first] = first_line(plain);
    return not_of("a section 'Operational Info' with a 'State'", number, first);
  }
  link.speed = known(value_of(lines, "Speed"));
  link.fec = known(value_of(lines, "FEC"));
  if (const std::string_view code = value_of(lines, "Status Opcode");
      !code.empty() && code != "0" && code != "N/A")
    link.why_down = known(value_of(lines, "Recommendation"));
  link.raw_ber = bit_errors(value_of(lines, "Raw Physical BER"));
  link.effective_ber = bit_errors(value_of(lines, "Effective Physical BER"));
  link.module = module_of_card(lines);
  return link;
}

}  // namespace fabric::platform
