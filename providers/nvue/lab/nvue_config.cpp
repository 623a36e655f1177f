// SPDX-License-Identifier: Apache-2.0
#include "providers/nvue/lab/nvue_config.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::lab::nvue {
namespace {

// The keys that have a value; all others have members.
constexpr auto kValues = std::to_array<std::string_view>(
    {"auto-negotiate", "backup-ip",   "description", "enable",      "fec",
     "hostname",       "id",          "init-delay",  "lacp-bypass", "lacp-rate",
     "mac-address",    "mode",        "mtu",         "op-vls",      "peer-ip",
     "priority",       "sm-priority", "speed",       "ib-speed",    "lanes",
     "state",          "timezone",    "type",        "untagged",    "vrf",
     "base-interface", "access",      "local-id",    "uplink"});
constexpr auto kNumbers = std::to_array<std::string_view>(
    {"id", "init-delay", "mtu", "priority", "sm-priority", "untagged", "access", "local-id"});
constexpr auto kRoots = std::to_array<std::string_view>(
    {"acl",
     "bridge",
     "evpn",
     "ib",
     "interface",
     "mlag",
     "nve",
     "platform",
     "qos",
     "router",
     "service",
     "system",
     "vrf"});
constexpr auto kOfInterfaces = std::to_array<std::string_view>(
    {"acl",
     "bond",
     "bridge",
     "description",
     "evpn",
     "ip",
     "ipv4",
     "ipv6",
     "link",
     "qos",
     "router",
     "type"});

template <class Table>
bool has(const Table& table, std::string_view word) {
  return std::find(table.begin(), table.end(), word) != table.end();
}

// The only word with two meanings: a table of VLANs may be told a value too.
bool is_value(const Words& words, std::size_t at) {
  return at > 0 && has(kValues, words[at - 1]) && at + 1 == words.size() &&
         !(words[at - 1] == "vlan");
}

// The error of NVUE's schema (E-nvue-invalid).
std::string trouble(const Words& words) {
  if (words.size() < 2) return "Error: Incomplete Command: set " + join(words, " ");
  if (!has(kRoots, words[0])) return "Error: Invalid Command: set " + join(words, " ");
  if (words[0] == "interface" && words.size() > 2 && !has(kOfInterfaces, words[2]))
    return "Error: Invalid Command: set " + join(words, " ");
  if (has(kValues, words.back()) && words.size() > 2 && !has(kValues, words[words.size() - 2]) &&
      words.back() != "id")
    return "Error: Incomplete Command: set " + join(words, " ");
  const std::string& key = words[words.size() - 2];
  const auto number = parse_integer(words.back());
  if (has(kNumbers, key) && !number)
    return fmt::format("Error: '{}' is not an integer", words.back());
  constexpr std::int64_t kLeast = 68;
  constexpr std::int64_t kMost = 9216;
  if (key == "mtu" && (*number < kLeast || *number > kMost))
    return fmt::format("Error: Valid range is {} - {}.", kLeast, kMost);
  constexpr std::int64_t kMostSegments = 0xffffff;
  if (key == "local-id" && (*number < 1 || *number > kMostSegments))
    return fmt::format("Error: Valid range is 1 - {}.", kMostSegments);
  const bool is_link_state =
      key == "state" && words.size() > 2 && words[words.size() - 3] == "link";
  if (is_link_state && words.back() != "up" && words.back() != "down")
    return fmt::format("Error: '{}' is not one of ['up', 'down']", words.back());
  return {};
}

Value& below(Value& tree, const std::string& key) {
  if (tree.as_map() == nullptr) tree = Map{};
  return tree.as_map()->try_emplace(key, Map{}).first->second;
}

// NVUE adds these settings itself (E-nvue-bond, E-nvue-mlag).
void add_consequences(Value& tree, const std::string& name) {
  Value& interface = below(below(tree, "interface"), name);
  if (interface.find("type") == nullptr) {
    const bool is_bond = name.starts_with("bond") || name == "peerlink";
    const bool is_port = name.starts_with("swp");
    if (is_bond || is_port) below(interface, "type") = is_bond ? "bond" : "swp";
  }
  if (name != "peerlink") return;
  Value& sub = below(below(tree, "interface"), "peerlink.4094");
  sub = Map{{"base-interface", "peerlink"}, {"type", "sub"}, {"vlan", 4094}};
}

void set_one(Value& tree, const Words& words) {
  Value* at = &tree;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_value(words, i)) {
      at = &below(*at, words[i]);
      continue;
    }
    const auto number = parse_integer(words[i]);
    const bool is_number = has(kNumbers, words[i - 1]) && number;
    // A state is an object with one key (E-nvue-json).
    if (words[i - 1] == "state") {
      *at = Map{{words[i], Map{}}};
    } else {
      *at = is_number ? Value{*number} : Value{words[i]};
    }
  }
  if (words[0] == "interface") add_consequences(tree, words[1]);
}

// Each way to name one thing where a word may be a range.
std::vector<Words> spread(const Words& words) {
  std::vector<Words> all{{}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string before = i == 0 ? "" : words[i - 1];
    const bool may_be_range = before == "interface" || before == "member" || before == "vlan";
    const Words names = may_be_range ? names_of(words[i]) : Words{words[i]};
    std::vector<Words> more;
    for (const Words& each : all) {
      for (const std::string& name : names) {
        more.push_back(each);
        more.back().push_back(name);
      }
    }
    all = std::move(more);
  }
  return all;
}

struct Leaf {
  Words path;
  std::string value;  // "" = a member
  auto operator<=>(const Leaf&) const = default;
};

