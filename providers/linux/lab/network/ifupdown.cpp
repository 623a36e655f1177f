// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/ifupdown.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/links.hpp"
#include "providers/linux/lab/network/ifupdown2.hpp"
#include "providers/linux/lab/network/ifupdown_links.hpp"
#include "providers/linux/lab/shell/pattern.hpp"

namespace fabric::lab {
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
        const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
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
  std::copy_if(
      all.begin(), all.end(), std::back_inserter(stanzas), [&name](const IfupdownStanza& each) {
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
  if (!second && !force && std::find(state.begin(), state.end(), name) != state.end()) {
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
  if (std::find(state.begin(), state.end(), name) == state.end()) state.push_back(name);
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
  const auto known = std::find(state.begin(), state.end(), name);
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
