// SPDX-License-Identifier: Apache-2.0
// interfaces(5) of ifupdown with ifenslave, vlan, bridge-utils and resolvconf, and of ifupdown2.
#include <algorithm>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/interface/statements/file_statement.hpp"
#include "providers/linux/parsers/ifupdown_file.hpp"

namespace fabric::providers {

namespace {

// ifenslave takes '_' for '-'.
constexpr FileWord kWords[] = {
    {"gateway", said::kGateway, as_written},
    {"mtu", said::kMtu, as_written},
    {"network", said::kNothing, as_written},  // ifupdown reads it no more
    {"broadcast",
     said::kNothing,
     [](const std::string& value) {
       return value == "+" ? Meaning{value} : std::nullopt;
     }},
    {"bond-master", said::kMaster, as_written},
    {"vlan-raw-device", "parent", as_written},
    {"vlan-id", "id", as_written},
};

constexpr std::string_view kSlaveLists[] = {"bond-slaves", "bond-ports", "slaves"};
constexpr std::string_view kCommands[] = {
    "up", "post-up", "down", "pre-down", "post-down", "pre-up"};

bool is_one(std::string_view word, std::span<const std::string_view> of) {
  return std::find(of.begin(), of.end(), word) != of.end();
}

// "${address}" of a template; a command has variables of the shell.
bool is_variable(const FileStatement& statement) {
  return !is_one(statement.key, kCommands) && statement.value.find("${") != std::string::npos;
}

// "static" and "manual" ask for nothing that the options don't say.
void add_header(
    std::vector<FileStatement>& all, const std::string& path, const IfupdownStanza& stanza) {
  const std::string method = stanza.method();
  if (method.empty()) return;
  FileStatement header{path, stanza.line, stanza.family(), method};
  if (method == "static" || method == "manual") header.attribute = said::kNothing;
  all.push_back(std::move(header));
  // "inherits NAME": options of another stanza.
  for (std::size_t at = 3; at + 1 < stanza.words.size(); at += 2)
    all.push_back({path, stanza.line, stanza.words[at], stanza.words[at + 1]});
}

std::string netmask_of(const IfupdownStanza& stanza) {
  for (const IfupdownOption& option : stanza.options)
    if (option.key == "netmask") return prefix_of(option.value);
  return {};
}

void add_option(
    std::vector<FileStatement>& all,
    const std::string& path,
    const IfupdownStanza& stanza,
    const IfupdownOption& option) {
  FileStatement statement{path, option.line, option.key, option.value};
  std::string plain = option.key;
  if (plain.starts_with("bond") || plain.starts_with("vlan"))
    std::replace(plain.begin(), plain.end(), '_', '-');
  if (is_one(plain, kSlaveLists)) {
    for (const std::string_view slave : split_words(option.value)) {
      if (slave == "none") continue;
      FileStatement one = statement;
      one.value = slave;
      one.attribute = said::kSlave;
      one.meaning = slave;
      all.push_back(std::move(one));
    }
    return;
  }
  if (plain == "address" || plain == "netmask") {
    const std::string mask = netmask_of(stanza);
    for (const IfupdownOption& each : stanza.options) {
      if (each.key != "address" || (plain == "address" && each.line != option.line)) continue;
      const bool has_prefix = each.value.find('/') != std::string::npos;
      statement.attribute = said::kAddress;
      statement.meaning = has_prefix ? each.value : each.value + mask;
      break;
    }
  } else if (plain == "up" || plain == "post-up") {
    say_route_of(statement, option.value, stanza.words.size() > 1 ? stanza.words[1] : "");
  } else {
    std::swap(statement.key, plain);
    understand(statement, kWords);
    std::replace(statement.key.begin(), statement.key.end(), '-', '_');
    understand_bond(statement, "bond_");
    std::swap(statement.key, plain);
  }
  all.push_back(std::move(statement));
}

}  // namespace

std::vector<FileStatement> ifupdown_statements(
    const ForeignEntry& entry, std::string_view content) {
  std::vector<FileStatement> all;
  const bool whole = entry.last_line == 0;
  for (const IfupdownStanza& stanza : read_ifupdown(content).stanzas) {
    if (!whole && (stanza.line < entry.line || stanza.line > entry.last_line)) continue;
    // "auto" and "allow-hotplug" bring up interfaces with a stanza, as fabric's.
    if (stanza.keyword != "iface") continue;
    add_header(all, entry.path, stanza);
    for (const IfupdownOption& option : stanza.options)
      add_option(all, entry.path, stanza, option);
    // The result of a template is unknown before it runs.
    for (FileStatement& each : all) {
      const bool of_it = each.line >= stanza.line && each.line <= stanza.last_line;
      if (!of_it || (!stanza.templated && !is_variable(each))) continue;
      each.attribute = said::kUnknown;
      each.context = "a template";
    }
  }
  return all;
}

}  // namespace fabric::providers