std::vector<Leaf> leaves_of(const Value& tree) {
  std::vector<Leaf> leaves;
  std::vector<std::pair<Words, const Value*>> left{{{}, &tree}};
  while (!left.empty()) {
    const auto [path, value] = std::move(left.back());
    left.pop_back();
    const Map* map = value->as_map();
    if (map == nullptr) {
      leaves.push_back({path, to_text(*value)});
    } else if (map->empty()) {
      if (!path.empty()) leaves.push_back({path, ""});
    } else {
      for (const auto& [key, each] : *map) {
        Words deeper = path;
        deeper.push_back(key);
        left.emplace_back(std::move(deeper), &each);
      }
    }
  }
  std::sort(leaves.begin(), leaves.end());
  return leaves;
}

Value tree_of(const std::vector<Leaf>& leaves) {
  Value tree{Map{}};
  for (const Leaf& leaf : leaves) {
    Value* at = &tree;
    for (const std::string& word : leaf.path)
      at = &below(*at, word);
    if (leaf.value.empty()) continue;
    const auto number = parse_integer(leaf.value);
    *at = number ? Value{*number} : Value{leaf.value};
  }
  return tree;
}

std::vector<Leaf> missing(const Value& in, const Value& of) {
  const std::vector<Leaf> there = leaves_of(in);
  std::vector<Leaf> found;
  for (Leaf& leaf : leaves_of(of)) {
    if (!std::binary_search(there.begin(), there.end(), leaf)) found.push_back(std::move(leaf));
  }
  return found;
}

std::string yaml_of(const Value& tree, const char* verb) {
  std::string text = fmt::format("- {}:\n", verb);
  struct Line {
    std::string key;
    const Value* value;
    std::size_t depth;
  };
  std::vector<Line> left;
  const auto push = [&left](const Map& map, std::size_t depth) {
    for (auto entry = map.rbegin(); entry != map.rend(); ++entry)
      left.push_back({entry->first, &entry->second, depth});
  };
  push(*tree.as_map(), 4);
  while (!left.empty()) {
    const Line line = left.back();
    left.pop_back();
    text += std::string(line.depth, ' ') + line.key + ":";
    const Map* map = line.value->as_map();
    if (map == nullptr) text += " " + to_text(*line.value);
    if (map != nullptr && map->empty()) text += " {}";
    text += "\n";
    if (map != nullptr) push(*map, line.depth + 2);
  }
  return text;
}

}  // namespace

const Value* find(const Value& tree, const Words& path) {
  const Value* at = &tree;
  for (const std::string& word : path) {
    at = at->find(word);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string word_at(const Value& tree, const Words& path) {
  const Value* found = find(tree, path);
  if (found == nullptr) return "";
  const Map* map = found->as_map();
  if (map == nullptr) return to_text(*found);
  return map->size() == 1 ? map->begin()->first : "";
}

Words names_of(const std::string& key) {
  Words names;
  for (const std::string_view part : split(std::string_view{key}, ',')) {
    const std::size_t dash = part.rfind('-');
    const std::string_view before = part.substr(0, std::min(dash, part.size()));
    const std::size_t letters = before.find_last_not_of("0123456789");
    const std::size_t begin = letters == std::string_view::npos ? 0 : letters + 1;
    const auto from = parse_unsigned(before.substr(begin), 10);
    const auto to =
        dash == std::string_view::npos ? std::nullopt : parse_unsigned(part.substr(dash + 1), 10);
    if (!from || !to || *to < *from || *to - *from > 512) {
      names.emplace_back(part);
      continue;
    }
    for (std::uint64_t number = *from; number <= *to; ++number)
      names.push_back(fmt::format("{}{}", before.substr(0, begin), number));
  }
  return names;
}

std::string set(Value& tree, const Words& words) {
  if (std::string wrong = trouble(words); !wrong.empty()) return wrong;
  for (const Words& each : spread(words))
    set_one(tree, each);
  return {};
}

bool unset(Value& tree, const Words& words) {
  bool found = false;
  for (const Words& each : spread(words)) {
    Value* at = &tree;
    for (std::size_t i = 0; i + 1 < each.size() && at != nullptr; ++i) {
      Map* map = at->as_map();
      const auto next = map == nullptr ? Map::iterator{} : map->find(each[i]);
      at = map == nullptr || next == map->end() ? nullptr : &next->second;
    }
    Map* map = at == nullptr ? nullptr : at->as_map();
    found = (map != nullptr && map->erase(each.back()) > 0) || found;
  }
  return found;
}

std::vector<std::string> set_lines(const Value& tree) {
  std::vector<std::string> lines;
  for (const Leaf& leaf : leaves_of(tree))
    lines.push_back(fmt::format(
        "nv set {}{}{}", join(leaf.path, " "), leaf.value.empty() ? "" : " ", leaf.value));
  return lines;
}

Value diff_value(const Value& from, const Value& to) {
  List list;
  if (const auto gone = missing(to, from); !gone.empty())
    list.emplace_back(Map{{"unset", tree_of(gone)}});
  if (const auto come = missing(from, to); !come.empty())
    list.emplace_back(Map{{"set", tree_of(come)}});
  return list;
}

std::string diff_yaml(const Value& from, const Value& to) {
  std::string text;
  const Value diff = diff_value(from, to);
  for (const Value& part : *diff.as_list()) {
    for (const char* verb : {"unset", "set"}) {
      if (const Value* tree = part.find(verb); tree != nullptr) text += yaml_of(*tree, verb);
    }
  }
  return text;
}

}  // namespace fabric::lab::nvue
