// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/network_scripts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/lab/machine/partitions.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"
#include "providers/linux/lab/kernel/links.hpp"

namespace fabric::lab {
namespace {

constexpr std::string_view kPrefix = "ifcfg-";

using Keys = std::map<std::string, std::string, std::less<>>;

std::string value(const Keys& keys, std::string_view key) {
  const auto found = keys.find(key);
  return found == keys.end() ? std::string{} : found->second;
}

bool is_yes(const Keys& keys, std::string_view key) {
  const std::string text = to_lower(value(keys, key));
  return text == "yes" || text == "true" || text == "1";
}

std::optional<Keys> read_file(const FileTree& files, const std::string& name) {
  std::string content;
  const std::string path = fmt::format("{}/{}{}", kNetworkScripts, kPrefix, name);
  if (files.read(path, "root", content) != FileError::none) return std::nullopt;
  Keys keys;
  for (const std::string_view raw : split_lines(content)) {
    const std::string_view line = trim(raw);
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) continue;
    std::string_view text = line.substr(equals + 1);
    if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
        text.back() == text.front())
      text = text.substr(1, text.size() - 2);
    keys.insert_or_assign(std::string{line.substr(0, equals)}, std::string{text});
  }
  return keys;
}

std::vector<std::string> all_names(const FileTree& files) {
  std::vector<std::string> names;
  for (const std::string& file : files.list(std::string{kNetworkScripts})) {
    if (file.starts_with(kPrefix)) names.push_back(file.substr(kPrefix.size()));
  }
  return names;
}

// Brings up one ifcfg file.
class Script {
 public:
  Script(Process& process, std::string name, Keys keys)
      : process_{process}, name_{std::move(name)}, keys_{std::move(keys)} {
    device_ = value(keys_, "DEVICE");
    if (device_.empty()) device_ = name_;
  }

  // NOLINTNEXTLINE(misc-no-recursion): a bond brings up its slaves, which are no bonds
  int up() {
    if (is_yes(keys_, "VLAN") && machine().find_interface(device_) == nullptr) {
      if (const std::string problem = make_vlan(); !problem.empty()) return fail(problem);
    }
    // ifup-ib of rdma-core.
    if (is_yes(keys_, "PKEY") && machine().find_interface(device_) == nullptr)
      create_child(machine(), network(), value(keys_, "PHYSDEV"), p_key());
    if (is_yes(keys_, "BONDING_MASTER")) install_bond(device_, keys_);
    Interface* interface = machine().find_interface(device_);
    if (interface == nullptr) {
      return fail(
          fmt::format("Device {} does not seem to be present, delaying initialization.", device_));
    }
    // ifup-ib of rdma-core: datagram is the default; a mode that the kernel refuses is skipped. The
    // mode sets its own MTU.
    if (interface->ipoib) {
      const bool connected = is_yes(keys_, "CONNECTED_MODE");
      set_ipoib_mode(machine(), *interface, connected ? "connected" : "datagram");
    }
    if (const auto mtu = parse_unsigned(value(keys_, "MTU"), 10)) {
      const std::string problem =
          set_mtu(machine(), *interface, static_cast<std::uint32_t>(std::min(*mtu, kMost)));
      if (!problem.empty()) return fail(problem);
    }
    if (is_yes(keys_, "SLAVE") && !value(keys_, "MASTER").empty()) return join_bond();
    const std::string problem = set_up(machine(), *interface, true);
    if (!problem.empty()) return fail(problem);
    if (interface->bond) bring_up_slaves();
    add_addresses();
    settle_bonds(machine(), network());
    return 0;
  }

  // NOLINTNEXTLINE(misc-no-recursion): as above
  int down() {
    Interface* interface = machine().find_interface(device_);
    if (interface == nullptr) return 0;
    if (interface->bond) {
      release_all(machine(), *interface);
      show_interfaces(machine(), network());
      interface = machine().find_interface(device_);
    }
    flush_addresses(machine(), *interface);
    set_up(machine(), *interface, false);
    if (interface->master != 0) {
      release(machine(), *interface);
      show_interfaces(machine(), network());
    }
    if (is_yes(keys_, "VLAN")) delete_link(machine(), network(), device_);
    if (is_yes(keys_, "PKEY")) delete_child(machine(), network(), value(keys_, "PHYSDEV"), p_key());
    settle_bonds(machine(), network());
    return 0;
  }

