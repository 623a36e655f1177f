// Provider "interface": MTU and addresses of one Ethernet port, now and after a boot.
#pragma once

#include "engine/provider/provider.hpp"

namespace fabric::providers {

// Diagnostics: foreign-configuration, interface-name-unknown, network-backend-unknown,
// not-supported-yet (a back end that comes later, by name).
class InterfaceProvider final : public Provider {
 public:
  std::string_view kind() const override { return "interface"; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers
