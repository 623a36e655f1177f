// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/backends/ifupdown_claims.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/interface/backends/ifupdown_sources.hpp"
#include "providers/linux/kinds/interface/backends/spellings.hpp"
#include "providers/linux/parsers/ifupdown_file.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kInterfaces = "/etc/network/interfaces";

bool enslaves(const IfupdownOption& option, const std::string& name) {
  constexpr std::string_view kLists[] = {
      "bridge-ports",
      "bridge_ports",
      "bond-slaves",
      "bond_slaves",
      "bond-ports",
      "bond_ports",
      "slaves",
      "ovs_ports",
      "ovs-ports",
      "ovs_bonds",
      "ovs-bonds"};
  return std::find(std::begin(kLists), std::end(kLists), option.key) != std::end(kLists) &&
         ifupdown_lists(option.value, name);
}

// "pre-up", "post-up" ...: what is run by a shell.
bool is_command(const IfupdownOption& option) {
  constexpr std::string_view kKeys[] = {"up", "post-up", "pre-up", "down", "post-down", "pre-down"};
  return std::find(std::begin(kKeys), std::end(kKeys), option.key) != std::end(kKeys);
}

// The line that makes `name` a port of a foreign bridge or bond, or configures it; 0 if there is
// none.
std::size_t taking_line(const IfupdownStanza& stanza, const std::string& name) {
  for (const IfupdownOption& option : stanza.options) {
    const bool takes = enslaves(option, name) || (is_command(option) && !stanza.is_iface(name) &&
                                                  ifupdown_command(option.value, name));
    if (takes) return option.line;
  }
  return 0;
}

constexpr const char* kNamesOthers =
    "its name is a pattern or is made by a template, which fabric can't take apart";

bool any_fits(const std::vector<std::string>& words, const std::string& name) {
  return std::any_of(words.begin(), words.end(), [&name](const std::string& word) {
    return ifupdown_name(word, name).fits;
  });
}

// `iface swp1`, `iface swp[1-4]`, `iface swp${i}` below a %for, `mapping eth*`, and `auto
// swp1=rail0`, which gives it the stanza `rail0`.
Spelling named_by(const IfupdownStanza& stanza, const LinkTarget& target) {
  Spelling found;
  if (stanza.words.empty()) return found;
  if (stanza.keyword == "iface") return ifupdown_name(stanza.words.front(), target.name);
  if (stanza.keyword == "mapping") found.fits = any_fits(stanza.words, target.name);
  if (stanza.keyword != "auto" && !stanza.keyword.starts_with("allow-")) return found;
  found.fits =
      std::any_of(stanza.words.begin(), stanza.words.end(), [&target](const std::string& word) {
        return ifupdown_selects(word, target);
      });
  return found;
}

void add_claims(
    const LinkTarget& target,
    const std::string& file,
    const IfupdownStanza& stanza,
    std::vector<ForeignEntry>& entries) {
  // A bare `iface X inet manual` configures nothing; Proxmox writes one for every port.
  const bool bare = stanza.method() == "manual" && stanza.options.empty();
  if (const Spelling spelled = named_by(stanza, target); spelled.fits && !bare) {
    const char* why = spelled.alone ? "" : kNamesOthers;
    entries.push_back({file, stanza.line, stanza.last_line, why});
  }
  if (!target.bond.empty() && stanza.is_iface(target.bond)) return;
  const std::size_t line = taking_line(stanza, target.name);
  // A bridge above our bond or VLAN is the author's business; a port of a card is ours alone.
  if (line != 0 && target.kind == LinkKind::port && !stanza.words.empty()) {
    entries.push_back(
        {file,
         line,
         line,
         fmt::format("it belongs to {}, which fabric did not write", stanza.words.front())});
  }
}

}  // namespace

std::vector<ForeignEntry> ifupdown_foreign(const LinkTarget& target, const FileTexts& files) {
  std::vector<ForeignEntry> entries;
  const std::set<std::string> sourced = sourced_files(files);
  for (const auto& [file, content] : files) {
    const bool read = file.starts_with(kInterfaces) || sourced.contains(file);
    if (!read || is_owned(content)) continue;
    for (const IfupdownStanza& stanza : read_ifupdown(content).stanzas)
      add_claims(target, file, stanza, entries);
  }
  return entries;
}

}  // namespace fabric::providers
