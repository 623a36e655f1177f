// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/lab/lab_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "engine/remote/shell.hpp"
#include "engine/report/terminal/style.hpp"

namespace fabric::cli {

namespace {

using report::compose;
using report::Text;

constexpr std::size_t kListed = 20;
constexpr std::size_t kListedOfMany = 3;

// One line a node, each column as wide as its widest cell.
Text table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], report::columns(row[i]));
  }
  Text text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      text += compose("{}  ", report::pad(row[i], widths[i]));
    text += compose("{}\n", row.back());
  }
  return text;
}

Text nodes_table(const Map& nodes) {
  std::vector<std::vector<std::string>> rows{{"NODE", "POWER", "BOOTS", "FAULT", "ADDRESS"}};
  for (const auto& [name, node] : nodes) {
    const Value* boots = node.find("boots");
    rows.push_back(
        {name,
         node.string_or_empty("power"),
         boots == nullptr ? "" : to_text(*boots),
         node.string_or_empty("fault"),
         node.string_or_empty("address")});
  }
  return table(rows);
}

// "key: value" for scalars, indented blocks for lists and maps.
// NOLINTNEXTLINE(misc-no-recursion): over a Value of the lab's own, a few levels deep
Text block(const Value& value, std::size_t indent) {
  const Map* map = value.as_map();
  if (map == nullptr) return Text::blanks(indent) + to_text(value) + "\n";
  std::size_t width = 0;
  for (const auto& [key, member] : *map)
    width = std::max(width, report::columns(key));
  Text text;
  for (const auto& [key, member] : *map) {
    text += Text::blanks(indent);
    const bool nested = member.as_map() != nullptr && !member.as_map()->empty();
    text += nested ? compose("{}\n", key) + block(member, indent + 2)
                   : compose("{}  {}\n", report::pad(key, width), to_text(member));
  }
  return text;
}

}  // namespace

Text lab_addresses_text(const labserver::LabInfo& info) {
  std::size_t width = 0;
  for (const auto& [name, address] : info.addresses)
    width = std::max(width, name.size());
  Text text;
  std::size_t number = 0;
  const std::size_t all = info.addresses.size();
  for (const auto& [name, address] : info.addresses) {
    ++number;
    const bool shown = all <= kListed || number <= kListedOfMany || number == all;
    if (shown) text += compose("{}  {}\n", report::pad(name, width), address);
    if (!shown && number == kListedOfMany + 1)
      text += compose("... {} more ...\n", all - kListedOfMany - 1);
  }
  if (all == 0) return text;
  return text + compose(
                    "log in with: {}\n",
                    remote::command_line(
                        {"ssh",
                         "-p",
                         std::to_string(info.port),
                         "-i",
                         info.identity_file,
                         "-o",
                         "UserKnownHostsFile=" + info.known_hosts_file,
                         "root@" + info.addresses.begin()->second}));
}

Text lab_status_text(const Value& status) {
  const Value* nodes = status.find("nodes");
  const Value* monitor = status.find("monitor");
  if (nodes == nullptr || nodes->as_map() == nullptr || monitor == nullptr) return block(status, 0);
  // The table has them.
  Map counted = monitor->as_map() == nullptr ? Map{} : *monitor->as_map();
  counted.erase("reboots_by_node");
  return nodes_table(*nodes->as_map()) + "\n" + block(Value{std::move(counted)}, 0);
}

std::string ring_document(std::size_t nodes) {
  return fmt::format(
      R"(# yaml-language-server: $schema=https://fabric.invalid/schemas/fabric.schema.json
# Made by `fabric lab up --nodes {0}`: a ConnectX-5 host-chaining ring of simulated nodes.
apiVersion: fabric/v1
name: lab-ring
defaults:
  ssh: {{user: root}}
  adapters: {{cx5: {{model: connectx-5-vpi, ports: 2}}}}
nodes:
  node[1-{0}]: {{}}
networks:
  storage:
    mode: chain
    mtu: 9000
    ipv4: {{subnet: 10.30.0.0/16}}
    cables: [{{ring: ["node[1-{0}]"]}}]
)",
      nodes);
}

}  // namespace fabric::cli
