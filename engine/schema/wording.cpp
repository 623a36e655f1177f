// SPDX-License-Identifier: Apache-2.0
#include "engine/schema/wording.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "engine/base/overloaded.hpp"
#include "engine/base/text.hpp"
#include "engine/yaml/scalar.hpp"

namespace fabric::schema {

namespace {

constexpr std::size_t kShownCharacters = 60;

// Long values are cut between characters, so that a message stays a line.
std::string shortened(std::string_view text) {
  if (text.size() <= kShownCharacters) return std::string{text};
  std::size_t end = kShownCharacters;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
    --end;
  return std::string{text.substr(0, end)} + "...";
}

std::string join_with_or(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " or " : ", ";
    text += parts[i];
  }
  return text;
}

bool is_plain(const yaml::Node& node) {
  return node.is_scalar() && !node.quoted;
}

// `[11-14]` without quotes is a list of one text to YAML.
bool looks_like_node_set(const yaml::Node& node) {
  if (!node.is_sequence() || node.items.empty()) return false;
  return std::all_of(node.items.begin(), node.items.end(), [](const yaml::Node& item) {
    return is_plain(item) && !item.text.empty() &&
           item.text.find_first_not_of("0123456789-") == std::string::npos;
  });
}

std::string written_as_set(const yaml::Node& node) {
  std::vector<std::string> parts;
  parts.reserve(node.items.size());
  for (const yaml::Node& item : node.items)
    parts.push_back(item.text);
  return "[" + join(parts, ",") + "]";
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as deep as the document, at most limits::kNestingDepth
std::string to_text(const Path& path) {
  if (path.parent == nullptr) return "the document";
  std::string text = path.parent->parent == nullptr ? "" : to_text(*path.parent);
  if (path.is_item) return fmt::format("{}[{}]", text, path.index);
  if (!text.empty()) text += '.';
  return text + std::string{path.key};
}

std::string describe_types(Types types) {
  constexpr std::array<std::pair<Types, std::string_view>, 6> kNames{{
      {kString, "a text"},
      {kInteger, "a whole number"},
      {kBoolean, "true or false"},
      {kObject, "a mapping"},
      {kArray, "a list"},
      {kNull, "nothing"},
  }};
  std::vector<std::string> parts;
  for (const auto& [type, name] : kNames) {
    if ((types & type) == 0) continue;
    const bool fractions = type == kInteger && (types & kFraction) != 0;
    parts.emplace_back(fractions ? "a number" : name);
  }
  return join_with_or(parts);
}

std::string describe_found(const yaml::Node& node) {
  if (node.is_mapping()) return "a mapping";
  if (node.is_sequence()) return "a list";
  return std::visit(
      Overloaded{
          [](std::monostate) { return std::string{"nothing"}; },
          [](bool flag) { return std::string{flag ? "true" : "false"}; },
          [&](std::int64_t) { return "the whole number " + shortened(node.text); },
          [&](double) { return "the number " + shortened(node.text); },
          [](const std::string& text) {
            return "the text '" + shortened(text) + "'";
          }},
      yaml::interpret(node));
}

std::string describe_choices(const std::vector<std::string>& words) {
  if (words.size() == 1) return "'" + words.front() + "'";
  return "one of " + join(words, ", ");
}

std::string describe_range(const Bounds<double>& range) {
  using Limits = std::numeric_limits<double>;
  if (range.most == Limits::max()) return fmt::format("at least {}", range.least);
  if (range.least == Limits::lowest()) return fmt::format("at most {}", range.most);
  return fmt::format("a number from {} to {}", range.least, range.most);
}

std::string describe_count(const Bounds<std::size_t>& count, std::string_view noun) {
  const auto counted = [&](std::size_t number) {
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
  };
  if (count.least == count.most) return "exactly " + counted(count.least);
  if (count.most == std::numeric_limits<std::size_t>::max()) {
    return "at least " + counted(count.least);
  }
  if (count.least == 0) return "at most " + counted(count.most);
  return fmt::format("{} to {}", count.least, counted(count.most));
}

std::string help_for_type(const yaml::Node& node, Types accepted) {
  const bool text_wanted = (accepted & kString) != 0;
  if (text_wanted && is_plain(node)) return fmt::format("quote it: \"{}\"", shortened(node.text));
  if (text_wanted && looks_like_node_set(node)) {
    return fmt::format("a node set in brackets must be quoted: \"{}\"", written_as_set(node));
  }
  if ((accepted & (kInteger | kBoolean)) != 0 && node.is_scalar() && node.quoted) {
    yaml::Node bare;
    bare.kind = node.kind;
    bare.text = node.text;
    const bool text = std::holds_alternative<std::string>(yaml::interpret(bare));
    if (!text) return fmt::format("write it without quotes: {}", shortened(node.text));
  }
  if ((accepted & kArray) != 0 && node.is_scalar()) {
    return fmt::format("write a list: [{}]", shortened(node.text));
  }
  return "";
}

std::string help_from(const Rule& rule, const Path& path) {
  std::string help = rule.description.empty() ? std::string{path.description} : rule.description;
  if (!rule.example.empty()) help += fmt::format(" Example: {}", rule.example);
  // Descriptions are sentences, help lines are not.
  if (!help.empty() && help.back() == '.') help.pop_back();
  return help;
}

}  // namespace fabric::schema
