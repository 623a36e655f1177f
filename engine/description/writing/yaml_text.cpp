// SPDX-License-Identifier: Apache-2.0
#include "engine/description/writing/yaml_text.hpp"

#include <algorithm>

#include "engine/base/printable.hpp"
#include "engine/base/text.hpp"
#include "engine/yaml/scalar.hpp"

namespace fabric::description {

namespace {

// The greatest width of a line; a longer value goes below its key.
constexpr std::size_t kColumns = 110;

bool is_plain_character(char c, bool in_flow) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  if (std::string_view{"-_./+"}.find(c) != std::string_view::npos) return true;
  return !in_flow && (c == '[' || c == ']' || c == ',');
}

// Plain, and a string for every reader.
bool may_be_plain(std::string_view text, bool in_flow) {
  const auto plain = [in_flow](char c) {
    return is_plain_character(c, in_flow);
  };
  if (text.empty() || !std::all_of(text.begin(), text.end(), plain)) return false;
  const bool begins_well = is_plain_character(text.front(), true) && text.front() != '-';
  if (!begins_well || yaml::ambiguity(text)) return false;
  yaml::Node node;
  node.kind = yaml::Kind::scalar;
  node.text = text;
  return std::holds_alternative<std::string>(yaml::interpret(node));
}

void append_block(std::string& out, const YamlTree& tree, std::size_t indent);

// NOLINTNEXTLINE(misc-no-recursion): a description is at most six deep
void append_value(std::string& out, const YamlTree& tree, std::size_t column, std::size_t indent) {
  const bool is_empty = tree.items.empty() && tree.entries.empty();
  const bool is_scalar = tree.kind == YamlTree::Kind::text || tree.kind == YamlTree::Kind::raw;
  if (is_scalar) {
    const bool is_text = tree.kind == YamlTree::Kind::text;
    out += " " + (is_text ? yaml_scalar(tree.scalar, false) : tree.scalar) + "\n";
    return;
  }
  if (!tree.in_block || is_empty) {
    const std::string flow = flow_text(tree);
    if (is_empty || column + 1 + flow.size() <= kColumns) {
      out += " " + flow + "\n";
      return;
    }
  }
  out += "\n";
  append_block(out, tree, indent + 2);
}

// NOLINTNEXTLINE(misc-no-recursion): a description is at most six deep
void append_block(std::string& out, const YamlTree& tree, std::size_t indent) {
  const std::string blanks(indent, ' ');
  for (const auto& [key, value] : tree.entries) {
    for (const std::string& comment : value.comments)
      out += comment_lines(comment, indent);
    const std::string head = blanks + yaml_scalar(key, false) + ":";
    out += head;
    append_value(out, value, head.size(), indent);
  }
  for (const YamlTree& item : tree.items) {
    for (const std::string& comment : item.comments)
      out += comment_lines(comment, indent);
    const bool is_text = item.kind == YamlTree::Kind::text;
    out += blanks + "- " + (is_text ? yaml_scalar(item.scalar, false) : flow_text(item)) + "\n";
  }
}

}  // namespace

std::string yaml_scalar(std::string_view text, bool in_flow) {
  if (may_be_plain(text, in_flow)) return std::string{text};
  // Bad bytes and what could deceive are written out by name first, so nothing is left to escape
  // but what ends the quotes.
  std::string quoted = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

YamlTree YamlTree::text(std::string value) {
  YamlTree tree;
  tree.scalar = std::move(value);
  return tree;
}

YamlTree YamlTree::number(std::uint64_t value) {
  YamlTree tree;
  tree.kind = Kind::raw;
  tree.scalar = std::to_string(value);
  return tree;
}

YamlTree YamlTree::yes_or_no(bool value) {
  YamlTree tree;
  tree.kind = Kind::raw;
  tree.scalar = value ? "true" : "false";
  return tree;
}

YamlTree YamlTree::list() {
  YamlTree tree;
  tree.kind = Kind::list;
  return tree;
}

YamlTree YamlTree::mapping() {
  YamlTree tree;
  tree.kind = Kind::mapping;
  return tree;
}

// NOLINTNEXTLINE(misc-no-recursion): a document is some four deep
YamlTree YamlTree::copy() const {
  YamlTree tree;
  tree.kind = kind;
  tree.scalar = scalar;
  tree.comments = comments;
  tree.in_block = in_block;
  for (const YamlTree& item : items)
    tree.items.push_back(item.copy());
  for (const YamlEntry& entry : entries)
    tree.entries.push_back({entry.key, entry.value.copy()});
  return tree;
}

YamlTree& YamlTree::add(std::string key, YamlTree value) {
  entries.push_back({std::move(key), std::move(value)});
  return entries.back().value;
}

void YamlTree::add_text(std::string key, const std::string& value) {
  if (!value.empty()) add(std::move(key), text(value));
}

void YamlTree::add_number(std::string key, std::uint64_t value) {
  if (value != 0) add(std::move(key), number(value));
}

// NOLINTNEXTLINE(misc-no-recursion): as append_block
std::string flow_text(const YamlTree& tree) {
  switch (tree.kind) {
    case YamlTree::Kind::text:
      return yaml_scalar(tree.scalar, true);
    case YamlTree::Kind::raw:
      return tree.scalar;
    case YamlTree::Kind::list: {
      std::vector<std::string> parts;
      for (const YamlTree& item : tree.items)
        parts.push_back(flow_text(item));
      return "[" + join(parts, ", ") + "]";
    }
    case YamlTree::Kind::mapping:
      break;
  }
  std::vector<std::string> parts;
  for (const auto& [key, value] : tree.entries) {
    const bool is_number = !key.empty() &&
                           key.find_first_not_of("0123456789") == std::string::npos &&
                           !yaml::ambiguity(key);
    parts.push_back((is_number ? key : yaml_scalar(key, true)) + ": " + flow_text(value));
  }
  return "{" + join(parts, ", ") + "}";
}

std::string block_text(const YamlTree& tree) {
  std::string out;
  append_block(out, tree, 0);
  return out;
}

std::string comment_lines(std::string_view text, std::size_t indent) {
  const std::string safe = printable(text);
  const std::string head(indent, ' ');
  std::string out;
  std::string line;
  for (const std::string_view word : split_words(safe)) {
    if (!line.empty() && head.size() + 3 + line.size() + word.size() > kColumns) {
      out += head + "# " + line + "\n";
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  return out + head + "#" + (line.empty() ? "" : " " + line) + "\n";
}

}  // namespace fabric::description
