// SPDX-License-Identifier: Apache-2.0
// Ansible inventories, INI and YAML: of each host its address and how to log in. Groups nest;
// variables of groups are followed for the login alone.
#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/description/foreign/cabling.hpp"
#include "engine/description/foreign/formats.hpp"
#include "engine/description/foreign/reading.hpp"
#include "engine/model/node_set.hpp"

namespace fabric::description {

namespace {

constexpr std::uint32_t kLargestPort = 65'535;

std::string unquoted(std::string_view text) {
  const bool quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
                      text.front() == text.back();
  return std::string{quoted ? text.substr(1, text.size() - 2) : text};
}

class Inventory {
 public:
  // Ansible's ranges are "web[01:20]".
  Result<std::vector<Node*>> hosts(std::string_view written, std::size_t line) {
    std::string text{written};
    for (char& c : text) {
      if (c == ':') c = '-';
    }
    const bool has_range = text.find('[') != std::string::npos;
    const Result<NodeSet> set = NodeSet::parse(has_range ? text : std::string{written});
    if (!set) return refusal(line, set.error().message);
    FABRIC_TRY(count(set->size(), line));
    std::vector<Node*> found;
    for (std::size_t i = 0; i < set->size(); ++i) {
      const std::string name = set->at(i);
      const std::string host = name.substr(0, has_range ? std::string::npos : name.find(':'));
      if (safe_name(host) != host)
        return refusal(line, fmt::format("'{}' is not the name of a host", host));
      found.push_back(&found_.nodes[host]);
      if (found_.nodes.size() > limits::kNodes)
        return refusal(line, fmt::format("more than {} hosts", limits::kNodes));
    }
    return found;
  }

  void set(Node& node, std::string_view key, const std::string& value) {
    const bool is_host = key == "ansible_host" || key == "ansible_ssh_host";
    const bool is_user = key == "ansible_user" || key == "ansible_ssh_user";
    const bool is_port = key == "ansible_port" || key == "ansible_ssh_port";
    if (!is_host && !is_user && !is_port) return;
    // A template, or a text that is no name.
    if (!is_host_text(value)) {
      if (notes_++ < limits::kForeignNotes)
        node.notes.push_back(fmt::format("left out: {} is '{}'", key, value));
      return;
    }
    if (is_host) node.address = value;
    if (is_user) node.user = value;
    if (is_port) {
      const auto port = parse_integer(value);
      if (port && *port > 0 && *port <= kLargestPort && *port != 22)
        node.ssh_port = static_cast<std::uint32_t>(*port);
    }
  }

  Result<Description> take() {
    if (found_.nodes.empty()) return refusal(1, "there is no host in it");
    return std::move(found_);
  }

  // A line can name all hosts and a variable of each, and there may be a million lines.
  Result<void> count(std::size_t values, std::size_t line) {
    counted_ += values;
    if (counted_ > limits::kForeignValues)
      return refusal(
          line,
          fmt::format("the lines up to here come to more than {} values", limits::kForeignValues));
    return {};
  }

 private:
  Description found_;
  std::size_t counted_ = 0;
  std::size_t notes_ = 0;
};

Result<void> read_host_line(Inventory& inventory, std::string_view text, std::size_t line) {
  const std::vector<Node*> hosts = FABRIC_TRY(inventory.hosts(take_word(text), line));
  while (true) {
    const std::string_view word = take_word(text);
    if (word.empty()) return {};
    const std::size_t sign = word.find('=');
    if (sign == std::string_view::npos) continue;  // the rest of a quoted value
    FABRIC_TRY(inventory.count(hosts.size(), line));
    for (Node* node : hosts)
      inventory.set(*node, word.substr(0, sign), unquoted(word.substr(sign + 1)));
  }
}

Result<Description> read_ini(std::string_view text) {
  Inventory inventory;
  bool hosts = true;
  LineReader reader{text};
  while (FABRIC_TRY(reader.next())) {
    const std::size_t line = reader.number();
    const std::string_view content = trim(reader.line().substr(0, reader.line().find(" #")));
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    if (content.front() == '[') {
      if (content.back() != ']') return refusal(line, "a section has no ']'");
      hosts = content.find(':') == std::string_view::npos;  // [group:vars], [group:children]
      continue;
    }
    if (hosts) FABRIC_TRY(read_host_line(inventory, content, line));
  }
  return inventory.take();
}

Result<void> read_host_entry(
    Inventory& inventory, const LineNumbers& lines, const yaml::Entry& entry) {
  const std::size_t line = lines.of(entry.key_range.begin);
  const std::vector<Node*> hosts = FABRIC_TRY(inventory.hosts(entry.key, line));
  FABRIC_TRY(inventory.count(hosts.size() * entry.value.entries.size(), line));
  for (Node* node : hosts) {
    for (const yaml::Entry& variable : entry.value.entries)
      if (variable.value.is_scalar()) inventory.set(*node, variable.key, variable.value.text);
  }
  return {};
}

// NOLINTNEXTLINE(misc-no-recursion): the reader of YAML bounds the depth
Result<void> read_group(Inventory& inventory, const LineNumbers& lines, const yaml::Node& group) {
  if (const yaml::Node* hosts = group.find("hosts")) {
    for (const yaml::Entry& entry : hosts->entries)
      FABRIC_TRY(read_host_entry(inventory, lines, entry));
  }
  if (const yaml::Node* children = group.find("children")) {
    for (const yaml::Entry& child : children->entries)
      FABRIC_TRY(read_group(inventory, lines, child.value));
  }
  return {};
}

}  // namespace

Result<Description> parse_ansible(std::string_view text) {
  // The first line that says anything tells: a section or a host, or the key of a group.
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = trim(take_line(rest));
    if (line.empty() || line.front() == '#' || line.front() == ';' || line == "---") continue;
    if (!line.ends_with(':')) return read_ini(text);
    break;
  }
  const yaml::Node root = FABRIC_TRY(read_yaml(text));
  const LineNumbers lines{text};
  Inventory inventory;
  for (const yaml::Entry& group : root.entries)
    FABRIC_TRY(read_group(inventory, lines, group.value));
  return inventory.take();
}

}  // namespace fabric::description
