// SPDX-License-Identifier: Apache-2.0
#include "providers/esx/answer.hpp"
#include "providers/esx_classic/kinds/host.hpp"
#include "providers/esx_classic/kinds/kinds.hpp"

namespace fabric::providers::esx_classic {

std::vector<Probe> OsProvider::probes() const {
  return {version_probe()};
}

// "vSphere 4.0" and "VI 3.5" are the releases of ESX that they came with.
Result<OsVersion> OsProvider::version_of(const NodeFacts& facts) const {
  return OsVersion{"ESX", {"esx", "vsphere", "vi"}, FABRIC_TRY(esx_classic::version_of(facts))};
}

Map OsProvider::inventory(const NodeFacts& facts) const {
  const Result<std::string> version = esx_classic::version_of(facts);
  return {{"version", version ? Value{*version} : esxi::unknown(version.error())}};
}

}  // namespace fabric::providers::esx_classic
