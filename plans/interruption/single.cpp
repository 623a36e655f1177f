// SPDX-License-Identifier: Apache-2.0
#include "plans/interruption/single.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/parallel.hpp"
#include "engine/model/topology/network_cuts.hpp"

namespace fabric::plans {

namespace {

// For one network: the nodes of a wave by which it is connected.
struct Task {
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

std::vector<Task> tasks_of(const SingleInputs& inputs, const AwayByWave& waves) {
  const FabricSpec& spec = inputs.spec;
  std::vector<Task> tasks;
  for (const auto& [name, network] : spec.networks) {
    if (inputs.idle.contains(name)) continue;
    const std::set<NodeName> joining = nodes_that_join(spec, network);
    std::size_t looked_at = 0;
    for (const auto& [wave, nodes] : waves) {
      Task task{wave, &network, {}};
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
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& one, const Task& other) {
    return one.wave < other.wave;
  });
  return tasks;
}

}  // namespace

Single single(const SingleInputs& inputs, const AwayByWave& waves) {
  const FabricSpec& spec = inputs.spec;
  Single single;
  std::vector<Task> tasks = tasks_of(inputs, waves);
  std::map<std::string, HangsBy> before;
  for (const Task& task : tasks)
    before.try_emplace(task.network->name);
  for (auto& [name, hanging] : before) {
    const NetworkSpec& network = spec.networks.at(name);
    hanging = hangs_by(spec, network, inputs.down);
    single.now.push_back(count(spec, network, inputs.down));
    single.afterwards.push_back(count(spec, network, inputs.offline));
  }
  for_each_index(tasks.size(), [&](std::size_t index) {
    Task& task = tasks[index];
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
  for (Task& task : tasks) {
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
