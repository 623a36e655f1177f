// SPDX-License-Identifier: Apache-2.0
#include "engine/description/merge.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/description/names.hpp"
#include "engine/subnet/node_description.hpp"

namespace fabric::description {

namespace {

std::string place(const End& end) {
  return end.adapter.empty() ? end.node + "/" + end.port
                             : fmt::format("{}/{}/{}", end.node, end.adapter, end.port);
}

// One more source on top of what is there.
class Addition {
 public:
  Addition(Description& whole, const Source& source) : whole_{whole}, source_{source} {
    for (const auto& [name, node] : whole.nodes)
      names_.emplace(host_label(name), name);
  }

  void add() {
    for (const auto& [name, node] : source_.says.nodes)
      add_node(name, node);
    for (const auto& [name, network] : source_.says.networks)
      add_network(name, network);
    for (const std::string& note : source_.says.notes) {
      if (std::find(whole_.notes.begin(), whole_.notes.end(), note) == whole_.notes.end())
        whole_.notes.push_back(note);
    }
  }

 private:
  std::string known_name(const std::string& name) const {
    const auto known = names_.find(host_label(name));
    return known == names_.end() ? name : known->second;
  }

  void fill(std::string& mine, const std::string& theirs, const char* what, Node& node) const {
    if (mine.empty()) mine = theirs;
    if (!theirs.empty() && mine != theirs)
      node.notes.push_back(
          fmt::format("{} has the {} {}, not {}", source_.name, what, theirs, mine));
  }

  void add_node(const std::string& name, const Node& theirs) {
    const std::string known = known_name(name);
    const bool is_new = !whole_.nodes.contains(known);
    Node& mine = whole_.nodes[known];
    if (is_new) {
      mine = theirs;
      return;
    }
    // Who has ports of it knows what it is; a list of addresses does not.
    if (mine.is_switch != theirs.is_switch) {
      const bool no_word = mine.adapters.empty() && !mine.is_switch;
      if (no_word) mine.is_switch = theirs.is_switch;
      if (!no_word && !theirs.adapters.empty())
        mine.notes.push_back(
            fmt::format("{} has it as a {}", source_.name, theirs.is_switch ? "switch" : "host"));
    }
    fill(mine.address, theirs.address, "address", mine);
    fill(mine.user, theirs.user, "user", mine);
    fill(mine.model, theirs.model, "model", mine);
    fill(mine.node_guid, theirs.node_guid, "node GUID", mine);
    if (mine.ssh_port == 0) mine.ssh_port = theirs.ssh_port;
    for (const auto& [key, value] : theirs.labels) {
      const auto [label, fresh] = mine.labels.emplace(key, value);
      if (!fresh && label->second != value)
        mine.notes.push_back(fmt::format("{} has the {} {}", source_.name, key, value));
    }
    for (const auto& [adapter, card] : theirs.adapters)
      add_adapter(mine, adapter, card);
    mine.notes.insert(mine.notes.end(), theirs.notes.begin(), theirs.notes.end());
  }

  // A source that names no cards has one or two ports of "hca": those of the one card that is
  // known.
  static std::string known_adapter(const Node& mine, const std::string& adapter) {
    const bool only_one = mine.adapters.size() == 1;
    const bool same = only_one && (adapter == "hca" || mine.adapters.begin()->first == "hca");
    return same ? mine.adapters.begin()->first : adapter;
  }

  static void add_adapter(Node& mine, const std::string& name, const Adapter& theirs) {
    const auto [place, is_new] = mine.adapters.emplace(known_adapter(mine, name), theirs);
    if (is_new) return;
    Adapter& card = place->second;
    if (card.assumed && !theirs.assumed) {
      card.model = theirs.model;
      card.assumed = false;
    } else if (!theirs.assumed && card.model != theirs.model) {
      mine.notes.push_back(fmt::format("another source has {} as {}", place->first, theirs.model));
    }
    card.ports = std::max(card.ports, theirs.ports);
    if (card.node_guid.empty()) card.node_guid = theirs.node_guid;
    if (card.pci.empty()) card.pci = theirs.pci;
    if (card.mac.empty()) card.mac = theirs.mac;
  }

  End known_end(End end) const {
    end.node = known_name(end.node);
    const auto node = whole_.nodes.find(end.node);
    if (node != whole_.nodes.end() && !end.adapter.empty())
      end.adapter = known_adapter(node->second, end.adapter);
    return end;
  }

  void add_network(const std::string& name, const Network& theirs) {
    const bool is_new = !whole_.networks.contains(name);
    Network& mine = whole_.networks[name];
    if (is_new) {
      mine = theirs;
      mine.cables.clear();
      mine.notes.clear();
    }
    std::map<End, End> cabled;
    for (const Cable& cable : mine.cables) {
      cabled.emplace(cable.a, cable.b);
      cabled.emplace(cable.b, cable.a);
    }
    const std::size_t before = mine.cables.size();
    std::size_t shared = 0;
    for (Cable cable : theirs.cables) {
      cable.a = known_end(cable.a);
      cable.b = known_end(cable.b);
      const auto at_a = cabled.find(cable.a);
      const auto at_b = cabled.find(cable.b);
      if (at_a == cabled.end() && at_b == cabled.end()) {
        mine.cables.push_back(cable);
        continue;
      }
      if (at_a != cabled.end() && at_a->second == cable.b) {
        ++shared;
        continue;
      }
      const auto& other = at_a != cabled.end() ? *at_a : *at_b;
      mine.notes.push_back(fmt::format(
          "{} has {} to {}; before it there was {} to {}",
          source_.name,
          place(cable.a),
          place(cable.b),
          place(other.first),
          place(other.second)));
    }
    const std::size_t alone = mine.cables.size() - before;
    if (!is_new && alone != 0)
      mine.notes.push_back(fmt::format("in {} alone: {}", source_.name, counted(alone, "cable")));
    if (!is_new && before > shared)
      mine.notes.push_back(
          fmt::format("not in {}: {}", source_.name, counted(before - shared, "cable")));
    mine.notes.insert(mine.notes.end(), theirs.notes.begin(), theirs.notes.end());
  }

  Description& whole_;
  const Source& source_;
  std::map<std::string, std::string> names_;
};

}  // namespace

Description merge(const std::vector<Source>& sources) {
  Description whole = sources.front().says;
  for (std::size_t i = 1; i < sources.size(); ++i)
    Addition{whole, sources[i]}.add();
  return whole;
}

}  // namespace fabric::description
