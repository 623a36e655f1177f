// SPDX-License-Identifier: Apache-2.0
// Ansible inventories: INI, YAML, and what `ansible-inventory --list` prints. Groups hand their
// variables down to their children and hosts; the nearest wins, as Ansible has it: all, then
// parents, then children, then the host.
#include "engine/description/foreign/ansible.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/description/foreign/formats.hpp"
#include "engine/description/foreign/reading.hpp"

namespace fabric::description {

namespace {

// "'a b'" is one word; quotes go.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  char quote = '\0';
  bool any = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t';
    if (quote != '\0' ? c == quote : c == '"' || c == '\'') {
      quote = quote == '\0' ? c : '\0';
      any = true;
    } else if (blank && quote == '\0') {
      if (any) words.push_back(std::exchange(word, {}));
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  if (any) words.push_back(std::move(word));
  return words;
}

Result<void> read_ini(std::string_view text, Inventory& inventory) {
  std::string group = "ungrouped";
  std::string part;  // "", "vars", "children"
  LineReader reader{text};
  while (FABRIC_TRY(reader.next())) {
    const std::size_t line = reader.number();
    std::string_view content = trim(reader.line());
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    content = trim(content.substr(0, content.find(" #")));
    if (content.front() == '[' && content.find('=') == std::string_view::npos &&
        content.find(' ') == std::string_view::npos && content.back() != ']')
      return refusal(line, "a section has no ']'");
    if (content.front() == '[' && content.back() == ']') {
      const std::string_view inside = content.substr(1, content.size() - 2);
      const std::size_t colon = inside.find(':');
      group = trim(inside.substr(0, colon));
      part = colon == std::string_view::npos ? "" : std::string{trim(inside.substr(colon + 1))};
      inventory.group(group);
      continue;
    }
    if (part == "children") {
      inventory.add_child(group, std::string{content});
    } else if (part == "vars") {
      const std::size_t sign = content.find('=');
      if (sign == std::string_view::npos) return refusal(line, "a variable has no '='");
      const std::vector<std::string> value = words_of(content.substr(sign + 1));
      FABRIC_TRY(inventory.set_group(
          group, std::string{trim(content.substr(0, sign))}, join(value, " "), line));
    } else {
      const std::vector<std::string> words = words_of(content);
      const std::vector<std::string> hosts = FABRIC_TRY(inventory.add_hosts(group, words[0], line));
      for (std::size_t i = 1; i < words.size(); ++i) {
        const std::size_t sign = words[i].find('=');
        if (sign == std::string::npos) continue;
        FABRIC_TRY(
            inventory.set_hosts(hosts, words[i].substr(0, sign), words[i].substr(sign + 1), line));
      }
    }
  }
  return {};
}

// "!vault" and the like are tags, which the reader refuses; a list or a map is no login.
std::string scalar_of(const yaml::Node& node) {
  return node.is_scalar() ? node.text : "";
}

// NOLINTNEXTLINE(misc-no-recursion): the reader of YAML bounds the depth
Result<void> read_group(
    Inventory& inventory,
    const LineNumbers& lines,
    const std::string& name,
    const yaml::Node& node) {
  inventory.group(name);
  if (const yaml::Node* vars = node.find("vars")) {
    for (const yaml::Entry& each : vars->entries)
      FABRIC_TRY(inventory.set_group(
          name, each.key, scalar_of(each.value), lines.of(each.key_range.begin)));
  }
  if (const yaml::Node* hosts = node.find("hosts")) {
    for (const yaml::Entry& each : hosts->entries) {
      const std::size_t line = lines.of(each.key_range.begin);
      const std::vector<std::string> names = FABRIC_TRY(inventory.add_hosts(name, each.key, line));
      for (const yaml::Entry& variable : each.value.entries)
        FABRIC_TRY(inventory.set_hosts(names, variable.key, scalar_of(variable.value), line));
    }
    // A list, as `ansible-inventory --list` has it.
    for (const yaml::Node& each : hosts->items)
      FABRIC_TRY(inventory.add_hosts(name, each.text, lines.of(each.range.begin)));
  }
  if (const yaml::Node* children = node.find("children")) {
    for (const yaml::Entry& child : children->entries) {
      inventory.add_child(name, child.key);
      FABRIC_TRY(read_group(inventory, lines, child.key, child.value));
    }
    for (const yaml::Node& child : children->items)
      inventory.add_child(name, child.text);
  }
  return {};
}

// Tags of Ansible, which say how a text is to be taken, and are no part of it.
std::string without_tags(std::string_view text) {
  std::string plain{text};
  for (const std::string_view tag : {"!vault-encrypted", "!vault", "!unsafe"}) {
    for (std::size_t at = plain.find(tag); at != std::string::npos; at = plain.find(tag, at))
      plain.replace(at, tag.size(), tag.size(), ' ');
  }
  return plain;
}

Result<void> read_tree(std::string_view tagged, Inventory& inventory) {
  const std::string text = without_tags(tagged);
  const yaml::Node root = FABRIC_TRY(read_yaml(text));
  const LineNumbers lines{text};
  for (const yaml::Entry& group : root.entries) {
    if (group.key == "_meta") {
      const yaml::Node* hosts = group.value.find("hostvars");
      if (hosts == nullptr) continue;
      for (const yaml::Entry& each : hosts->entries) {
        const std::size_t line = lines.of(each.key_range.begin);
        const std::vector<std::string> names =
            FABRIC_TRY(inventory.add_hosts("ungrouped", each.key, line));
        for (const yaml::Entry& variable : each.value.entries)
          FABRIC_TRY(inventory.set_hosts(names, variable.key, scalar_of(variable.value), line));
      }
      continue;
    }
    if (group.key == "plugin") {
      inventory.name(fmt::format(
          "Not evaluated: the inventory plugin {}; give the output of `ansible-inventory --list`",
          scalar_of(group.value)));
      continue;
    }
    FABRIC_TRY(read_group(inventory, lines, group.key, group.value));
  }
  return {};
}

}  // namespace

Result<void> read_inventory(std::string_view text, Inventory& inventory) {
  // The first line that says anything tells: a section or a host, or the key of a group.
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = trim(take_line(rest));
    if (line.empty() || line.front() == '#' || line.front() == ';' || line == "---") continue;
    const bool is_tree = line.ends_with(':') || line.front() == '{' || line.starts_with("plugin:");
    return is_tree ? read_tree(text, inventory) : read_ini(text, inventory);
  }
  return {};
}

Result<Description> parse_ansible(std::string_view text) {
  Inventory inventory;
  FABRIC_TRY(read_inventory(text, inventory));
  return inventory.take();
}

Result<void> read_ansible_variables(
    std::string_view text, const std::string& of, bool of_host, Inventory& inventory) {
  if (text.starts_with("$ANSIBLE_VAULT")) {
    inventory.name(fmt::format("Not read: the variables of {} are in a vault", of));
    return {};
  }
  const std::string plain = without_tags(text);
  const yaml::Node root = FABRIC_TRY(read_yaml(plain));
  const LineNumbers lines{plain};
  for (const yaml::Entry& each : root.entries) {
    const std::size_t line = lines.of(each.key_range.begin);
    if (of_host) {
      FABRIC_TRY(inventory.set_hosts({of}, each.key, scalar_of(each.value), line));
    } else {
      FABRIC_TRY(inventory.set_group(of, each.key, scalar_of(each.value), line));
    }
  }
  return {};
}

}  // namespace fabric::description
