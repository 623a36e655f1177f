// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/mtu_watch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/model/topology/shared_bonds.hpp"

namespace fabric::rehearse {

namespace {

bool is_of_switch(const PortRef& port) {
  return port.adapter.empty();
}

// The cables of a network, and of those that join switches alone for others.
std::vector<const CableSpec*> cables_of(const FabricSpec& spec, const std::string& network) {
  std::vector<const CableSpec*> cables;
  for (const auto& [name, each] : spec.networks) {
    if (each.mode.value == Mode::infiniband) continue;
    const bool joins_switches =
        std::all_of(each.cables.begin(), each.cables.end(), [](const CableSpec& cable) {
          return is_of_switch(cable.a.value) && is_of_switch(cable.b.value);
        });
    if (name != network && !joins_switches) continue;
    for (const CableSpec& cable : each.cables)
      cables.push_back(&cable);
  }
  return cables;
}

}  // namespace

MtuWatch::MtuWatch(
    const lab::Lab& lab, const FabricSpec& spec, std::vector<std::string>& violations)
    : lab_{lab}, spec_{spec}, pairs_{paired_switches(spec)}, violations_{violations} {
  for (const auto& [name, network] : spec.networks) {
    const bool infiniband = network.mode.value == Mode::infiniband;
    for (const PortRef& port : network.member_ports()) {
      if (is_of_switch(port)) continue;
      if (infiniband && network.ipoib && network.ipoib->mtu.value != 0) ipoib_.push_back(port);
      if (infiniband) continue;
      for (const PortRef& carrier : carriers_of(name, port))
        ethernet_.emplace_back(port, carrier);
    }
  }
  known_ = excesses();
}

std::set<PortRef> MtuWatch::carriers_of(const std::string& network, const PortRef& port) const {
  const std::vector<const CableSpec*> cables = cables_of(spec_, network);
  std::set<PortRef> found;
  std::set<NodeName> switches, left;
  const auto reach = [&](const NodeName& node) {
    if (switches.insert(node).second) left.insert(node);
  };
  for (const CableSpec* cable : cables) {
    if (cable->a.value == port && is_of_switch(cable->b.value)) reach(cable->b.value.node);
    if (cable->b.value == port && is_of_switch(cable->a.value)) reach(cable->a.value.node);
  }
  while (!left.empty()) {
    const NodeName node = *left.begin();
    left.erase(left.begin());
    for (const auto& [one, other] : pairs_) {
      if (one == node) reach(other);
      if (other == node) reach(one);
    }
    for (const CableSpec* cable : cables) {
      for (const auto& [mine, other] :
           {std::pair{&cable->a.value, &cable->b.value},
            std::pair{&cable->b.value, &cable->a.value}}) {
        if (mine->node != node || !is_of_switch(*mine)) continue;
        found.insert(*mine);
        if (is_of_switch(*other)) reach(other->node);
      }
    }
  }
  return found;
}

std::set<MtuWatch::Pair> MtuWatch::excesses() const {
  std::set<Pair> found;
  for (const Pair& pair : ethernet_) {
    const auto sends = lab_.mtu(pair.first);
    const auto carries = lab_.mtu(pair.second);
    if (sends && carries && *sends > *carries) found.insert(pair);
  }
  for (const PortRef& port : ipoib_) {
    const auto sends = lab_.mtu(port);
    const auto carries = lab_.group_mtu(port);
    if (sends && carries && *sends > *carries) found.emplace(port, port);
  }
  return found;
}

std::string MtuWatch::text(const Pair& pair) const {
  const bool group = pair.first == pair.second;
  return fmt::format(
      "{} sends up to {} bytes, and {} carries {}",
      pair.first.str(),
      lab_.mtu(pair.first).value_or(0),
      group ? "its group" : pair.second.str(),
      (group ? lab_.group_mtu(pair.first) : lab_.mtu(pair.second)).value_or(0));
}

void MtuWatch::look(const std::string& when) {
  for (const Pair& pair : excesses()) {
    if (!known_.insert(pair).second) continue;
    violations_.push_back(fmt::format("{}: {}", when, text(pair)));
  }
}

}  // namespace fabric::rehearse
