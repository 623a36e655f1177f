// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/ifupdown.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/links.hpp"
#include "providers/linux/lab/shell/pattern.hpp"

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
  const bool said_mtu = std::ranges::any_of(before, says_mtu);
  // IPoIB has another MTU at first, and does not keep it.
  if ((said_mtu || interface->ipoib) && std::ranges::none_of(stanzas, says_mtu))
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

namespace {

// The interface that carries it, and its number; by vlan-raw-device and the name, or by a name with
// a dot: eth0.100, vlan100.
struct VlanOfStanza {
  std::string below;
  std::uint32_t id = 0;
};

std::optional<VlanOfStanza> vlan_of(const IfupdownStanza& stanza) {
  const std::size_t dot = stanza.name.rfind('.');
  const std::string raw = option_of(stanza, "vlan-raw-device");
  std::string digits = option_of(stanza, "vlan-id");
  if (digits.empty() && dot != std::string::npos) digits = stanza.name.substr(dot + 1);
  if (digits.empty() && !raw.empty() && stanza.name.starts_with("vlan"))
    digits = stanza.name.substr(4);
  const std::optional<std::uint64_t> id = parse_unsigned(digits, 10);
  if (!id || *id == 0 || *id > 4094 || (raw.empty() && dot == std::string::npos))
    return std::nullopt;
  return VlanOfStanza{
      raw.empty() ? stanza.name.substr(0, dot) : raw, static_cast<std::uint32_t>(*id)};
}

bool has_hook(Process& process, const char* hook) {
  return is_ifupdown2(process) || process.files().find(hook) != nullptr;
}

struct BondOfStanza {
  std::string name;
  std::vector<std::string> slaves;
  bool is_slave = false;  // the stanza is that of a slave
};

std::optional<BondOfStanza> bond_of(const IfupdownStanza& stanza) {
  BondOfStanza bond;
  bond.name = option_of(stanza, "bond-master");
  if (!bond.name.empty() && bond.name != "none") {
    bond.slaves = {stanza.name};
    bond.is_slave = true;
    return bond;
  }
  std::string slaves = option_of(stanza, "bond-slaves");
  if (slaves.empty()) slaves = option_of(stanza, "slaves");
  if (slaves.empty() && option_of(stanza, "bond-mode").empty()) return std::nullopt;
  bond.name = stanza.name;
  for (const std::string_view slave : split_words(slaves)) {
    if (slave != "none") bond.slaves.emplace_back(slave);
  }
  return bond;
}

void set_options(LinuxHost& machine, const std::string& name, const IfupdownStanza& stanza) {
  for (const std::string_view option : bond_options()) {
    std::string key = "bond-" + std::string{option};
    std::replace(key.begin(), key.end(), '_', '-');
    const std::string value = option_of(stanza, key);
    Interface* bond = machine.find_interface(name);
    if (!value.empty() && bond != nullptr) set_bond_option(machine, *bond, option, value);
  }
}

// The state's interfaces stay as they are, said the hook's author.
void add_slave(Process& process, const std::string& name, const BondOfStanza& bond) {
  LinuxHost& machine = process.machine();
  Interface* slave = machine.find_interface(name);
  Interface* master = machine.find_interface(bond.name);
  if (slave != nullptr && master != nullptr && slave->master == master->index) return;
  const std::vector<std::string> state = read_ifstate(process.files());
  if (!bond.is_slave && std::ranges::find(state, name) != state.end() && !is_ifupdown2(process)) {
    process.out(fmt::format("Not enslaving interface {} since it is already configured\n", name));
    return;
  }
  if (slave != nullptr) set_up(machine, *slave, false);
  const bool joined = slave != nullptr && master != nullptr && master->bond &&
                      enslave(machine, process.session.network, *slave, *master).empty();
  if (!joined) {
    process.err(fmt::format(
        "Failed to enslave {0} to {1}. Is {1} ready and a bonding interface ?\n", name, bond.name));
  }
}

const IfupdownStanza* stanza_of(const IfupdownFile& file, const std::string& name) {
  const auto found = std::ranges::find_if(file.stanzas, [&](const IfupdownStanza& stanza) {
    return stanza.name == name && bond_of(stanza) && !bond_of(stanza)->is_slave;
  });
  return found == file.stanzas.end() ? nullptr : &*found;
}

}  // namespace

std::string make_vlan(Process& process, const IfupdownStanza& stanza) {
  const std::optional<VlanOfStanza> vlan = vlan_of(stanza);
  LinuxHost& machine = process.machine();
  if (machine.find_interface(stanza.name) != nullptr) return "";
  // ifupdown asks for the type of what stands before the dot; ifupdown2 does not.
  const std::size_t dot = stanza.name.rfind('.');
  const std::string parent = stanza.name.substr(0, dot);
  const Interface* port = machine.find_interface(parent);
  if (dot != std::string::npos && port != nullptr && port->infiniband && !is_ifupdown2(process)) {
    const std::string key = "0x" + stanza.name.substr(dot + 1);
    const FileError error = create_child(machine, process.session.network, parent, key);
    return error == FileError::none ? "" : std::string{describe(error)};
  }
  if (!vlan) return "";
  Interface* below = machine.find_interface(vlan->below);
  if (below == nullptr || below->infiniband) return "";
  set_up(machine, *below, true);
  return add_vlan(machine, process.session.network, below->index, stanza.name, vlan->id);
}

void unmake_vlan(Process& process, const IfupdownStanza& stanza) {
  const Interface* interface = process.machine().find_interface(stanza.name);
  const bool is_child = interface != nullptr && interface->ipoib && interface->is_virtual();
  if (is_child || (interface != nullptr && interface->vlan && vlan_of(stanza)))
    delete_link(process.machine(), process.session.network, stanza.name);
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the stanzas, none of which is brought up twice
void make_bridge(Process& process, const IfupdownFile& file, const IfupdownStanza& stanza) {
  const std::string written = option_of(stanza, "bridge-ports");
  if (written.empty() || !is_ifupdown2(process)) return;
  LinuxHost& machine = process.machine();
  std::vector<std::string> ports;
  for (const std::string_view each : split_words(written)) {
    if (each == "none") continue;
    ports.emplace_back(each);
    const bool has_stanza = std::ranges::any_of(
        file.stanzas, [each](const IfupdownStanza& one) { return one.name == each; });
    if (machine.find_interface(ports.back()) == nullptr && has_stanza)
      bring_up(process, file, ports.back());
  }
  add_bridge(machine, process.session.network, stanza.name, ports);
}

void unmake_bridge(Process& process, const IfupdownStanza& stanza) {
  const Interface* interface = process.machine().find_interface(stanza.name);
  if (interface != nullptr && interface->bridge)
    delete_link(process.machine(), process.session.network, stanza.name);
}

void make_bond(Process& process, const IfupdownFile& file, const IfupdownStanza& stanza) {
  const std::optional<BondOfStanza> bond = bond_of(stanza);
  if (!bond || !has_hook(process, kIfenslaveUp)) return;
  LinuxHost& machine = process.machine();
  const Network& network = process.session.network;
  if (machine.find_interface(bond->name) == nullptr) add_bond(machine, network, bond->name, {});
  const Interface* made = machine.find_interface(bond->name);
  if (made == nullptr || !made->bond) return;
  // A slave that comes first makes the bond as the bond's own stanza has it.
  const IfupdownStanza* of_bond = bond->is_slave ? stanza_of(file, bond->name) : &stanza;
  if (of_bond != nullptr && made->bond->slaves.empty()) set_options(machine, bond->name, *of_bond);
  for (const std::string& slave : bond->slaves)
    add_slave(process, slave, *bond);
  if (of_bond != nullptr) set_options(machine, bond->name, *of_bond);
  show_interfaces(machine, network);
}

void unmake_bond(Process& process, const IfupdownStanza& stanza) {
  const std::optional<BondOfStanza> bond = bond_of(stanza);
  if (!bond || !has_hook(process, kIfenslaveDown)) return;
  LinuxHost& machine = process.machine();
  const Interface* master = machine.find_interface(bond->name);
  if (master == nullptr || !master->bond) return;
  if (!bond->is_slave) {
    delete_link(machine, process.session.network, bond->name);
    return;
  }
  Interface* slave = machine.find_interface(stanza.name);
  if (slave != nullptr && slave->master == master->index) release(machine, *slave);
  show_interfaces(machine, process.session.network);
}

namespace {

constexpr std::string_view kState = "/run/network/ifstate";
constexpr int kSourcesWithinSources = 8;

class Reader {
 public:
  explicit Reader(const FileTree& files) : files_{files} {}

  // NOLINTNEXTLINE(misc-no-recursion): bounded by kSourcesWithinSources
  void read(const std::string& path, int depth) {
    std::string content;
    if (files_.read(path, "root", content) != FileError::none || depth > kSourcesWithinSources)
      return;
    in_stanza_ = false;
    std::size_t number = 0;
    for (const std::string_view raw : split_lines(content)) {
      ++number;
      const std::string_view line = trim(raw);
      if (line.empty() || line.front() == '#') continue;
      const std::vector<std::string_view> words = split_words(line);
      if (words[0] == "source" || words[0] == "source-directory") {
        in_stanza_ = false;
        for (const std::string& file : sources(words, path))
          read(file, depth + 1);
        in_stanza_ = false;
      } else if (!entry(words, line) && result.problem.empty()) {
        result.problem = fmt::format("{}:{}: misplaced option", path, number);
      }
    }
  }

  IfupdownFile result;

 private:
  // Both commands read every file of the folder; `source` selects by pattern, the other by name.
  std::vector<std::string> sources(
      const std::vector<std::string_view>& words, const std::string& from) const {
    std::vector<std::string> found;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string path = absolute_path(from.substr(0, from.rfind('/')), words[i]);
      const bool directory = words[0] == "source-directory";
      const std::string folder = directory ? path : path.substr(0, path.rfind('/'));
      const std::string pattern = directory ? "*" : path.substr(path.rfind('/') + 1);
      for (const std::string& name : files_.list(folder)) {
        if (name.front() == '.' || !shell::matches(pattern, name)) continue;
        const bool plain = std::ranges::all_of(name, [](char c) {
          return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
        });
        if (!directory || plain) found.push_back(folder + "/" + name);
      }
    }
    return found;
  }

  bool entry(const std::vector<std::string_view>& words, std::string_view line) {
    if (words[0] == "auto" || words[0] == "allow-auto" || words[0] == "allow-hotplug") {
      in_stanza_ = false;
      std::vector<std::string>& list =
          words[0] == "allow-hotplug" ? result.hotplug : result.automatic;
      for (std::size_t i = 1; i < words.size(); ++i)
        list.emplace_back(words[i]);
      return true;
    }
    if (words[0] == "iface" && words.size() >= 2) {
      in_stanza_ = true;
      result.stanzas.push_back(IfupdownStanza{
          std::string{words[1]}, words.size() > 3 ? std::string{words[3]} : "static", {}});
      return true;
    }
    if (!in_stanza_) return false;
    result.stanzas.back().options.emplace_back(words[0], trim(line.substr(words[0].size())));
    return true;
  }

  const FileTree& files_;
  bool in_stanza_ = false;
};

void write_ifstate(LinuxHost& machine, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += name + "=" + name + "\n";
  machine.state.files.install(kState, text);
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
bool run_hooks(Process& process, const IfupdownStanza& stanza, std::string_view phase) {
  for (const auto& [key, line] : stanza.options) {
    const bool fits = key == phase || (phase == "up" && key == "post-up") ||
                      (phase == "down" && key == "pre-down");
    if (!fits) continue;
    Process child = process;
    child.environment["IFACE"] = stanza.name;
    child.depth = process.depth + 1;
    if (run_script(child, line, "/bin/sh", {}) != 0) return false;
  }
  return true;
}

std::vector<IfupdownStanza> stanzas_of(
    const std::vector<IfupdownStanza>& all, const std::string& name) {
  std::vector<IfupdownStanza> stanzas;
  std::ranges::copy_if(all, std::back_inserter(stanzas), [&name](const IfupdownStanza& each) {
    return each.name == name;
  });
  return stanzas;
}

// "" or why not.
std::string configure(LinuxHost& machine, const IfupdownStanza& stanza) {
  Interface* interface = machine.find_interface(stanza.name);
  if (interface == nullptr) return fmt::format("Cannot find device \"{}\"", stanza.name);
  if (stanza.method == "static") {
    std::optional<IpPrefix> address = IpPrefix::parse(option_of(stanza, "address"));
    if (!address) return "Error: any valid prefix is expected rather than \"\".";
    const std::string netmask = option_of(stanza, "netmask");
    if (const std::optional<std::uint32_t> length = IpPrefix::length_of_netmask(netmask))
      address->set_length(*length);
    add_address(machine, *interface, *address);
  }
  // There is a DHCP server on the network of the management port, and nowhere else.
  const std::string& leased = machine.profile.address;
  if (stanza.method == "dhcp" && stanza.name == "eno1" && !leased.empty()) {
    if (const std::optional<IpPrefix> address = IpPrefix::parse(leased + "/24"))
      add_address(machine, *interface, *address);
  }
  const std::optional<std::uint64_t> mtu = parse_unsigned(option_of(stanza, "mtu"), 10);
  if (mtu) {
    std::string problem = set_mtu(
        machine, *interface, static_cast<std::uint32_t>(std::min<std::uint64_t>(*mtu, 1'000'000)));
    if (!problem.empty()) return problem;
  }
  if (stanza.method != "manual" || mtu) {
    std::string problem = set_up(machine, *interface, true);
    if (!problem.empty()) return problem;
  }
  const std::string gateway = option_of(stanza, "gateway");
  if (!gateway.empty() && !add_default_route(machine, gateway, stanza.name))
    return "RTNETLINK answers: File exists";
  return "";
}

}  // namespace

std::string option_of(const IfupdownStanza& stanza, std::string_view name) {
  for (const auto& [key, value] : stanza.options) {
    if (key == name) return value;
  }
  return "";
}

IfupdownFile read_interfaces(const FileTree& files) {
  Reader reader{files};
  reader.read("/etc/network/interfaces", 0);
  return std::move(reader.result);
}

std::vector<IfupdownStanza> read_stanzas(const FileTree& files, const std::string& path) {
  Reader reader{files};
  reader.read(path, 0);
  return std::move(reader.result.stanzas);
}

std::vector<std::string> read_ifstate(const FileTree& files) {
  std::string content;
  std::vector<std::string> names;
  if (files.read(kState, "root", content) != FileError::none) return names;
  for (const std::string_view line : split_lines(content))
    names.emplace_back(line.substr(0, line.find('=')));
  return names;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int bring_up(Process& process, const IfupdownFile& file, const std::string& name, bool force) {
  std::vector<std::string> state = read_ifstate(process.files());
  const bool second = is_ifupdown2(process);
  if (!second && !force && std::ranges::find(state, name) != state.end()) {
    process.err(fmt::format("ifup: interface {} already configured\n", name));
    return 0;
  }
  const std::vector<IfupdownStanza> stanzas = stanzas_of(file.stanzas, name);
  if (stanzas.empty() && second) return cannot_find(process, name, true);
  if (stanzas.empty()) {
    process.err(fmt::format("ifup: unknown interface {}\n", name));
    return 1;
  }
  if (second) make_way(process.machine(), stanzas);
  for (const IfupdownStanza& stanza : stanzas) {
    std::string problem = make_vlan(process, stanza);
    if (problem.empty() && !run_hooks(process, stanza, "pre-up")) problem = "pre-up script failed";
    if (problem.empty()) make_bond(process, file, stanza);
    if (problem.empty()) make_bridge(process, file, stanza);
    if (problem.empty()) problem = configure(process.machine(), stanza);
    if (problem.empty() && !run_hooks(process, stanza, "up")) problem = "up script failed";
    if (!problem.empty()) {
      process.err(fmt::format("{}\nifup: failed to bring up {}\n", problem, name));
      return 1;
    }
  }
  settle_bonds(process.machine(), process.session.network);
  // Interfaces that were brought up on the way are in the file already.
  state = read_ifstate(process.files());
  if (std::ranges::find(state, name) == state.end()) state.push_back(name);
  write_ifstate(process.machine(), state);
  if (second) {
    claim_default_routes(process.machine(), name);
    remember(process.machine(), name, stanzas);
  }
  return 0;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int bring_down(Process& process, const IfupdownFile& file, const std::string& name, bool force) {
  const bool second = is_ifupdown2(process);
  // Interfaces named after it go down first: VLANs and children of IPoIB (seen on Debian 12).
  for (const std::string& other : read_ifstate(process.files())) {
    if (!second && other.starts_with(name + ".")) bring_down(process, file, other, force);
  }
  std::vector<std::string> state = read_ifstate(process.files());
  const auto known = std::ranges::find(state, name);
  if (known == state.end() && second) return cannot_find(process, name, false);
  if (known == state.end() && !force) {
    process.err(fmt::format("ifdown: interface {} not configured\n", name));
    return 0;
  }
  for (const IfupdownStanza& stanza :
       second ? remembered(process.files(), name) : stanzas_of(file.stanzas, name)) {
    run_hooks(process, stanza, "down");
    Interface* interface = process.machine().find_interface(name);
    if (interface != nullptr) {
      flush_addresses(process.machine(), *interface);
      set_up(process.machine(), *interface, false);
    }
    run_hooks(process, stanza, "post-down");
    unmake_bridge(process, stanza);
    unmake_bond(process, stanza);
    unmake_vlan(process, stanza);
  }
  settle_bonds(process.machine(), process.session.network);
  if (known != state.end()) state.erase(known);
  write_ifstate(process.machine(), state);
  if (second) remember(process.machine(), name, {});
  return 0;
}

}  // namespace fabric::lab
