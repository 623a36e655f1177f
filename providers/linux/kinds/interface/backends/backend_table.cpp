// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/backends/backend_table.hpp"

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

bool netplan_owns(const NodeFacts& /*facts*/, const Signs& signs, std::string_view /*device*/) {
  return (signs.has_file("/etc/netplan/") || signs.has_file("/run/netplan/")) &&
         (signs.has_file("/run/systemd/network/10-netplan-") ||
          signs.has_file("/run/NetworkManager/system-connections/netplan-"));
}

bool networkmanager_owns(const NodeFacts& /*facts*/, const Signs& signs, std::string_view device) {
  if (!signs.active_units.contains("NetworkManager")) return false;
  const auto state = signs.networkmanager.find(device);
  return state == signs.networkmanager.end() || state->second != "unmanaged";
}

bool has_stanza(const NodeFacts& facts, std::string_view device) {
  if (device.empty()) return false;
  for (const auto& [path, content] : network_files(facts)) {
    if (!path.starts_with("/etc/network/interfaces")) continue;
    for (const std::string_view line : split_lines(content)) {
      const std::vector<std::string_view> words = split_words(line);
      if (words.size() >= 2 && words[0] == "iface" && words[1] == device) return true;
    }
  }
  return false;
}

bool networkd_owns(const NodeFacts& facts, const Signs& signs, std::string_view device) {
  if (!signs.active_units.contains("systemd-networkd")) return false;
  const auto setup = signs.networkd.find(device);
  const bool unmanaged = setup == signs.networkd.end() || setup->second == "unmanaged";
  return !unmanaged || !has_stanza(facts, device);
}

bool ifcfg_owns(const NodeFacts& /*facts*/, const Signs& signs, std::string_view /*device*/) {
  return signs.has_file("/etc/sysconfig/network-scripts/ifcfg-");
}

bool ifupdown_owns(const NodeFacts& /*facts*/, const Signs& signs, std::string_view /*device*/) {
  return signs.tools.contains("ifup") && signs.has_file("/etc/network/interfaces");
}

// The missing part of a back end that the document names, whatever the node shows; "" = nothing is
// missing.
std::string_view netplan_lacks(const Signs& signs) {
  return signs.tools.contains("netplan") ? "" : "it has no program `netplan`";
}

std::string_view networkmanager_lacks(const Signs& signs) {
  return signs.active_units.contains("NetworkManager") ? "" : "no NetworkManager runs there";
}

std::string_view networkd_lacks(const Signs& signs) {
  return signs.active_units.contains("systemd-networkd") ? "" : "no systemd-networkd runs there";
}

std::string_view ifcfg_lacks(const Signs& signs) {
  const bool is_there = signs.has_file("/etc/sysconfig/network-scripts/ifcfg-") ||
                        signs.active_units.contains("NetworkManager") ||
                        signs.active_units.contains("network");
  return is_there ? "" : "neither network scripts nor a NetworkManager that reads their files run";
}

std::string_view ifupdown_lacks(const Signs& signs) {
  if (!signs.tools.contains("ifup")) return "it has no program `ifup`";
  return signs.has_file("/etc/network/interfaces") ? "" : "it has no /etc/network/interfaces";
}

template <const NetworkBackend& (*kBackend)()>
const NetworkBackend& the_only(const Signs& /*signs*/) {
  return kBackend();
}

const NetworkBackend& ifcfg_of_node(const Signs& signs) {
  return signs.active_units.contains("NetworkManager") ? ifcfg_manager_backend() : ifcfg_backend();
}

const NetworkBackend& ifupdown_of_node(const Signs& signs) {
  return signs.tools.contains("ifreload") ? ifupdown2_backend() : ifupdown_backend();
}

std::string_view nothing(const Signs& /*signs*/) {
  return {};
}

// ifupdown2 makes bonds itself.
std::string_view ifenslave(const Signs& signs) {
  if (signs.tools.contains("ifreload") ||
      signs.files.contains("/etc/network/if-pre-up.d/ifenslave"))
    return {};
  return "ifupdown ignores every bond-* option without the package ifenslave";
}

// netplan is asked first, because it writes the files of networkd or NetworkManager; NetworkManager
// before the network scripts, because it reads their files where it runs.
constexpr BackendRow kBackends[] = {
    {"netplan", netplan_backend, the_only<netplan_backend>, netplan_owns, netplan_lacks, nothing},
    {"networkmanager",
     keyfile_backend,
     the_only<keyfile_backend>,
     networkmanager_owns,
     networkmanager_lacks,
     nothing},
    {"networkd",
     networkd_backend,
     the_only<networkd_backend>,
     networkd_owns,
     networkd_lacks,
     nothing},
    {"ifcfg", ifcfg_backend, ifcfg_of_node, ifcfg_owns, ifcfg_lacks, nothing},
    {"ifupdown", ifupdown_backend, ifupdown_of_node, ifupdown_owns, ifupdown_lacks, ifenslave},
};

}  // namespace

std::span<const BackendRow> backends() {
  return kBackends;
}

}  // namespace fabric::providers
