// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/system/packages.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/network/ifupdown.hpp"
#include "providers/linux/lab/services/unit_files.hpp"
#include "providers/linux/lab/shell/programs.hpp"

namespace fabric::lab {
namespace {

// Debian 12, main.
constexpr std::array<ArchivePackage, 33> kArchive{{
    {"apt", "2.6.1", "", ""},
    {"base-files", "12.4+deb12u8", "", ""},
    {"bash", "5.2.15-2+b7", "", ""},
    {"coreutils", "9.1-1", "", ""},
    {"dash", "0.5.12-2", "", ""},
    {"dpkg", "1.21.22", "", ""},
    {"ethtool", "1:6.1-1", "", ""},
    {"ibverbs-utils", "44.0-2", "libibverbs1", ""},
    {"ifenslave", "2.13", "iproute2", ""},
    {"ifupdown", "0.8.41", "iproute2", "ifupdown2"},
    {"ifupdown2", "3.0.0-1.1", "iproute2", "ifupdown"},
    {"infiniband-diags", "44.0-2", "libibnetdisc5 libibumad3", ""},
    {"iperf3", "3.12-1+deb12u1", "", ""},
    {"iproute2", "6.1.0-3", "", ""},
    {"iputils-ping", "3:20221126-1", "", ""},
    {"kmod", "30+20221128-1", "", ""},
    {"libibnetdisc5", "44.0-2", "libibumad3", ""},
    {"libibumad3", "44.0-2", "", ""},
    {"libibverbs1", "44.0-2", "", ""},
    {"libopensm9", "3.3.23-2+b1", "libibumad3", ""},
    {"linux-image-6.1.0-26-amd64", "6.1.112-1", "kmod", ""},
    {"lldpd", "1.0.16-1+deb12u1", "", ""},
    {"mstflint", "4.21.0+1-1", "libibverbs1", ""},
    {"netplan.io", "0.106-2+deb12u1", "iproute2 systemd", ""},
    {"network-manager", "1.42.4-1+deb12u1", "", ""},
    {"openssh-server", "1:9.2p1-2+deb12u3", "", ""},
    {"opensm", "3.3.23-2+b1", "libopensm9 rdma-core", ""},
    {"perftest", "4.5+0.17-1", "libibverbs1", ""},
    {"procps", "2:4.0.2-3", "", ""},
    {"rdma-core", "44.0-2", "libibverbs1", ""},
    {"rdmacm-utils", "44.0-2", "libibverbs1", ""},
    {"sudo", "1.9.13p3-1+deb12u1", "", ""},
    {"systemd", "252.30-1~deb12u2", "", ""},
}};

constexpr std::string_view kBase[] = {
    "apt",
    "base-files",
    "bash",
    "coreutils",
    "dash",
    "dpkg",
    "ethtool",
    "infiniband-diags",
    "iproute2",
    "iputils-ping",
    "kmod",
    "libibnetdisc5",
    "libibumad3",
    "libibverbs1",
    "linux-image-6.1.0-26-amd64",
    "openssh-server",
    "procps",
    "sudo",
    "systemd"};

// The programs of packages that the lab simulates.
constexpr std::pair<std::string_view, Package> kPrograms[] = {
    {"ifupdown", Package::ifup},
    {"ifupdown", Package::ifupdown},
    {"ifupdown2", Package::ifup},
    {"ifupdown2", Package::ifupdown2},
    {"infiniband-diags", Package::diagnostics},
    {"iperf3", Package::iperf3},
    {"lldpd", Package::lldpd},
    {"mstflint", Package::mstconfig},
    {"opensm", Package::opensm},
    {"perftest", Package::perftest},
};
constexpr std::pair<std::string_view, std::string_view> kServices[] = {
    {"ifupdown", "networking"},
    {"ifupdown2", "networking"},
    {"lldpd", "lldpd"},
};

// "4.26" of mstflint's own build, where the archive has 4.21.
std::string installed_version(const LinuxHost& machine, const ArchivePackage& package) {
  if (package.name == "mstflint") return machine.profile.tool_version + ".0-1";
  return std::string{package.version};
}

void put(LinuxHost& machine, DpkgPackages& packages, std::string_view name) {
  const ArchivePackage* package = find_in_archive(name);
  if (package == nullptr) return;
  packages[std::string{name}] = {
      "install ok installed", installed_version(machine, *package), std::string{package->depends}};
}

}  // namespace

std::span<const ArchivePackage> archive() {
  return kArchive;
}

const ArchivePackage* find_in_archive(std::string_view name) {
  const auto found = std::ranges::find_if(
      kArchive, [name](const ArchivePackage& package) { return package.name == name; });
  return found == kArchive.end() ? nullptr : &*found;
}

std::optional<DpkgPackages> read_dpkg_status(const FileTree& files) {
  std::string content;
  if (files.read(kDpkgStatus, "root", content) != FileError::none) return std::nullopt;
  DpkgPackages packages;
  std::string name;
  for (const std::string_view line : split_lines(content)) {
    if (trim(line).empty()) {
      name.clear();
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view key = line.substr(0, colon);
    const std::string value{trim(line.substr(colon + 1))};
    if (key == "Package") name = value;
    if (name.empty()) return std::nullopt;
    DpkgPackage& package = packages[name];
    if (key == "Status") package.status = value;
    if (key == "Version") package.version = value;
    if (key == "Depends") package.depends = value;
  }
  return packages;
}

std::string dpkg_status_text(const DpkgPackages& packages) {
  std::string text;
  for (const auto& [name, package] : packages) {
    text += fmt::format(
        "Package: {}\nStatus: {}\nArchitecture: amd64\nVersion: {}\n",
        name,
        package.status,
        package.version);
    if (!package.depends.empty()) text += "Depends: " + package.depends + "\n";
    text += "\n";
  }
  return text;
}

std::vector<std::string> read_apt_index(const FileTree& files) {
  std::vector<std::string> names;
  std::string content;
  if (files.read(kAptIndex, "root", content) != FileError::none) return names;
  constexpr std::string_view kKey = "Package: ";
  for (const std::string_view line : split_lines(content)) {
    if (line.starts_with(kKey)) names.emplace_back(line.substr(kKey.size()));
  }
  return names;
}

std::string apt_index_text() {
  std::string text;
  for (const ArchivePackage& package : kArchive)
    text += fmt::format("Package: {}\nVersion: {}\n\n", package.name, package.version);
  return text;
}

void install_packages(LinuxHost& machine) {
  const MachineProfile& profile = machine.profile;
  DpkgPackages packages;
  for (const std::string_view name : kBase)
    put(machine, packages, name);
  const std::string& backend = profile.backend;
  if (backend != "networkd")
    put(machine,
        packages,
        backend == "netplan"          ? "netplan.io"
        : backend == "networkmanager" ? "network-manager"
                                      : std::string_view{backend});
  if (profile.lldpd) put(machine, packages, "lldpd");
  if (profile.tool == "mstconfig") put(machine, packages, "mstflint");
  if (profile.tool == "mlxconfig")
    packages["mft"] = {"install ok installed", profile.tool_version + ".0-1", ""};
  machine.state.files.install(kDpkgStatus, dpkg_status_text(packages));
  machine.state.files.install(kAptIndex, apt_index_text());
}

void unpack(LinuxHost& machine, std::string_view package) {
  for (const auto& [name, programs] : kPrograms) {
    if (name != package) continue;
    for (const ProgramEntry& entry : machine.programs.entries) {
      if (entry.package == programs)
        machine.state.files.install_program(entry.path, std::string{entry.name});
    }
  }
  for (const auto& [name, unit] : kServices) {
    if (name == package) machine.state.services[std::string{unit}] = {true, true, true};
  }
  if (package == "ifenslave") {
    for (const char* hook : {kIfenslaveUp, kIfenslaveDown})
      machine.state.files.install(hook, "#!/bin/sh\n# ifenslave for bonding\n", 0755);
  }
  if (package == "opensm") install_manager_package(machine);
  if (package == "mstflint") machine.profile.tool_version = "4.21";
}

void remove_files(LinuxHost& machine, std::string_view package) {
  for (const auto& [name, programs] : kPrograms) {
    if (name != package) continue;
    for (const ProgramEntry& entry : machine.programs.entries) {
      if (entry.package == programs) machine.state.files.remove(entry.path, "root");
    }
  }
  for (const auto& [name, unit] : kServices) {
    if (name == package) machine.state.services[std::string{unit}] = {false, false, false};
  }
  if (package == "ifenslave") {
    for (const char* hook : {kIfenslaveUp, kIfenslaveDown})
      machine.state.files.remove(hook, "root");
  }
  if (package == "opensm") {
    stop_package_managers(machine);
    machine.state.services[std::string{package_manager_service(machine)}] = {false, false, false};
  }
}

}  // namespace fabric::lab
