// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/ifupdown2.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "providers/linux/lab/kernel/links.hpp"

namespace fabric::lab {

namespace {

// The real one holds pickled objects; start-networking removes it at boot.
constexpr std::string_view kMemory = "/run/network/ifstatenew";
constexpr std::uint32_t kDefaultMtu = 1500;

std::vector<IfupdownStanza> all_remembered(const FileTree& files) {
  return read_stanzas(files, std::string{kMemory});
}

}  // namespace

bool is_ifupdown2(Process& process) {
  return process.files().find("/usr/sbin/ifreload") != nullptr;
}

std::vector<IfupdownStanza> remembered(const FileTree& files, const std::string& name) {
  std::vector<IfupdownStanza> stanzas = all_remembered(files);
  std::erase_if(stanzas, [&name](const IfupdownStanza& each) { return each.name != name; });
  return stanzas;
}

void remember(
    LinuxHost& machine, const std::string& name, const std::vector<IfupdownStanza>& stanzas) {
  std::vector<IfupdownStanza> all = all_remembered(machine.state.files);
  std::erase_if(all, [&name](const IfupdownStanza& each) { return each.name == name; });
  all.insert(all.end(), stanzas.begin(), stanzas.end());
  std::string text;
  for (const IfupdownStanza& stanza : all) {
    text += fmt::format("iface {} inet {}\n", stanza.name, stanza.method);
    for (const auto& [key, value] : stanza.options)
      text += fmt::format("    {} {}\n", key, value);
  }
  machine.state.files.install(kMemory, text);
}

void make_way(LinuxHost& machine, const std::vector<IfupdownStanza>& stanzas) {
  if (stanzas.empty()) return;
  const std::string& name = stanzas.front().name;
  Interface* interface = machine.find_interface(name);
  const std::vector<IfupdownStanza> before = remembered(machine.state.files, name);
  if (interface == nullptr) return;
  const auto says_mtu = [](const IfupdownStanza& each) {
    return !option_of(each, "mtu").empty();
  };
  const bool said_mtu = std::any_of(before.begin(), before.end(), says_mtu);
  // IPoIB has another MTU at first, and does not keep it.
  if ((said_mtu || interface->ipoib) && std::none_of(stanzas.begin(), stanzas.end(), says_mtu))
    set_mtu(machine, *interface, kDefaultMtu);
  if (!before.empty()) flush_addresses(machine, *interface);
}

void claim_default_routes(LinuxHost& machine, const std::string& device) {
  for (Route& route : machine.state.routes) {
    const bool is_default = route.destination.length() == 0 && !route.via.empty();
    if (route.device == device && is_default) route.by_ifupdown2 = true;
  }
}

int cannot_find(Process& process, const std::string& name, bool is_up) {
  process.err(fmt::format(
      "error: main exception: cannot find interfaces: {}{}\n",
      name,
      is_up ? "" : " (interface was probably never up ?)"));
  return 1;
}

}  // namespace fabric::lab
