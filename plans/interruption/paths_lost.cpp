// SPDX-License-Identifier: Apache-2.0
#include "plans/interruption/paths_lost.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/parallel.hpp"
#include "engine/model/topology/network_cuts.hpp"

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
    const bool is_there =
        std::ranges::any_of(hosts, [&](const reach::Host& host) { return host.node == node; });
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

namespace {

// For one network: the nodes of a wave by which it is connected.
struct NetworkTask {
  std::uint32_t wave = 1;
  const NetworkSpec* network = nullptr;
  std::set<NodeName> away;
  std::vector<NodeName> hosts{};
  std::string example{};
  bool is_judged = true;
};

// For each host: the cable, switch or host that its connection depends on.
using HangsBy = std::map<NodeName, std::string>;

HangsBy hangs_by(
    const FabricSpec& spec, const NetworkSpec& network, const std::set<NodeName>& away) {
  return NetworkCuts{spec, network, away}.hanging();
}

std::string example_of(const HangsBy& hanging, const NodeName& host) {
  return fmt::format("{} by {}", host.str(), hanging.at(host));
}

SingleHosts count(
    const FabricSpec& spec, const NetworkSpec& network, const std::set<NodeName>& away) {
  const NetworkCuts cuts{spec, network, away};
  const HangsBy hanging = cuts.hanging();
  SingleHosts single{
      network.name,
      static_cast<std::uint32_t>(hanging.size()),
      static_cast<std::uint32_t>(cuts.hosts().size())};
  if (!hanging.empty()) single.example = example_of(hanging, hanging.begin()->first);
  return single;
}

std::size_t size_of(const NetworkSpec& network) {
  return 2 * network.cables.size() + network.ports.size();
}

std::vector<NetworkTask> network_tasks_of(const SingleInputs& inputs, const AwayByWave& waves) {
  const FabricSpec& spec = inputs.spec;
  std::vector<NetworkTask> tasks;
  for (const auto& [name, network] : spec.networks) {
    if (inputs.idle.contains(name)) continue;
    const std::set<NodeName> joining = nodes_that_join(spec, network);
    std::size_t looked_at = 0;
    for (const auto& [wave, nodes] : waves) {
      NetworkTask task{wave, &network, {}};
      std::set_intersection(
          nodes.begin(),
          nodes.end(),
          joining.begin(),
          joining.end(),
          std::inserter(task.away, task.away.end()));
      if (task.away.empty()) continue;
      looked_at += size_of(network);
      task.is_judged = looked_at <= kPortsJudged;
      tasks.push_back(std::move(task));
    }
  }
  std::ranges::stable_sort(tasks, [](const NetworkTask& one, const NetworkTask& other) {
    return one.wave < other.wave;
  });
  return tasks;
}

}  // namespace

Single single(const SingleInputs& inputs, const AwayByWave& waves) {
  const FabricSpec& spec = inputs.spec;
  Single single;
  std::vector<NetworkTask> tasks = network_tasks_of(inputs, waves);
  std::map<std::string, HangsBy> before;
  for (const NetworkTask& task : tasks)
    before.try_emplace(task.network->name);
  for (auto& [name, hanging] : before) {
    const NetworkSpec& network = spec.networks.at(name);
    hanging = hangs_by(spec, network, inputs.down);
    single.now.push_back(count(spec, network, inputs.down));
    single.afterwards.push_back(count(spec, network, inputs.offline));
  }
  for_each_index(tasks.size(), [&](std::size_t index) {
    NetworkTask& task = tasks[index];
    if (!task.is_judged) return;
    std::set<NodeName> away = inputs.down;
    away.insert(task.away.begin(), task.away.end());
    const HangsBy hanging = hangs_by(spec, *task.network, away);
    for (const auto& [host, thing] : hanging) {
      if (before.at(task.network->name).contains(host)) continue;
      if (task.hosts.empty()) task.example = example_of(hanging, host);
      task.hosts.push_back(host);
    }
  });
  for (NetworkTask& task : tasks) {
    if (task.is_judged && task.hosts.empty()) continue;
    single.waves.push_back(
        {task.wave,
         task.network->name,
         {task.away.begin(), task.away.end()},
         std::move(task.hosts),
         std::move(task.example)});
  }
  return single;
}

}  // namespace fabric::plans
