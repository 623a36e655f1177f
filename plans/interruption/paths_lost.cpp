// SPDX-License-Identifier: Apache-2.0
#include "plans/interruption/paths_lost.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/parallel.hpp"

namespace fabric::plans {

namespace {

// The nodes of one network that are away together. Waves often repeat them: each set is looked at
// once, whichever nodes of other networks are away in the same wave.
struct Task {
  std::uint32_t wave = 1;
  std::size_t network = 0;
  std::set<NodeName> nodes;
  reach::Losses losses{};
};

// By network: true if its number of pairs allows to look at them so often.
bool can_be_judged(const reach::NetworkNow& network, std::size_t times) {
  return reach::address_pair_count(network.fabric) <=
         kPairsJudged / std::max<std::size_t>(1, times);
}

std::map<NodeName, std::vector<std::size_t>> networks_by_node(const PathsNow& now) {
  std::map<NodeName, std::vector<std::size_t>> networks;
  for (std::size_t network = 0; network < now.size(); ++network) {
    for (const reach::Host& host : now[network].fabric.hosts)
      networks[host.node].push_back(network);
  }
  return networks;
}

std::vector<Task> tasks_of(const PathsNow& now, const AwayByWave& waves) {
  const std::map<NodeName, std::vector<std::size_t>> networks = networks_by_node(now);
  std::vector<Task> tasks;
  for (const auto& [wave, nodes] : waves) {
    std::map<std::size_t, std::set<NodeName>> touched;
    for (const NodeName& node : nodes) {
      const auto found = networks.find(node);
      if (found == networks.end()) continue;
      for (const std::size_t network : found->second)
        touched[network].insert(node);
    }
    for (auto& [network, away] : touched)
      tasks.push_back({wave, network, std::move(away)});
  }
  return tasks;
}

}  // namespace

std::vector<PathsLostInWave> paths_lost(const PathsNow& now, const AwayByWave& waves) {
  std::vector<Task> tasks = tasks_of(now, waves);
  std::vector<std::vector<reach::AddressPair>> working(now.size());
  std::map<std::size_t, std::size_t> times;
  for (const Task& task : tasks)
    ++times[task.network];
  std::set<std::size_t> unjudged;
  std::vector<std::size_t> networks;
  for (const auto& [network, waves_of_it] : times) {
    if (can_be_judged(now[network], waves_of_it)) {
      networks.push_back(network);
    } else {
      unjudged.insert(network);
    }
  }
  for_each_index(networks.size(), [&](std::size_t index) {
    const reach::NetworkNow& network = now[networks[index]];
    working[networks[index]] = reach::working_pairs(network.fabric, network.away);
  });
  for_each_index(tasks.size(), [&](std::size_t index) {
    Task& task = tasks[index];
    if (unjudged.contains(task.network)) {
      task.losses.worked = task.losses.unknown =
          reach::address_pair_count(now[task.network].fabric);
      return;
    }
    // No path can be lost here, and a large ring has as many waves as nodes.
    if (working[task.network].empty()) return;
    const reach::NetworkNow& network = now[task.network];
    reach::Away away = network.away;
    away.nodes.insert(task.nodes.begin(), task.nodes.end());
    task.losses = reach::losses_of(network.fabric, working[task.network], away);
    // Each wave has as many of these as there are pairs, and no caller reads them.
    std::vector<reach::AddressPair>{}.swap(task.losses.left);
  });
  std::vector<PathsLostInWave> all;
  for (Task& task : tasks) {
    reach::Losses& losses = task.losses;
    if (losses.lost == 0 && losses.unknown == 0) continue;
    PathsLostInWave lost{
        task.wave, now[task.network].network, {task.nodes.begin(), task.nodes.end()}};
    lost.working = static_cast<std::uint32_t>(losses.worked);
    lost.lost = static_cast<std::uint32_t>(losses.lost);
    lost.unknown = static_cast<std::uint32_t>(losses.unknown);
    lost.host_pairs = static_cast<std::uint32_t>(losses.host_pairs);
    lost.apart = std::move(losses.apart);
    lost.example = std::move(losses.example);
    all.push_back(std::move(lost));
  }
  return all;
}

std::string held_by_paths(const PathsNow& now, const NodeName& node) {
  for (const reach::NetworkNow& network : now) {
    const std::vector<reach::Host>& hosts = network.fabric.hosts;
    const bool is_there = std::any_of(
        hosts.begin(), hosts.end(), [&](const reach::Host& host) { return host.node == node; });
    if (!is_there) continue;
    // This function is called for each host that would be away.
    if (!can_be_judged(network, hosts.size())) {
      return fmt::format(
          "network {} has {} pairs of addresses, too many to compute which of them are lost "
          "without it, and rollout.paths_lost is `refuse`",
          network.network,
          reach::address_pair_count(network.fabric));
    }
    const reach::Losses losses = reach::losses_without(network, {node});
    if (losses.apart.empty()) continue;
    const auto& [one, other] = losses.apart.front();
    const std::size_t more = losses.apart.size() - 1;
    return fmt::format(
        "without it {} and {}{} have no path left in network {}, and rollout.paths_lost is "
        "`refuse`",
        one.str(),
        other.str(),
        more == 0 ? ""
                  : fmt::format(" (and {} more {} of hosts)", more, more == 1 ? "pair" : "pairs"),
        network.network);
  }
  return {};
}

}  // namespace fabric::plans
