// SPDX-License-Identifier: Apache-2.0
// The packages of a node, from the database of its distribution.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

enum class PackageFormat : std::uint8_t { none, dpkg, rpm };

struct InstalledPackage {
  std::string version;
  // "" = installed and configured; or how far the installation got: "half-configured", "unpacked".
  std::string unfinished;
};

struct PackageDatabase {
  PackageFormat format = PackageFormat::none;
  std::string why;                 // why nothing is known; "" = the database was read whole
  bool interrupted = false;        // dpkg must first end an interrupted installation
  std::vector<std::string> tools;  // the installers: "apt-get", "dnf", "yum", "zypper"
  std::map<std::string, InstalledPackage, std::less<>> packages;

  bool has_tool(std::string_view name) const;
  // Null if the package is not installed, not even in part.
  const InstalledPackage* find(std::string_view name) const;
};

Probe package_probe();
const PackageDatabase& package_database(const NodeFacts& facts);

}  // namespace fabric::providers
