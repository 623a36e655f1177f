// SPDX-License-Identifier: Apache-2.0
// Provider "qos": lossless RoCE of one port. A script of ours sets it at each boot and now, and
// what is in force is read back from the port.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

class QosProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kQos; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  // Frames are lost for a moment while a port's buffers are set anew; its link stays.
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::runtime;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers
