// SPDX-License-Identifier: Apache-2.0
// The vendor's bundles of drivers on an ESX host: files in the home of the login, and what is
// installed (E-esx-bundles).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"
#include "engine/remote/command.hpp"

namespace fabric::providers::esx_classic {

// A file that the document names, and its state on the host.
struct Bundle {
  std::string file;              // "ib_basic.zip"; ESX 3.5: "ib_basic-1.2.rpm"
  std::vector<std::string> ids;  // of its bulletins, as the file says; empty = there is no file
  std::vector<std::string> installed;  // ids of that driver that the host has, of any release

  // Without the file its release can't be told, its presence can.
  bool is_in_place() const;
};

std::vector<Probe> bundle_probes();
// By file name, of those in the home of the login: the ids of their bulletins. Empty where the host
// does not tell.
std::map<std::string, std::vector<std::string>> bundle_files(const NodeFacts& facts);
// Bulletins, or packages of ESX 3.5; empty where the host does not tell.
std::vector<std::string> installed_ids(const NodeFacts& facts);
// In the order of `files`. Fails where the host does not tell what is installed.
Result<std::vector<Bundle>> bundles_of(
    const NodeFacts& facts, const std::vector<std::string>& files);

// What has to be done, in order: from the first that is not in place on all of them are removed,
// the last first, since later ones depend on it; then they are installed.
struct BundleStep {
  bool removes = false;
  std::string file;              // of an installation
  std::vector<std::string> ids;  // that are gone or there afterwards; one of a removal
};
std::vector<BundleStep> steps_for(const std::vector<Bundle>& bundles);
// Looks at the installed packages afterwards, whatever status the tool ends with.
remote::Argv command_of(const BundleStep& step);

}  // namespace fabric::providers::esx_classic
