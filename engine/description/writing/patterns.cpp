// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "engine/description/writing/node_lines.hpp"
#include "engine/model/node_set_text.hpp"

namespace fabric::description {

namespace {

// For each host: the host at the other end of the cable from its port 1 to a port 2.
std::map<std::string, std::string> ring_steps(
    const std::vector<Cable>& cables, const std::map<std::string, Node>& nodes) {
  std::map<std::string, std::string> steps;
  const auto is_station = [&nodes](const End& end) {
    const auto node = nodes.find(end.node);
    return node != nodes.end() && !node->second.is_switch && node->second.adapters.size() == 1;
  };
  for (const Cable& cable : cables) {
    const bool plain = cable.label.empty() && cable.length.empty() && cable.type.empty() &&
                       cable.speed.empty() && is_station(cable.a) && is_station(cable.b);
    if (!plain || cable.a.node == cable.b.node) continue;
    if (cable.a.port == "1" && cable.b.port == "2") steps[cable.a.node] = cable.b.node;
    if (cable.b.port == "1" && cable.a.port == "2") steps[cable.b.node] = cable.a.node;
  }
  return steps;
}

}  // namespace

std::vector<std::vector<std::string>> take_rings(
    std::vector<Cable>& cables, const std::map<std::string, Node>& nodes) {
  const std::map<std::string, std::string> steps = ring_steps(cables, nodes);
  std::vector<std::string> names;
  for (const auto& [name, next] : steps)
    names.push_back(name);
  std::sort(names.begin(), names.end(), natural_less);
  std::vector<std::vector<std::string>> rings;
  std::set<std::string> seen;
  for (const std::string& start : names) {
    std::vector<std::string> way;
    std::string at = start;
    while (steps.contains(at) && seen.insert(at).second) {
      way.push_back(at);
      at = steps.at(at);
    }
    if (way.size() > 1 && at == start) rings.push_back(std::move(way));
  }
  std::set<std::pair<std::string, std::string>> taken;
  for (const std::vector<std::string>& ring : rings) {
    for (const std::string& node : ring)
      taken.insert({node, steps.at(node)});
  }
  std::erase_if(cables, [&taken](const Cable& cable) {
    const End& first = cable.a.port == "1" ? cable.a : cable.b;
    const End& second = cable.a.port == "1" ? cable.b : cable.a;
    return first.port == "1" && second.port == "2" && taken.contains({first.node, second.node});
  });
  return rings;
}

std::optional<Loop> loop_over(const std::vector<std::string>& texts) {
  std::vector<std::vector<std::string_view>> parts;
  for (const std::string& text : texts)
    parts.push_back(texts_and_numbers(text));
  const std::vector<std::string_view>& first = parts.front();
  std::set<std::size_t> places;
  for (const std::vector<std::string_view>& each : parts) {
    if (each.size() != first.size()) return std::nullopt;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (each[i] == first[i]) continue;
      if (i % 2 == 0) return std::nullopt;
      places.insert(i);
    }
  }
  if (places.empty()) return std::nullopt;
  std::vector<std::string> numbers;
  for (const std::vector<std::string_view>& each : parts) {
    const std::string_view number = each[*places.begin()];
    const bool same = std::all_of(
        places.begin(), places.end(), [&](std::size_t place) { return each[place] == number; });
    if (!same) return std::nullopt;
    numbers.emplace_back(number);
  }
  if (std::set<std::string>{numbers.begin(), numbers.end()}.size() != numbers.size())
    return std::nullopt;
  const std::optional<std::string> set = fold_as_set(numbers);
  if (!set) return std::nullopt;
  Loop loop;
  for (std::size_t i = 0; i < first.size(); ++i)
    loop.pattern += places.contains(i) ? "{i}" : std::string{first[i]};
  loop.range = set->substr(1, set->size() - 2);
  return loop;
}

}  // namespace fabric::description
