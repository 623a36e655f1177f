// SPDX-License-Identifier: Apache-2.0
// Signs of the back ends that configure a node's interfaces, and the files of these back ends.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

std::vector<Probe> backend_probes();
// The probe of digests of all files that can be adopted.
Probe file_digests_probe();
// Configuration files of all back ends that fabric reads.
const FileTexts& network_files(const NodeFacts& facts);

struct Signs {
  std::set<std::string, std::less<>> files, active_units, tools;
  std::map<std::string, std::string, std::less<>> networkmanager;  // device: state
  std::map<std::string, std::string, std::less<>> networkd;        // device: setup state

  bool has_file(std::string_view start) const {
    const auto found = files.lower_bound(start);
    return found != files.end() && found->starts_with(start);
  }
};

// False if the probe failed.
bool has_signs(const NodeFacts& facts);
// No signs if the probe failed.
const Signs& signs_of(const NodeFacts& facts);

}  // namespace fabric::providers
