// SPDX-License-Identifier: Apache-2.0
#include "engine/description/merge.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/text.hpp"
#include "engine/description/merge_parts.hpp"
#include "engine/description/names.hpp"
#include "engine/model/platform.hpp"
#include "engine/model/switch_port.hpp"
#include "engine/subnet/node_description.hpp"

namespace fabric::description {

namespace {

std::string place(const End& end) {
  return end.adapter.empty() ? end.node + "/" + end.port
                             : fmt::format("{}/{}/{}", end.node, end.adapter, end.port);
}

bool is_infiniband(const Network& network) {
  return network.mode == "infiniband";
}

// If one of the two is empty, the first of the other.
std::string first_shared(const std::set<std::string>& a, const std::set<std::string>& b) {
  if (a.empty() || b.empty()) return a.empty() ? *b.begin() : *a.begin();
  const auto both = std::ranges::find_if(a, [&b](const auto& each) { return b.contains(each); });
  return both == a.end() ? "" : *both;
}

// A description that grows, and which source each part of it is of.
struct Whole {
  Description says;
  std::map<std::string, std::string> told_by;  // "c1", "c1 address", "c1/hca/1"
};

// Adds one more source to a description.
class Addition {
 public:
  Addition(Whole& whole, Source& source)
      : whole_{whole.says},
        told_by_{whole.told_by},
        source_{source},
        theirs_{source.says},
        known_{whole.says} {
    for (const auto& [name, network] : whole_.networks)
      before_.insert(name);
  }

  void add() {
    // Known nodes come first, so that a second name of one of them is found by its address.
    for (const bool all : {false, true}) {
      for (const auto& [name, node] : source_.says.nodes)
        if (!names_.contains(name) && (all || is_known_by(name, node))) add_node(name, node);
    }
    call_switches_of_labels();
    for (auto& [name, network] : source_.says.networks)
      add_network(name, network);
    whole_.of_subnet = whole_.of_subnet || source_.says.of_subnet;
    for (const std::string& note : source_.says.notes) {
      if (std::ranges::find(whole_.notes, note) == whole_.notes.end()) whole_.notes.push_back(note);
    }
  }

 private:
  const std::string& teller(const std::string& what) const {
    static const std::string none = "another source";
    const auto found = told_by_.find(what);
    return found == told_by_.end() ? none : found->second;
  }

  void fill(
      std::string& mine,
      const std::string& theirs,
      const std::string& node,
      const char* what,
      std::vector<std::string>& notes) {
    const std::string key = fmt::format("{} {}", node, what);
    if (mine.empty() && !theirs.empty()) {
      mine = theirs;
      told_by_[key] = source_.name;
    }
    if (!theirs.empty() && mine != theirs)
      notes.push_back(fmt::format(
          "{} has the {} {}, {} has {}", teller(key), what, mine, source_.name, theirs));
  }

  // Two nodes of one source whose names differ by their domains alone are never one, and one
  // without a domain is either.
  std::string name_of(const std::string& name, const Node& theirs) const {
    const std::string known = known_.node_by_name(name, theirs);
    const bool same = to_lower(known) == to_lower(name);
    const bool by_label = !known.empty() && !same && host_label(known) == host_label(name);
    return by_label && theirs_.nodes_by_label(name).size() > 1 ? "" : known;
  }

  bool is_known_by(const std::string& name, const Node& theirs) const {
    return !name_of(name, theirs).empty() || !known_.node_by_evidence(theirs).empty();
  }

  // Where its name without a domain is that of others, and nothing shows which one it is.
  void note_same_label(const std::string& name) {
    const std::vector<std::string>& mine = known_.nodes_by_label(name);
    const std::vector<std::string>& theirs = theirs_.nodes_by_label(name);
    const bool several = theirs.size() > 1;
    if (mine.empty() || (several && theirs.front() != name)) return;
    for (const std::string& each : several ? mine : std::vector{name})
      whole_.nodes.at(each).notes.push_back(fmt::format(
          "no source shows whether this is {}", fmt::join(several ? theirs : mine, " or ")));
  }

