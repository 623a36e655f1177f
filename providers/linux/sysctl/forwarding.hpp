// SPDX-License-Identifier: Apache-2.0
// Provider "forwarding": kernel parameters of the interface of one port, in a drop-in of ours by
// its name: systemd's udev rules apply it whenever an interface of that name comes.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "providers/linux/sysctl/sysctl.hpp"

namespace fabric::providers {

class ForwardingProvider final : public SysctlProvider {
 public:
  std::string_view kind() const override { return kinds::kForwarding; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers
