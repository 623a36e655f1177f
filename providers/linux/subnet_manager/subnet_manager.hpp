// SPDX-License-Identifier: Apache-2.0
// Provider "subnet_manager": OpenSM on one InfiniBand port of a Linux host, with its partitions.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

// Persistent is what the files of this resource say (manager_files.hpp); running is what OpenSM was
// started with. `manages`: that the unit and its rule stand, and that the manager on the port
// answers as master or standby; that a process runs proves nothing (E-ib-sminfo).
// Beside what is desired, running: `state` of the manager on the port ("master", "standby", "none")
// and `master`, the port GUID of the subnet's; `routed_by`, the engine that the manager says it
// routed its switches by ("none" if none could), and `routing_error`, what went wrong before that.
// Diagnostics: package-missing without opensm; sm-foreign-master where the port hears a master that
// the document does not know, sm-stray where that is on one of the document's nodes and has the
// lower priority; foreign-configuration where OpenSM has files of somebody else's.
class SubnetManagerProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSubnetManager; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  std::map<std::string, std::string, std::less<>> port_guids(
      const Resource& resource, const NodeFacts& facts) const override;
  std::map<std::string, Guid> masters_heard(const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers
