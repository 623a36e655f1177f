#include "plans/candidate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/graph/dag.hpp"

namespace fabric::plans {

ResourceIndex::ResourceIndex(const std::vector<Resource>& resources) {
  std::map<ResourceAddress, std::size_t> index_of;
  for (const Resource& resource : resources)
    resources_.push_back(&resource);
  std::sort(resources_.begin(), resources_.end(), [](const Resource* a, const Resource* b) {
    return a->address < b->address;
  });
  for (std::size_t i = 0; i < resources_.size(); ++i)
    index_of.emplace(resources_[i]->address, i);

  graph::Dag dag{resources_.size()};
  before_.resize(resources_.size());
  for (std::size_t i = 0; i < resources_.size(); ++i) {
    for (const ResourceAddress& address : resources_[i]->after) {
      const auto found = index_of.find(address);
      if (found == index_of.end()) continue;
      before_[i].push_back(found->second);
      dag.add_edge(found->second, i);
    }
  }
  if (auto order = dag.topological_order()) {
    order_ = std::move(order).value();
  } else {
    cycle_ = dag.find_cycle();
  }
}

namespace {

bool only_observed(const Resource& resource) {
  const auto found = resource.binding.find("observe");
  if (found == resource.binding.end()) return false;
  const bool* flag = found->second.as_bool();
  return flag != nullptr && *flag;
}

// "HOST_CHAINING_MODE is unknown (not supported by this firmware)"
std::string unknown_reason(const Change& change) {
  for (const AttributeChange& attribute : change.attributes) {
    for (const Layer layer : {Layer::next_boot, Layer::persistent, Layer::running}) {
      const std::optional<Reading>& reading = attribute.observed.layer(layer);
      if (!reading || !reading->is_unknown()) continue;
      if (layer == Layer::running && attribute.observed.next_boot) continue;
      return fmt::format("{} is unknown ({})", attribute.attribute, reading->why());
    }
  }
  return "it can't be observed";
}

std::string own_reason(const Change& change) {
  if (only_observed(change.resource)) return "only observed (state: observe)";
  if (change.kind == ChangeKind::unknown) return unknown_reason(change);
  for (const AttributeChange& attribute : change.attributes) {
    if (attribute.disruption == Disruption::power_cycle) {
      return fmt::format("{} needs a power cycle, which only a person can do", attribute.attribute);
    }
  }
  return {};
}

}  // namespace

void judge_by_itself(Candidates& candidates) {
  for (Candidate& candidate : candidates)
    candidate.not_planned = own_reason(candidate.change);
}

bool block_dependants(Candidates& candidates, const ResourceIndex& resources) {
  std::map<ResourceAddress, Candidate*> by_address;
  for (Candidate& candidate : candidates)
    by_address.emplace(candidate.address(), &candidate);
  // Of each resource: the unplanned change that it waits for, directly or not.
  std::vector<const Candidate*> blocker(resources.size(), nullptr);
  bool blocked = false;
  for (const std::size_t index : resources.order()) {
    for (const std::size_t before : resources.before(index)) {
      if (blocker[index] == nullptr) blocker[index] = blocker[before];
    }
    const auto found = by_address.find(resources.at(index).address);
    if (found == by_address.end()) continue;
    Candidate& candidate = *found->second;
    if (candidate.planned() && blocker[index] != nullptr) {
      candidate.not_planned = fmt::format("waits for {}", blocker[index]->address().str());
      candidate.drafts.clear();
      blocked = true;
    }
    // The root is named, not the nearest.
    if (!candidate.planned() && blocker[index] == nullptr) blocker[index] = &candidate;
  }
  return blocked;
}

}  // namespace fabric::plans
