// SPDX-License-Identifier: Apache-2.0
#include "engine/subnet/node_description.hpp"

#include <optional>
#include <vector>

#include "engine/base/text.hpp"

namespace fabric {

namespace {

constexpr std::string_view kDigits = "0123456789";

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

bool begins_with_number(std::string_view text) {
  return !text.empty() && kDigits.find(text.front()) != std::string_view::npos;
}

// Removes "(Topspin HCA)" after the device.
std::string_view without_vendor(std::string_view text) {
  if (!text.ends_with(')')) return text;
  const std::size_t open = text.rfind('(');
  return open == std::string_view::npos ? text : trim(text.substr(0, open));
}

// The text that the firmware or the driver gives. In lower case.
bool is_default_text(std::string_view text) {
  if (text.find("mellanox technologies") != std::string_view::npos || text == "rxe") return true;
  const std::vector<std::string_view> words = split_words(text);
  return words.size() > 1 && words.front().starts_with("mt") && is_number(words.front().substr(2));
}

std::optional<std::int64_t> number_behind(std::string_view text, char letter) {
  if (text.empty() || text.front() != letter) return std::nullopt;
  return is_number(text.substr(1)) ? parse_integer(text.substr(1)) : std::nullopt;
}

// "L16" and "U2" of what follows the model.
void read_module(SwitchDescription& found, std::string_view part) {
  if (const auto asic = number_behind(part, 'u')) found.asic = *asic;
  for (const char kind : {'l', 's'}) {
    if (const auto module = number_behind(part, kind)) {
      found.module_kind = kind;
      found.module = *module;
    }
  }
}

}  // namespace

DeviceScheme device_scheme(std::string_view device) {
  if (device.starts_with("hca-") && is_number(device.substr(4))) return DeviceScheme::hca;
  for (const std::string_view driver : {"mlx5_", "mlx4_"}) {
    if (device.starts_with(driver) && begins_with_number(device.substr(driver.size())))
      return DeviceScheme::driver;
  }
  for (const std::string_view kind : {"ib", "roce"}) {
    if (!device.starts_with(kind) || device.size() < kind.size() + 2) continue;
    if (!begins_with_number(device.substr(kind.size() + 1))) continue;
    if (device[kind.size()] == 'p') return DeviceScheme::path;
    if (device[kind.size()] == 's') return DeviceScheme::slot;
  }
  return DeviceScheme::other;
}

std::string host_label(std::string_view host) {
  const bool is_address = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return to_lower(is_address ? host : host.substr(0, host.find('.')));
}

AdapterDescription describe_adapter(std::string_view description) {
  const std::string lower = to_lower(trim(description));
  const std::string_view text = without_vendor(lower);
  if (text.empty() || is_default_text(text)) return {};
  const std::size_t blank = text.find_last_of(" \t");
  if (blank == std::string_view::npos) {
    const std::size_t dot = text.rfind('.');
    if (dot == std::string_view::npos ||
        device_scheme(text.substr(dot + 1)) == DeviceScheme::other) {
      return {std::string{text}, {}};
    }
    return {std::string{text.substr(0, dot)}, std::string{text.substr(dot + 1)}};
  }
  const std::string_view last = text.substr(blank + 1);
  const std::vector<std::string_view> words = split_words(text);
  if (device_scheme(last) != DeviceScheme::other || words.size() == 2)
    return {std::string{trim(text.substr(0, blank))}, std::string{last}};
  return {std::string{words.front()}, {}};
}

bool is_aggregation_node(std::string_view description) {
  return to_lower(description).find("aggregation node") != std::string::npos;
}

SwitchDescription describe_switch(std::string_view description) {
  const std::string lower = to_lower(trim(description));
  const std::string_view text = lower;
  SwitchDescription found;
  const std::size_t begin = text.find(';');
  const std::size_t end = text.find(':', begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) {
    found.name = lower;
    if (text.find(" mellanox technologies") != std::string_view::npos)
      found.model = std::string{text.substr(0, text.find(' '))};
    return found;
  }
  found.name = std::string{trim(text.substr(begin + 1, end - begin - 1))};
  const std::string_view behind = text.substr(end + 1);
  const std::vector<std::string_view> parts = split(behind, '/');
  found.model = std::string{trim(parts.front())};
  for (std::size_t i = 1; i < parts.size(); ++i)
    read_module(found, trim(parts[i]));
  return found;
}

}  // namespace fabric