 private:
  static constexpr std::uint64_t kMost = 1'000'000;

  LinuxHost& machine() { return process_.machine(); }
  const Network& network() const { return process_.session.network; }

  int fail(const std::string& problem) {
    process_.err(problem + "\n");
    return 1;
  }

  std::string p_key() const {
    const auto key = parse_p_key(value(keys_, "PKEY_ID"));
    return key ? std::to_string(*key | kFullMember) : "";
  }

  std::string make_vlan() {
    const std::size_t dot = device_.rfind('.');
    std::string below = value(keys_, "PHYSDEV");
    std::string number = value(keys_, "VLAN_ID");
    if (below.empty() && dot != std::string::npos) below = device_.substr(0, dot);
    if (number.empty() && dot != std::string::npos) number = device_.substr(dot + 1);
    const auto id = parse_unsigned(number, 10);
    Interface* carrier = machine().find_interface(below);
    if (carrier == nullptr || !id || *id == 0 || *id > 4094)
      return fmt::format("ERROR: could not add vlan {} as {} on dev {}", number, device_, below);
    set_up(machine(), *carrier, true);
    return add_vlan(machine(), network(), carrier->index, device_, static_cast<std::uint32_t>(*id));
  }

  // Options in the order in which they are written; those that need a slave come again later.
  void install_bond(const std::string& name, const Keys& keys) {
    if (machine().find_interface(name) == nullptr) add_bond(machine(), network(), name, {});
    const std::string options = value(keys, "BONDING_OPTS");
    for (const std::string_view option : split_words(options)) {
      const std::size_t equals = option.find('=');
      Interface* bond = machine().find_interface(name);
      if (bond == nullptr || !bond->bond || equals == std::string_view::npos) continue;
      const std::string_view key = option.substr(0, equals);
      // The kernel refuses another mode for a bond with slaves, and the script goes on.
      set_bond_option(machine(), *bond, key, option.substr(equals + 1));
    }
  }

  int join_bond() {
    const std::string master = value(keys_, "MASTER");
    const std::optional<Keys> of_master = read_file(process_.files(), master);
    if (machine().find_interface(master) == nullptr)
      install_bond(master, of_master ? *of_master : Keys{});
    Interface* slave = machine().find_interface(device_);
    Interface* bond = machine().find_interface(master);
    if (bond == nullptr || !bond->bond) return fail("no bonding master " + master);
    if (slave->master != bond->index) {
      set_up(machine(), *slave, false);
      const std::string problem = enslave(machine(), network(), *slave, *bond);
      if (!problem.empty()) return fail(problem);
    }
    if (of_master) install_bond(master, *of_master);
    show_interfaces(machine(), network());
    settle_bonds(machine(), network());
    return 0;
  }

  // NOLINTNEXTLINE(misc-no-recursion): as above
  void bring_up_slaves() {
    for (const std::string& name : all_names(process_.files())) {
      std::optional<Keys> keys = read_file(process_.files(), name);
      if (!keys || value(*keys, "MASTER") != device_ || !is_yes(*keys, "SLAVE")) continue;
      Script{process_, name, *std::move(keys)}.up();
    }
  }

  void add_addresses() {
    for (int count = 0;; ++count) {
      const std::string number = count == 0 ? "" : std::to_string(count);
      const std::string text = value(keys_, "IPADDR" + number);
      if (text.empty()) break;
      std::optional<IpPrefix> address = IpPrefix::parse(text);
      Interface* interface = machine().find_interface(device_);
      if (!address || interface == nullptr) continue;
      const std::string mask = value(keys_, "NETMASK" + number);
      if (const auto length = parse_unsigned(value(keys_, "PREFIX" + number), 10)) {
        address->set_length(static_cast<std::uint32_t>(std::min<std::uint64_t>(*length, 32)));
      } else if (const auto of_mask = IpPrefix::length_of_netmask(mask)) {
        address->set_length(*of_mask);
      }
      add_address(machine(), *interface, *address);
    }
    const std::string ipv6 = value(keys_, "IPV6ADDR");
    Interface* interface = machine().find_interface(device_);
    const auto address = IpPrefix::parse(ipv6);
    if (is_yes(keys_, "IPV6INIT") && address && interface != nullptr)
      add_address(machine(), *interface, *address);
    const std::string gateway = value(keys_, "GATEWAY");
    if (!gateway.empty()) set_default_route(machine(), gateway, device_);
    for (const char* file : {"route-", "route6-"})
      add_routes(file + name_);
    add_rules();
  }

  // The lines of a file beside that of the interface, without comments.
  std::vector<std::vector<std::string>> lines_of(const std::string& file) {
    std::vector<std::vector<std::string>> lines;
    std::string content;
    const std::string path = fmt::format("{}/{}", kNetworkScripts, file);
    if (process_.files().read(path, "root", content) != FileError::none) return lines;
    for (const std::string_view line : split_lines(content)) {
      std::vector<std::string> words;
      for (const std::string_view word : split_words(line))
        words.emplace_back(word);
      if (!words.empty() && !words[0].starts_with('#')) lines.push_back(std::move(words));
    }
    return lines;
  }

  static std::string after(const std::vector<std::string>& words, std::string_view key) {
    const auto found = std::find(words.begin(), words.end(), key);
    return found == words.end() || found + 1 == words.end() ? std::string{} : *(found + 1);
  }

  static std::uint32_t number_after(const std::vector<std::string>& words, std::string_view key) {
    return static_cast<std::uint32_t>(parse_unsigned(after(words, key), 10).value_or(0));
  }

  // "10.50.0.0/16 via 10.30.0.253 dev fab1", "10.30.0.0/24 dev fab1 table 4501 src 10.30.0.1": what
  // ip takes.
  void add_routes(const std::string& file) {
    for (const std::vector<std::string>& words : lines_of(file)) {
      const std::uint32_t table = number_after(words, "table");
      const bool on_link = words.size() > 2 && words[1] == "dev" && table != 0;
      if (words.size() < 3 || (words[1] != "via" && !on_link)) continue;
      replace_route(
          machine(), words[0], after(words, "via"), device_, {0, table, after(words, "src")});
    }
  }

  // "from 10.30.0.1 table 4501 priority 4501"
  void add_rules() {
    for (const std::vector<std::string>& words : lines_of("rule-" + name_)) {
      const RoutingRule rule{
          number_after(words, "priority"), "", number_after(words, "table"), after(words, "from")};
      if (!rule.from.empty() && rule.table != 0) add_rule(machine(), rule);
    }
  }

  Process& process_;
  std::string name_, device_;
  Keys keys_;
};

}  // namespace

int script_up(Process& process, const std::string& name) {
  std::optional<Keys> keys = read_file(process.files(), name);
  if (!keys) {
    process.err(fmt::format(
        "{}/ifup: configuration for {} not found.\nUsage: ifup <configuration>\n",
        kNetworkScripts,
        name));
    return 1;
  }
  return Script{process, name, *std::move(keys)}.up();
}

int script_down(Process& process, const std::string& name) {
  std::optional<Keys> keys = read_file(process.files(), name);
  if (!keys) {
    process.err("usage: ifdown <configuration>\n");
    return 1;
  }
  return Script{process, name, *std::move(keys)}.down();
}

void start_network_scripts(Process& process) {
  for (const bool vlans : {false, true}) {
    for (const std::string& name : all_names(process.files())) {
      const std::optional<Keys> keys = read_file(process.files(), name);
      if (keys && is_yes(*keys, "ONBOOT") && is_yes(*keys, "VLAN") == vlans)
        script_up(process, name);
    }
  }
}

void stop_network_scripts(Process& process) {
  for (const bool vlans : {true, false}) {
    for (const std::string& name : all_names(process.files())) {
      const std::optional<Keys> keys = read_file(process.files(), name);
      if (keys && name != "lo" && is_yes(*keys, "VLAN") == vlans) script_down(process, name);
    }
  }
}

}  // namespace fabric::lab
