// SPDX-License-Identifier: Apache-2.0
#include "providers/esx/answer.hpp"
#include "providers/esx_classic/kinds/host.hpp"
#include "providers/esx_classic/kinds/rows.hpp"
#include "providers/os/os_version.hpp"

namespace fabric::providers::esx_classic {

namespace {

std::vector<Probe> probes_of_os() {
  return {version_probe()};
}

// "vSphere 4.0" and "VI 3.5" are the releases of ESX that they came with.
Result<OsVersion> os_version(const NodeFacts& facts) {
  return OsVersion{"ESX", {"esx", "vsphere", "vi"}, FABRIC_TRY(esx_classic::version_of(facts))};
}

Map os_inventory(const NodeFacts& facts) {
  const Result<std::string> version = esx_classic::version_of(facts);
  return {{"version", version ? Value{*version} : esxi::unknown(version.error())}};
}

}  // namespace

Provider os_provider() {
  Provider row = os_version_provider(os_version);
  row.probes = probes_of_os;
  row.inventory = os_inventory;
  return row;
}

}  // namespace fabric::providers::esx_classic
