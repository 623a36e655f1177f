// SPDX-License-Identifier: Apache-2.0
// The vendor's driver bundles on an ESX host: files in the home of the login, and what is installed
// (E-esx-bundles).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"
#include "engine/remote/command.hpp"

namespace fabric::providers::esx_classic {

// A bundle file that the document names, and its state on the host.
struct Bundle {
  std::string file;              // "ib_basic.zip"; ESX 3.5: "ib_basic-1.2.rpm"
  std::vector<std::string> ids;  // of its bulletins, as the file says; empty = there is no file
  std::vector<std::string> installed;  // ids of that driver that the host has, of any release

  // Without the file the bundle's release is unknown; whether it is installed is known.
  bool is_in_place() const;
};

std::vector<Probe> bundle_probes();
// For each bundle file in the home of the login: the ids of its bulletins. Empty if unknown.
std::map<std::string, std::vector<std::string>> bundle_files(const NodeFacts& facts);
// The ids of installed bulletins, or packages on ESX 3.5; empty if unknown.
std::vector<std::string> installed_ids(const NodeFacts& facts);
// The bundles in the order of `files`. Fails if it is unknown what is installed.
Result<std::vector<Bundle>> bundles_of(
    const NodeFacts& facts, const std::vector<std::string>& files);

// The steps in order: from the first bundle that is not in place, all are removed, the last first
// because later ones depend on it; then they are installed.
struct BundleStep {
  bool removes = false;
  std::string file;              // of an installation
  std::vector<std::string> ids;  // ids that are removed or installed; a removal has one
};
std::vector<BundleStep> steps_for(const std::vector<Bundle>& bundles);
// The command of a step. It checks the installed packages afterwards, whatever the tool's status.
remote::Argv command_of(const BundleStep& step);

}  // namespace fabric::providers::esx_classic
