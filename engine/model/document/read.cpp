// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/read.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/yaml/scalar.hpp"

namespace fabric {

namespace {

// The scalar at `key`, or none; `~` and `null` give nothing.
Layer find_scalar(const Layers& section, std::string_view key) {
  const Layer value = section.value(key);
  if (!value || !value.node->is_scalar()) return {};
  const bool is_null = std::holds_alternative<std::monostate>(yaml::interpret(*value.node));
  return is_null ? Layer{} : value;
}

template <class T>
std::optional<Sourced<T>> find_as(const Layers& section, std::string_view key) {
  const Layer scalar = find_scalar(section, key);
  if (!scalar) return std::nullopt;
  const yaml::ScalarValue value = yaml::interpret(*scalar.node);
  const T* typed = std::get_if<T>(&value);
  if (typed == nullptr) return std::nullopt;
  return Sourced<T>{*typed, scalar.node->range};
}

}  // namespace

Sourced<std::string> read_text(
    const Layers& section, std::string_view key, std::string_view fallback) {
  const Layer scalar = find_scalar(section, key);
  if (!scalar) return {std::string{fallback}, {}};
  return {scalar.node->text, scalar.node->range};
}

Sourced<std::string> read_zipped(const Layers& section, std::string_view key, Findings& findings) {
  const Layer scalar = find_scalar(section, key);
  if (!scalar) return {};
  if (scalar.key == nullptr) return {scalar.node->text, scalar.node->range};
  Result<std::string> zipped =
      zip_value(scalar.node->text, *scalar.key, scalar.member, key == "pci" ? 16 : 10);
  if (zipped) return {std::move(zipped).value(), scalar.node->range};
  findings.error("bad-node-set", scalar.node->range, zipped.error().message)
      .with_help("a set zips with a key that has as many members");
  return {};
}

std::optional<Sourced<bool>> find_flag(const Layers& section, std::string_view key) {
  return find_as<bool>(section, key);
}

Sourced<bool> read_flag(const Layers& section, std::string_view key, bool fallback) {
  return find_flag(section, key).value_or(Sourced<bool>{fallback, {}});
}

std::optional<Sourced<std::int64_t>> find_integer(const Layers& section, std::string_view key) {
  return find_as<std::int64_t>(section, key);
}

std::optional<Sourced<std::uint32_t>> find_number(const Layers& section, std::string_view key) {
  const auto integer = find_integer(section, key);
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!integer || integer->value < 0 || integer->value > kMost) return std::nullopt;
  return Sourced<std::uint32_t>{static_cast<std::uint32_t>(integer->value), integer->range};
}

Sourced<std::uint32_t> read_number(
    const Layers& section, std::string_view key, std::uint32_t fallback) {
  return find_number(section, key).value_or(Sourced<std::uint32_t>{fallback, {}});
}

Sourced<Duration> read_duration(const Layers& section, std::string_view key, Duration fallback) {
  const Sourced<std::string> text = read_text(section, key);
  const std::size_t digits =
      std::min(text.value.find_first_not_of("0123456789"), text.value.size());
  const auto number = parse_unsigned(std::string_view{text.value}.substr(0, digits), 10);
  const std::string_view unit = std::string_view{text.value}.substr(digits);
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kUnits{
      {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}};
  // A hundred years are enough, and fit.
  constexpr std::uint64_t kMost = std::uint64_t{100} * 365 * 24 * 3'600'000;
  for (const auto& [name, milliseconds] : kUnits) {
    if (unit != name || !number || *number > kMost / static_cast<std::uint64_t>(milliseconds)) {
      continue;
    }
    return {Duration{static_cast<std::int64_t>(*number) * milliseconds}, text.range};
  }
  return {fallback, {}};
}

std::vector<Sourced<std::string>> read_texts(const Layers& section, std::string_view key) {
  std::vector<Sourced<std::string>> texts;
  const Layer list = section.value(key);
  if (!list) return texts;
  for (const yaml::Node& item : list.node->items) {
    if (item.is_scalar()) texts.push_back({item.text, item.range});
  }
  return texts;
}

std::vector<Sourced<std::uint32_t>> read_numbers(const Layers& section, std::string_view key) {
  std::vector<Sourced<std::uint32_t>> numbers;
  for (const Sourced<std::string>& text : read_texts(section, key)) {
    const auto number = parse_unsigned(text.value, 10);
    if (!number || *number > std::numeric_limits<std::uint32_t>::max()) continue;
    numbers.push_back({static_cast<std::uint32_t>(*number), text.range});
  }
  return numbers;
}

std::vector<Sourced<std::string>> read_names(
    const Layers& section, std::string_view key, Findings& findings) {
  std::vector<Sourced<std::string>> names;
  std::vector<Sourced<std::string>> texts = read_texts(section, key);
  if (const Layer one = section.value(key); one && one.node->is_scalar())
    texts.push_back({one.node->text, one.node->range});
  for (const Sourced<std::string>& text : texts) {
    const Result<NodeSet> set = NodeSet::parse(text.value);
    if (!set) {
      findings.error("bad-node-set", text.range, set.error().message);
      continue;
    }
    if (!findings.may_expand(set->size(), text.range)) break;
    for (std::size_t i = 0; i < set->size(); ++i)
      names.push_back({set->at(i), text.range});
  }
  return names;
}

Sourced<std::vector<std::string>> read_command(const Layers& section, std::string_view key) {
  const Layer command = section.value(key);
  if (!command) return {};
  if (command.node->is_scalar()) return {{"sh", "-c", command.node->text}, command.node->range};
  Sourced<std::vector<std::string>> arguments{{}, command.node->range};
  for (const yaml::Node& item : command.node->items) {
    if (item.is_scalar()) arguments.value.push_back(item.text);
  }
  return arguments;
}

TextMap read_text_map(const Layers& section) {
  TextMap texts;
  for (const Layer& layer : section.all()) {
    for (const yaml::Entry& entry : layer.node->entries) {
      if (!entry.value.is_scalar()) continue;
      texts.insert_or_assign(entry.key, Sourced<std::string>{entry.value.text, entry.value.range});
    }
  }
  return texts;
}

void check_exclusive(
    const Layers& section,
    std::initializer_list<std::string_view> keys,
    Findings& findings,
    bool only_across) {
  std::string_view first_key;
  Layer first;
  const auto stand_together = [&section](std::string_view one, std::string_view other) {
    const std::vector<Layer>& layers = section.all();
    return std::any_of(layers.begin(), layers.end(), [&](const Layer& layer) {
      return layer.node->find(one) != nullptr && layer.node->find(other) != nullptr;
    });
  };
  for (const std::string_view key : keys) {
    const Layer value = section.value(key);
    if (!value || (only_across && first && stand_together(first_key, key))) continue;
    if (!first) {
      first = value;
      first_key = key;
      continue;
    }
    findings
        .error(
            "duplicate-key",
            value.node->range,
            fmt::format("'{}' and '{}' exclude each other", first_key, key))
        .with_note(first.node->range, fmt::format("'{}' is given here", first_key));
  }
}

}  // namespace fabric
