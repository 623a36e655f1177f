// SPDX-License-Identifier: Apache-2.0
// The outages that users of a fabric notice during an apply: nodes that are down, rings that are
// cut, subnets without a manager.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/lab/lab.hpp"
#include "engine/model/spec.hpp"

namespace fabric::rehearse {

struct Outage {
  std::string network;
  TimePoint from{};
  Duration lasted{0};
  bool over = true;  // false: still there when the run ended
  // For a ring: groups of nodes that are up and reach only each other, and the nodes that were down
  // then.
  std::vector<std::vector<NodeName>> apart{};
  std::vector<NodeName> down{};
};

// The longest outage of each kind; nullopt: there was none.
struct Service {
  std::vector<NodeName> down_at_once;  // when the most were
  std::optional<Outage> ring_cut;
  std::optional<Outage> unmanaged;
};

class ServiceWatch {
 public:
  // Both must outlive this. `lost`: nodes that were down from the beginning.
  ServiceWatch(const FabricSpec& spec, const lab::Lab& lab, std::set<NodeName> lost);
  // To be called after every event.
  void look(TimePoint now);
  Service end(TimePoint now);

  // True if the document has rings that could be cut; or managed subnets.
  bool has_rings() const { return !rings_.empty(); }
  bool has_managers() const { return !subnets_.empty(); }

 private:
  // The nodes of mode chain that cables join, where a node can be between two others.
  struct Ring {
    std::string network;
    std::set<NodeName> nodes;
    std::set<std::pair<NodeName, NodeName>> cables;
    std::optional<Outage> cut;
  };
  struct Subnet {
    std::string network;
    std::vector<PortRef> managers;  // ports that the document puts one on
    std::set<NodeName> hosts;       // while only one of them is up, no manager is missed
    bool was_managed = false;       // a subnet that never had a manager can't lose it
    std::optional<Outage> unmanaged;
  };
  void add_rings(const std::string& name, const NetworkSpec& network);
  void add_subnets(const std::string& name, const NetworkSpec& network);
  void look_at_ring(Ring& ring, TimePoint now);
  void look_at_subnet(Subnet& subnet, TimePoint now);

  const lab::Lab& lab_;
  std::set<NodeName> lost_;
  std::vector<NodeName> nodes_;
  std::vector<Ring> rings_;
  std::vector<Subnet> subnets_;
  std::set<NodeName> down_;
  Service service_;
};

}  // namespace fabric::rehearse
