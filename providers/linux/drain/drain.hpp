// SPDX-License-Identifier: Apache-2.0
// Provider "drain": whether a run that disrupted the node still owes it its after_disruption.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

// `drained`, running: a file of ours on the node says it (provider/disruption_hooks.hpp). Taken
// back by the document's own command alone; what the file holds is never run.
class DrainProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kDrain; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers
