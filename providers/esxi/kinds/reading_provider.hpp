// SPDX-License-Identifier: Apache-2.0
// ReadingProvider: a kind of resource that is observed on ESXi hosts and never changed.
#pragma once

#include "engine/provider/provider.hpp"

namespace fabric::providers::esxi {

class ReadingProvider : public Provider {
 public:
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const final {
    return Disruption::none;
  }
  // Fails for every change (no_change).
  Result<Work> work(const Change& change, const WorkContext& context) const final;
};

}  // namespace fabric::providers::esxi
