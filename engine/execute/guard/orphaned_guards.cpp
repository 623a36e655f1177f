#include "engine/execute/guard/orphaned_guards.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/execute/guard/guard_node.hpp"
#include "engine/execute/lease/ask_nodes.hpp"

namespace fabric::execute {

namespace {

constexpr const char* kFind = R"sh(for at in /var/lib/fabric/guard/*; do
  for state in armed firing; do
    if [ -e "$at/$state" ]; then echo "$state ${at##*/} $(cat "$at/$state")"; fi
  done
done)sh";

constexpr Duration kTimeout{30'000};

std::vector<OrphanGuard> guards_in(const NodeName& node, const std::string& output) {
  constexpr std::size_t kTokenLength = 16;
  std::vector<OrphanGuard> guards;
  for (const std::string_view line : split_lines(output)) {
    const auto words = split_words(line);
    // The token goes into commands again.
    if (words.size() < 2 || words[1].size() != kTokenLength || !parse_unsigned(words[1], 16))
      continue;
    const std::size_t at = line.find(words[1]) + kTokenLength;
    guards.push_back(
        {node, std::string{words[1]}, std::string{trim(line.substr(at))}, words[0] == "firing"});
  }
  return guards;
}

Error rolled_back(const OrphanGuard& guard) {
  return {
      ErrorCode::stale,
      fmt::format(
          "{}: {} of a run that was cut short is being rolled back: plan again when that is over",
          guard.node.str(),
          guard.holder)};
}

}  // namespace

FoundGuards find_guards(
    const std::vector<NodeName>& nodes, remote::StepRunner& runner, Random& random) {
  constexpr int kAttempts = 2;
  std::map<NodeName, std::vector<OrphanGuard>> of_node;
  std::map<NodeName, int> attempts;
  FoundGuards found;
  remote::Step ask = remote::step::Run{remote::Command{{"sh", "-c", kFind}, {}, kTimeout}, false};
  ask_nodes(
      nodes,
      runner,
      random,
      [&ask](const NodeName&) { return ask; },
      [&](const NodeName& node, const remote::StepResult& result) -> std::optional<remote::Step> {
        if (result.outcome == remote::Outcome::succeeded) {
          of_node[node] = guards_in(node, result.output.standard_output);
          return std::nullopt;
        }
        if (++attempts[node] < kAttempts) return ask;
        found.not_asked.emplace(node, result.error);
        return std::nullopt;
      });
  for (auto& [node, guards] : of_node)
    std::move(guards.begin(), guards.end(), std::back_inserter(found.guards));
  return found;
}

Result<void> confirm_guards(
    const std::vector<OrphanGuard>& guards, remote::StepRunner& runner, Random& random) {
  const auto firing = std::find_if(
      guards.begin(), guards.end(), [](const OrphanGuard& guard) { return guard.firing; });
  if (firing != guards.end()) return rolled_back(*firing);
  std::map<NodeName, std::vector<OrphanGuard>> left;
  for (const OrphanGuard& guard : guards)
    left[guard.node].push_back(guard);
  std::vector<NodeName> nodes;
  for (const auto& [node, of_node] : left)
    nodes.push_back(node);
  std::map<NodeName, Error> failures;
  ask_nodes(
      nodes,
      runner,
      random,
      [&left](const NodeName& node) { return disarm_step(left.at(node).back().token); },
      [&](const NodeName& node, const remote::StepResult& result) -> std::optional<remote::Step> {
        std::vector<OrphanGuard>& of_node = left.at(node);
        if (result.outcome != remote::Outcome::succeeded) {
          failures.emplace(node, with_context(result.error, node.str()));
          return std::nullopt;
        }
        if (guard_state(result.output) != GuardState::disarmed) {
          failures.emplace(node, rolled_back(of_node.back()));
          return std::nullopt;
        }
        of_node.pop_back();
        if (of_node.empty()) return std::nullopt;
        return disarm_step(of_node.back().token);
      });
  if (!failures.empty()) return failures.begin()->second;
  return {};
}

}  // namespace fabric::execute
