// SPDX-License-Identifier: Apache-2.0
// Packages of a simulated host, as on Debian 12: installed ones are in /var/lib/dpkg/status,
// available ones in the index below /var/lib/apt/lists.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

inline constexpr const char* kDpkgStatus = "/var/lib/dpkg/status";
inline constexpr const char* kAptIndex =
    "/var/lib/apt/lists/deb.debian.org_debian_dists_bookworm_main_binary-amd64_Packages";

// A package of the archive.
struct ArchivePackage {
  std::string_view name;
  std::string_view version;
  std::string_view depends;    // names with blanks between
  std::string_view conflicts;  // the same
};
std::span<const ArchivePackage> archive();
const ArchivePackage* find_in_archive(std::string_view name);

// One stanza of the status file.
struct DpkgPackage {
  std::string status;  // "install ok installed"
  std::string version;
  std::string depends;
  bool installed() const { return status.ends_with(" installed") && !status.starts_with("reinst"); }
};
using DpkgPackages = std::map<std::string, DpkgPackage, std::less<>>;
// nullopt if there is no such file or it can't be parsed.
std::optional<DpkgPackages> read_dpkg_status(const FileTree& files);
std::string dpkg_status_text(const DpkgPackages& packages);
// The names in the index; empty if it was never fetched.
std::vector<std::string> read_apt_index(const FileTree& files);
std::string apt_index_text();

// Installs the packages of the profile.
void install_packages(LinuxHost& machine);
// Installs, or removes, the programs and services of a package.
void unpack(LinuxHost& machine, std::string_view package);
void remove_files(LinuxHost& machine, std::string_view package);

}  // namespace fabric::lab
