// SPDX-License-Identifier: Apache-2.0
// The route that frames should take: from port to port by the declared cables, and through the
// cards of a chain. Host chaining forwards frames for other hosts to the card's other port. No
// route uses a cable to a node that is known to be offline.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric::verify {

struct Route {
  bool complete = false;            // the cables lead to the target
  std::vector<NodeName> transit;    // nodes whose card must forward, in order of passing
  std::vector<std::size_t> cables;  // indices in the order of judge_cables()
  bool crosses(const NodeName& node) const;
};

class Topology {
 public:
  // `spec` must outlive this.
  explicit Topology(const FabricSpec& spec);

  // The route out of `from` until the card of `to` is met. A frame that meets the card at its other
  // port is forwarded once more inside it, so the target's own node then counts as transit.
  Route route(const PortRef& from, const PortRef& to) const;
  // The ports met on the way out of `from`, nearest first, until it comes back or ends.
  std::vector<PortRef> walk(const PortRef& from) const;
  // The other port of the same card in the same chain.
  std::optional<PortRef> sibling(const PortRef& port) const;

 private:
  struct Plug {
    PortRef peer;
    std::size_t cable = 0;
  };
  std::map<PortRef, Plug> plugs_;
  std::map<PortRef, PortRef> siblings_;
};

}  // namespace fabric::verify
