// SPDX-License-Identifier: Apache-2.0
// Paths of a chain that are lost because nodes are known to be down: they cause no finding.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/discovery/evidence.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/topology/path_losses.hpp"
#include "engine/verify/paths/topology.hpp"
#include "engine/verify/report/path_report.hpp"

namespace fabric::verify {

class ExpectedLosses {
 public:
  // The arguments must outlive this object. Of the hosts' observed settings only the order of their
  // routes counts: no other difference from the document makes a loss expected.
  ExpectedLosses(
      const FabricSpec& spec,
      const discovery::Snapshot& snapshot,
      const discovery::Evidence& evidence,
      const Topology& topology);

  bool contains(const PathReport& report) const;

 private:
  struct Network {
    reach::NetworkNow now;
    std::unique_ptr<reach::Reachability> reachability;
  };

  const FabricSpec& spec_;
  const Topology& topology_;
  std::map<std::string, Network> networks_;  // networks with a node that is down
};

}  // namespace fabric::verify
