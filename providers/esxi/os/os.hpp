// SPDX-License-Identifier: Apache-2.0
// Provider "os" on ESXi: the version of ESXi. Lists what else is asked of a host first: maintenance
// mode, uptime, image, and which vCenter manages it.
#pragma once

#include "providers/os/os_version.hpp"

namespace fabric::providers::esxi {

class OsProvider final : public OsVersionProvider {
 public:
  std::vector<Probe> probes() const override;
  Map inventory(const NodeFacts& facts) const override;

 private:
  Result<OsVersion> version_of(const NodeFacts& facts) const override;
};

}  // namespace fabric::providers::esxi