  // The node of the whole that `theirs` is, renamed where only they have a name for it.
  std::string known_name(const std::string& name, const Node& theirs) {
    const std::string by_evidence = known_.node_by_evidence(theirs);
    const std::string by_name = name_of(name, theirs);
    if (by_evidence.empty()) return by_name;
    if (by_evidence == by_name || !theirs.named) return by_evidence;
    Node& mine = whole_.nodes.at(by_evidence);
    if (!mine.named && by_name.empty()) {
      rename_node(whole_, by_evidence, name);
      Node& renamed = whole_.nodes.at(name);
      renamed.named = true;
      renamed.notes = theirs.notes;
      told_by_[name] = source_.name;
      known_ = Identities{whole_};
      return name;
    }
    if (host_label(by_evidence) != host_label(name))
      mine.notes.push_back(fmt::format(
          "{} calls it {}, {} {}", teller(by_evidence), by_evidence, source_.name, name));
    mine.aliases.insert(name);
    return by_evidence;
  }

  // A label of this source names a switch as this source does.
  void call_switches_of_labels() {
    for (const auto& [name, mine] : names_) {
      std::map<std::string, std::string>& labels = whole_.nodes[mine].labels;
      const auto label = labels.find("switch");
      const auto known = label == labels.end() ? names_.end() : names_.find(label->second);
      if (known != names_.end()) label->second = known->second;
    }
  }

  void remember(const std::string& name, const Node& node) {
    told_by_.emplace(name, source_.name);
    for (const auto& [what, value] :
         {std::pair{"address", node.address},
          {"user", node.user},
          {"model", node.model},
          {"node GUID", node.node_guid}})
      if (!value.empty()) told_by_.emplace(fmt::format("{} {}", name, what), source_.name);
    for (const auto& [adapter, card] : node.adapters)
      told_by_.emplace(name + "/" + adapter, source_.name);
  }

  void add_node(const std::string& name, const Node& theirs) {
    std::string known = known_name(name, theirs);
    // The same host under another name of this source: by address, port and way.
    std::string none;
    std::string& same_login =
        theirs.address.empty() ? none
                               : by_login_[std::tie(theirs.address, theirs.ssh_port, theirs.jump)];
    if (known.empty() && !same_login.empty()) {
      known = same_login;
      whole_.nodes.at(known).notes.push_back(
          fmt::format("{} calls it {}, too, by the same address", source_.name, name));
    }
    const bool twice = !known.empty() && !same_login.empty() && same_login != known;
    if (same_login.empty()) same_login = known.empty() ? name : known;
    if (known.empty()) {
      names_[name] = name;
      whole_.nodes[name] = theirs;
      remember(name, theirs);
      note_same_label(name);
      return;
    }
    names_[name] = known;
    Node& mine = whole_.nodes[known];
    // A source with ports knows whether a node is a switch; a list of addresses does not.
    if (mine.is_switch != theirs.is_switch) {
      const bool no_word = mine.adapters.empty() && !mine.is_switch && mine.platform.empty();
      if (no_word) mine.is_switch = theirs.is_switch;
      if (!no_word && !theirs.adapters.empty())
        mine.notes.push_back(fmt::format(
            "{} has this node as a {}, but {} as a {}",
            teller(known),
            mine.is_switch ? "switch" : "host",
            source_.name,
            theirs.is_switch ? "switch" : "host"));
    }
    if (twice) {
      mine.notes.push_back(fmt::format(
          "{} has the address {} of {} for it, too: left out",
          source_.name,
          theirs.address,
          same_login));
    } else {
      fill_login(mine, theirs, known);
    }
    fill(mine.model, theirs.model, known, "model", mine.notes);
    fill(mine.node_guid, theirs.node_guid, known, "node GUID", mine.notes);
    if (mine.platform.empty()) mine.platform = theirs.platform;
    for (const auto& [key, value] : theirs.labels) {
      const auto [label, fresh] = mine.labels.emplace(key, value);
      if (!fresh && label->second != value)
        mine.notes.push_back(fmt::format("{} has the {} {}", source_.name, key, value));
    }
    if (!mine.is_switch) {
      for (const auto& [adapter, card] : theirs.adapters)
        add_adapter(known, name, adapter, card);
    }
    if (theirs.named) mine.notes.insert(mine.notes.end(), theirs.notes.begin(), theirs.notes.end());
  }

  void fill_login(Node& mine, const Node& theirs, const std::string& name) {
    fill(mine.address, theirs.address, name, "address", mine.notes);
    fill(mine.user, theirs.user, name, "user", mine.notes);
    fill(mine.identity_file, theirs.identity_file, name, "key", mine.notes);
    fill(mine.jump, theirs.jump, name, "jump host", mine.notes);
    if (mine.become.empty()) mine.become = theirs.become;
    if (mine.ssh_port == 0) mine.ssh_port = theirs.ssh_port;
  }

  // Their card as the whole has it, port by port; none where nothing tells which of the host's
  // cards it is, and the host has no other.
  std::optional<End> known_port(
      const std::string& node,
      const Node& theirs,
      const std::string& adapter,
      std::uint32_t port) const {
    const auto card = theirs.adapters.find(adapter);
    const bool has_card = card != theirs.adapters.end();
    if (has_card) {
      if (const auto end = known_.port_by_evidence(card->second, port)) return end;
    }
    const End same{node, adapter, std::to_string(port)};
    const auto mine = whole_.nodes.find(node);
    if (mine == whole_.nodes.end()) return same;
    const PortEvidence* evidence = nullptr;
    if (has_card && card->second.evidence.contains(port))
      evidence = &card->second.evidence.at(port);
    if (mine->second.adapters.contains(adapter)) return same;
    if (const auto end = known_.port_by_device(node, adapter, evidence)) return end;
    // A source that names no cards has one or two ports of "hca": those of the one card that is
    // known.
    const bool only_one = mine->second.adapters.size() == 1;
    const std::string& only = only_one ? mine->second.adapters.begin()->first : adapter;
    const bool is_it = only_one && (adapter == "hca" || only == "hca" ||
                                    (mine->second.all_cards && theirs.adapters.size() == 1));
    if (is_it) return End{node, only, std::to_string(port)};
    if (mine->second.all_cards) return std::nullopt;
    return same;
  }

  void add_adapter(
      const std::string& node,
      const std::string& their_node,
      const std::string& name,
      const Adapter& theirs) {
    const std::optional<End> first = known_port(node, source_.says.nodes.at(their_node), name, 1);
    if (!first) {
      whole_.nodes.at(node).notes.push_back(fmt::format(
          "{} has the card {}, and no source shows which of the cards of {} it is: its cables are "
          "left out",
          source_.name,
          name,
          teller(node)));
      return;
    }
    Node& owner = whole_.nodes[first->node];
    const auto [place, is_new] = owner.adapters.emplace(first->adapter, theirs);
    const std::string called = first->node + "/" + first->adapter;
    if (is_new) {
      told_by_.emplace(called, source_.name);
      return;
    }
    Adapter& card = place->second;
    if (card.assumed && !theirs.assumed) {
      card.model = theirs.model;
      card.assumed = false;
      told_by_[called] = source_.name;
    } else if (!theirs.assumed && card.model != theirs.model) {
      owner.notes.push_back(fmt::format(
          "{} has {} as {}, {} as {}",
          teller(called),
          place->first,
          card.model,
          source_.name,
          theirs.model));
    }
    if (!owner.all_cards) card.ports = std::max(card.ports, theirs.ports);
    for (const auto& [number, port] : theirs.evidence) {
      const std::optional<End> at =
          known_port(node, source_.says.nodes.at(their_node), name, number);
      if (at && at->adapter == first->adapter) learn(owner, card, *at, port);
    }
    if (card.serial.empty()) card.serial = theirs.serial;
    // A source that has read all of its cards says which is which.
    if (owner.all_cards) return;
    if (card.pci.empty()) card.pci = theirs.pci;
    if (card.mac.empty()) card.mac = theirs.mac;
    if (card.node_guid.empty()) card.node_guid = theirs.node_guid;
  }

  void learn(Node& owner, Adapter& card, const End& at, const PortEvidence& theirs) {
    const auto number = static_cast<std::uint32_t>(parse_integer(at.port).value_or(1));
    PortEvidence& mine = card.evidence[number];
    fill(mine.node_guid, theirs.node_guid, place(at), "node GUID", owner.notes);
    fill(mine.port_guid, theirs.port_guid, place(at), "port GUID", owner.notes);
    mine.macs.insert(theirs.macs.begin(), theirs.macs.end());
    mine.devices.insert(theirs.devices.begin(), theirs.devices.end());
  }

  // A port as the system of its switch calls it: "sw2p1" of 3 on NVOS, "1/3" on MLNX-OS.
  static std::string called_port(const Node& node, const std::string& port) {
    const std::optional<Platform> platform = platform_of(node.platform);
    const std::optional<SwitchPort> read = SwitchPort::parse(port);
    if (!platform || !read) return port;
    return as_called(*read, traits(*platform).port_names, node.model).str();
  }

  std::optional<End> known_end(const End& end) const {
    const auto node = names_.find(end.node);
    if (node == names_.end()) return end;
    if (end.adapter.empty())
      return End{node->second, "", called_port(whole_.nodes.at(node->second), end.port)};
    const auto number = static_cast<std::uint32_t>(parse_integer(end.port).value_or(1));
    return known_port(node->second, source_.says.nodes.at(end.node), end.adapter, number);
  }

  // The networks of the description by port, and for a switch of InfiniBand by any of its ports. A
  // source keeps its own networks apart; on Ethernet a switch may be in several.
  struct Members {
    std::map<End, std::set<std::string>> ports;
    std::map<std::string, std::set<std::string>> switches;

    void add(const End& end, const std::string& network) {
      ports[end].insert(network);
      if (end.adapter.empty()) switches[end.node].insert(network);
    }
    std::set<std::string> of(const End& end) const {
      const auto port = ports.find(end);
      if (port != ports.end()) return port->second;
      const auto node = switches.find(end.node);
      return node == switches.end() || !end.adapter.empty() ? std::set<std::string>{}
                                                            : node->second;
    }
  };

  Members members(bool infiniband) const {
    Members found;
    for (const auto& [name, network] : whole_.networks) {
      if (is_infiniband(network) != infiniband || !before_.contains(name)) continue;
      for (const End& port : network.ports)
        found.add(port, name);
      for (const Cable& cable : network.cables) {
        found.add(cable.a, name);
        found.add(cable.b, name);
      }
      for (const std::string& root : network.roots)
        found.switches[root].insert(name);
    }
    if (!infiniband) found.switches.clear();
    return found;
  }

  std::string name_for(const std::string& name, const Network& theirs) const {
    std::string free = name;
    for (std::size_t number = 2;; ++number) {
      const auto taken = whole_.networks.find(free);
      if (taken == whole_.networks.end() || is_infiniband(taken->second) == is_infiniband(theirs))
        return free;
      free = fmt::format("{}-{}", name, number);
    }
  }

  // The network of each cable of one network of a source: it may belong to several networks here,
  // by its ends and the other cables of its switches. "" if its two ends are in two networks: it is
  // left out, with a note.
  std::map<const Cable*, std::string> homes_of(const std::string& name, const Network& theirs) {
    const Members in = members(is_infiniband(theirs));
    std::map<const Cable*, std::string> homes;
    std::map<std::string, std::string> of_switch;
    for (const Cable& cable : theirs.cables) {
      const std::set<std::string> of_a = in.of(cable.a);
      const std::set<std::string> of_b = in.of(cable.b);
      if (of_a.empty() && of_b.empty()) continue;
      const bool apart = !of_a.empty() && !of_b.empty() && first_shared(of_a, of_b).empty();
      const std::string home = apart ? "" : first_shared(of_a, of_b);
      homes.emplace(&cable, home);
      if (apart) {
        whole_.networks.at(*of_a.begin())
            .notes.push_back(fmt::format(
                "{} has a cable {} to {} in the network {}: the cable is left out",
                source_.name,
                place(cable.a),
                place(cable.b),
                *of_b.begin()));
        continue;
      }
      for (const End* end : {&cable.a, &cable.b})
        if (end->adapter.empty()) of_switch.emplace(end->node, home);
    }
    for (bool found = !homes.empty() && is_infiniband(theirs); found;) {
      found = false;
      for (const Cable& cable : theirs.cables) {
        if (homes.contains(&cable)) continue;
        for (const End* end : {&cable.a, &cable.b}) {
          const auto near = of_switch.find(end->node);
          if (!end->adapter.empty() || near == of_switch.end() || homes.contains(&cable)) continue;
          const std::string home = near->second;
          homes.emplace(&cable, home);
          of_switch.emplace(cable.a.node, home);
          of_switch.emplace(cable.b.node, home);
          found = true;
        }
      }
    }
    const std::string rest = name_for(name, theirs);
    for (const Cable& cable : theirs.cables)
      homes.emplace(&cable, rest);
    return homes;
  }

  void add_network(const std::string& name, Network& theirs) {
    change_ends(theirs, [this](const End& end) { return known_end(end); });
    for (std::string& root : theirs.roots) {
      const auto known = names_.find(root);
      if (known != names_.end()) root = known->second;
    }
    const auto homes = homes_of(name, theirs);
    std::map<std::string, std::vector<Cable>> by_home;
    for (const Cable& cable : theirs.cables)
      if (!homes.at(&cable).empty()) by_home[homes.at(&cable)].push_back(cable);
    if (by_home.empty()) by_home[name_for(name, theirs)];
    bool first = true;
    for (auto& [home, of_home] : by_home) {
      const bool is_new = !whole_.networks.contains(home);
      Network& mine = whole_.networks[home];
      if (is_new) {
        mine = theirs;
        mine.cables.clear();
        mine.notes.clear();
      }
      if (first) mine.notes.insert(mine.notes.end(), theirs.notes.begin(), theirs.notes.end());
      add_cables(mine, is_new, of_home);
      first = false;
    }
  }

  void add_cables(Network& mine, bool is_new, const std::vector<Cable>& theirs) {
    std::map<End, std::size_t> cabled;  // by index
    const std::size_t before = mine.cables.size();
    for (std::size_t i = 0; i < before; ++i) {
      cabled.emplace(mine.cables[i].a, i);
      cabled.emplace(mine.cables[i].b, i);
    }
    std::size_t shared = 0;
    for (const Cable& cable : theirs) {
      const auto at_a = cabled.find(cable.a);
      const auto at_b = cabled.find(cable.b);
      if (at_a == cabled.end() && at_b == cabled.end()) {
        mine.cables.push_back(cable);
        told_by_.emplace(place(cable.a), source_.name);
        told_by_.emplace(place(cable.b), source_.name);
        continue;
      }
      if (at_a != cabled.end() && at_b != cabled.end() && at_a->second == at_b->second) {
        ++shared;
        enrich(mine.cables[at_a->second], cable);
        continue;
      }
      const Cable& other = mine.cables[at_a != cabled.end() ? at_a->second : at_b->second];
      mine.notes.push_back(fmt::format(
          "{} has a cable {} to {}, but {} has {} to {}",
          teller(place(other.a)),
          place(other.a),
          place(other.b),
          source_.name,
          place(cable.a),
          place(cable.b)));
    }
    if (is_new || before == 0) return;
    const std::size_t alone = mine.cables.size() - before;
    if (alone != 0)
      mine.notes.push_back(fmt::format("in {} alone: {}", source_.name, counted(alone, "cable")));
    if (before > shared)
      mine.notes.push_back(
          fmt::format("not in {}: {}", source_.name, counted(before - shared, "cable")));
  }

  // Adds values of a known cable from another source.
  static void enrich(Cable& mine, const Cable& theirs) {
    for (std::string Cable::*what : {&Cable::label, &Cable::length, &Cable::type, &Cable::speed})
      if ((mine.*what).empty()) mine.*what = theirs.*what;
  }

  Description& whole_;
  std::map<std::string, std::string>& told_by_;
  Source& source_;
  Identities theirs_, known_;
  std::set<std::string> before_;              // networks that others told
  std::map<std::string, std::string> names_;  // of their nodes, those of the whole
  std::map<std::tuple<std::string, std::uint32_t, std::string>, std::string> by_login_;
};

// Names that people give to nodes by GUID replace names from the subnet. A node that tells its own
// name keeps it.
void call_by_names(
    Description& says, const std::map<std::string, std::string>& names, bool tells_own) {
  std::map<std::string, std::string> renamed;
  const auto host_of = [&names](const Node& node) -> std::string {
    for (const auto& [adapter, card] : node.adapters) {
      for (const auto& [number, port] : card.evidence) {
        const auto found = names.find(port.node_guid);
        if (found != names.end()) return host_label(describe_adapter(found->second).host);
      }
    }
    return {};
  };
  for (const auto& [name, node] : says.nodes) {
    if (node.named && (tells_own || !node.is_switch)) continue;
    const auto found = names.find(node.node_guid);
    const std::string called = !node.is_switch        ? host_of(node)
                               : found == names.end() ? ""
                                                      : describe_switch(found->second).name;
    if (!called.empty())
      renamed.emplace(name, safe_name(as_written(node.is_switch ? found->second : called, called)));
  }
  // All step aside first: nodes may exchange their names.
  const auto aside = [](const std::string& name) {
    return name + " ";  // no name has a blank
  };
  for (const auto& [from, to] : renamed)
    rename_node(says, from, aside(from));
  std::vector<std::string> left;
  for (const auto& [from, to] : renamed)
    if (!rename_node(says, aside(from), to)) left.push_back(from);
  for (const std::string& from : left) {
    std::string name = from;
    for (int copy = 2; !rename_node(says, aside(from), name); ++copy)
      name = fmt::format("{}-{}", from, copy);
    says.nodes.at(name).notes.push_back(fmt::format(
        "the node name map calls it {}, and another node is called so, too", renamed.at(from)));
  }
  for (const auto& [from, to] : renamed) {
    if (std::find(left.begin(), left.end(), from) != left.end()) continue;
    Node& node = says.nodes.at(to);
    node.notes.clear();
    if (node.named && from != to && !says.nodes.contains(from)) node.aliases.insert(from);
    node.named = true;
  }
}

// Names of nodes that no other source has.
void say_unused_names(Description& whole, const std::map<std::string, std::string>& names) {
  std::set<std::string> seen;
  for (const auto& [name, node] : whole.nodes) {
    seen.insert(node.node_guid);
    for (const auto& [adapter, card] : node.adapters)
      for (const auto& [number, port] : card.evidence)
        seen.insert(port.node_guid);
  }
  const auto unused = std::ranges::count_if(
      names, [&seen](const auto& each) { return !seen.contains(each.first); });
  if (unused != 0)
    whole.notes.push_back(fmt::format(
        "The node name map has {} whose GUID no other source has.",
        counted(static_cast<std::size_t>(unused), "name")));
}

}  // namespace

void sort_by_nearness(std::vector<Source>& sources) {
  std::ranges::stable_sort(sources, [](const Source& a, const Source& b) {
    return std::tie(a.nearness, a.name) < std::tie(b.nearness, b.name);
  });
}

Description merge(std::vector<Source> sources) {
  sort_by_nearness(sources);
  std::map<std::string, std::string> names;
  for (const Source& source : sources)
    names.insert(source.says.names_by_guid.begin(), source.says.names_by_guid.end());
  Whole whole;
  for (Source& source : sources) {
    call_by_names(source.says, names, source.nearness == Nearness::hosts);
    Addition{whole, source}.add();
  }
  finish(whole.says);
  say_unused_names(whole.says, names);
  return std::move(whole.says);
}

}  // namespace fabric::description
