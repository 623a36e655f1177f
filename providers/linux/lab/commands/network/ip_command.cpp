// SPDX-License-Identifier: Apache-2.0
// ip(8): link, addr and route.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/network/ip_show.hpp"
#include "providers/linux/lab/commands/network/net_families.hpp"
#include "providers/linux/lab/kernel/addresses.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"
#include "providers/linux/lab/kernel/links.hpp"
#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab::commands {
namespace {

using Words = std::vector<std::string>;
using LinkOptions = std::vector<std::pair<std::string, std::string>>;

class IpLink {
 public:
  explicit IpLink(Process& process)
      : process_{process}, machine_{process.machine()}, network_{process.session.network} {}

  int run(const Words& words) {
    const Words rest{words.begin() + 1, words.end()};
    const std::string& verb = words.front();
    int status = 0;
    if (is(verb, "set")) {
      status = set(rest);
    } else if (is(verb, "add")) {
      status = add(rest);
    } else if (is(verb, "delete")) {
      status = remove(rest);
    } else {
      return complain(255, fmt::format("Command \"{}\" is unknown, try \"ip link help\".", verb));
    }
    settle_bonds(machine_, network_);
    settle_ipoib(machine_, network_);
    return status;
  }

 private:
  static bool is(const std::string& given, std::string_view word) {
    return !given.empty() && word.substr(0, given.size()) == given;
  }

  int complain(int status, const std::string& message) {
    process_.err(message + "\n");
    return status;
  }
  int answered(const std::string& problem) { return problem.empty() ? 0 : complain(2, problem); }
  int no_device(const std::string& name) {
    return complain(1, fmt::format("Cannot find device \"{}\"", name));
  }

  int set(Words words) {
    // ip link set up dev X: options may come before the name.
    std::string first;
    if (words.size() > 1 && (words[0] == "up" || words[0] == "down")) {
      first = words[0];
      words = {words.back()};
    }
    if (!words.empty() && words[0] == "dev") words.erase(words.begin());
    if (words.empty())
      return complain(255, "Not enough information: \"dev\" argument is required.");
    const Interface* interface = machine_.find_interface(words[0]);
    if (interface == nullptr) return no_device(words[0]);
    if (!first.empty()) words.push_back(first);
    return change(interface->index, words);
  }

  // `words`: the name, then up, down, or a setting and its value, as often as one likes.
  int change(std::uint32_t index, const Words& words) {
    for (std::size_t at = 1; at < words.size(); ++at) {
      Interface& interface = *machine_.interface_of_index(index);
      const std::string& word = words[at];
      int status = 0;
      if (word == "up" || word == "down") {
        status = answered(set_up(machine_, interface, word == "up"));
      } else if (word == "nomaster") {
        release(machine_, interface);
        show_interfaces(machine_, network_);
      } else if (word == "type") {
        return change_type(
            interface, {words.begin() + static_cast<std::ptrdiff_t>(at), words.end()});
      } else {
        status = change_setting(interface, word, at + 1 < words.size() ? words[at + 1] : "");
        ++at;
      }
      if (status != 0) return status;
    }
    return 0;
  }

  // `words`: "type", the kind, then options of that kind.
  int change_type(Interface& interface, const Words& words) {
    if (words.size() < 2 || words[1] != "bond")
      return complain(2, "RTNETLINK answers: Operation not supported");
    LinkOptions options;
    if (const int status = read_bond_options({words.begin() + 2, words.end()}, options);
        status != 0)
      return status;
    if (!interface.bond) return complain(2, "RTNETLINK answers: Operation not supported");
    for (const auto& [option, value] : options) {
      const int status = answered(set_bond_option(machine_, interface, option, value));
      if (status != 0) return status;
    }
    return 0;
  }

  int change_setting(Interface& interface, const std::string& setting, const std::string& value) {
    if (setting == "mtu") return change_mtu(interface, value);
    if (setting == "name") return rename(interface, value);
    if (setting == "master") return join_master(interface, value);
    if (setting == "txqueuelen") return 0;
    if (setting != "address") {
      return complain(
          255, fmt::format("Error: either \"dev\" is duplicate, or \"{}\" is a garbage.", setting));
    }
    interface.mac = to_lower(value);
    machine_.note_change();
    return 0;
  }

  int join_master(Interface& slave, const std::string& name) {
    Interface* bond = machine_.find_interface(name);
    if (bond == nullptr) return no_device(name);
    if (bond->bridge && slave.master == 0)
      return answered(add_bridge(machine_, network_, name, {std::string{slave.name}}));
    if (!bond->bond) return complain(2, "RTNETLINK answers: Operation not supported");
    const std::string problem = enslave(machine_, network_, slave, *bond);
    show_interfaces(machine_, network_);
    return answered(problem);
  }

  int change_mtu(Interface& interface, const std::string& value) {
    const std::optional<std::uint32_t> mtu = mtu_of(value);
    return mtu ? answered(set_mtu(machine_, interface, *mtu)) : 255;
  }

  std::optional<std::uint32_t> mtu_of(const std::string& value) {
    const std::optional<std::uint64_t> mtu = parse_unsigned(value, 10);
    if (mtu && *mtu <= 1'000'000) return static_cast<std::uint32_t>(*mtu);
    complain(255, fmt::format("Error: argument \"{}\" is wrong: Invalid \"mtu\" value", value));
    return std::nullopt;
  }

  int rename(Interface& interface, const std::string& name) {
    if (machine_.find_interface(name) != nullptr)
      return complain(2, "RTNETLINK answers: File exists");
    if (interface.up) return complain(2, "RTNETLINK answers: Device or resource busy");
    remove_interface_sysctls(machine_, interface.name);
    interface.name = name;
    make_interface_sysctls(machine_, name);
    machine_.note_change();
    show_interfaces(machine_, network_);
    return 0;
  }

  // Names that ip has and the kernel's files have not.
  static std::string option_name(const std::string& word) {
    return word == "ad_lacp_rate" ? "lacp_rate" : word;
  }

  // In the order in which the kernel reads them, whatever the order of the words. ip refuses an
  // invalid value before it asks the kernel (iproute2 6.1).
  int read_bond_options(const Words& words, LinkOptions& options) {
    const std::vector<std::string_view> known = bond_options();
    LinkOptions given;
    for (std::size_t i = 0; i < words.size(); i += 2) {
      const std::string name = option_name(words[i]);
      if (std::ranges::find(known, name) == known.end())
        return complain(255, fmt::format("bond: unknown command \"{}\"?", words[i]));
      if (i + 1 == words.size())
        return complain(255, "Command line is not complete. Try option \"help\"");
      const bool is_slave = name == "primary" || name == "active_slave";
      if (is_slave && machine_.find_interface(words[i + 1]) == nullptr)
        return no_device(words[i + 1]);
      if (!is_slave && !is_bond_value(name, words[i + 1])) {
        return complain(
            255,
            fmt::format("Error: argument \"{}\" is wrong: invalid {}", words[i + 1], words[i]));
      }
      given.emplace_back(name, words[i + 1]);
    }
    for (const std::string_view name : known) {
      for (const auto& each : given) {
        if (each.first == name) options.push_back(each);
      }
    }
    return 0;
  }

  struct NewLink {
    std::string name, below, type, mtu, address;
    Words of_type;  // the words after the type
  };

  // [link P] [name] N [mtu M] [address A] type KIND ...
  int read_new(const Words& words, NewLink& link) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      const std::string next = i + 1 < words.size() ? words[i + 1] : "";
      if (word == "type") {
        link.type = next;
        link.of_type.assign(
            words.begin() + static_cast<std::ptrdiff_t>(std::min(i + 2, words.size())),
            words.end());
        return 0;
      }
      std::string* field = word == "link"                    ? &link.below
                           : word == "name" || word == "dev" ? &link.name
                           : word == "mtu"                   ? &link.mtu
                           : word == "address"               ? &link.address
                                                             : nullptr;
      if (field != nullptr) {
        *field = next;
        ++i;
      } else {
        link.name = word;
      }
    }
    return complain(255, "Not enough information: \"type\" argument is required");
  }

  int add(const Words& words) {
    NewLink link;
    if (const int status = read_new(words, link); status != 0) return status;
    if (link.name.empty() || link.name.size() > 15)
      return complain(
          255,
          fmt::format("Error: argument \"{}\" is wrong: \"name\" not a valid ifname", link.name));
    int status = 0;
    if (link.type == "bond") {
      LinkOptions options;
      status = read_bond_options(link.of_type, options);
      if (status == 0) status = answered(add_bond(machine_, network_, link.name, options));
    } else if (link.type == "vlan") {
      status = add_tagged(link);
    } else if (link.type == "ipoib") {
      status = add_partition(link);
    } else if (link.type == "bridge") {
      if (machine_.find_interface(link.name) != nullptr)
        return complain(2, "RTNETLINK answers: File exists");
      status = answered(add_bridge(machine_, network_, link.name, {}));
    } else {
      return complain(2, "Error: Unknown device type.");
    }
    Interface* made = machine_.find_interface(link.name);
    if (status != 0 || made == nullptr) return status;
    if (!link.address.empty()) made->mac = to_lower(link.address);
    if (link.mtu.empty()) return 0;
    status = change_mtu(*made, link.mtu);
    if (status != 0) delete_link(machine_, network_, link.name);
    return status;
  }

  int add_tagged(const NewLink& link) {
    std::optional<std::uint64_t> id;
    for (std::size_t i = 0; i + 1 < link.of_type.size(); i += 2) {
      if (link.of_type[i] == "id") id = parse_unsigned(link.of_type[i + 1], 10);
    }
    const Interface* below = machine_.find_interface(link.below);
    if (below == nullptr) return no_device(link.below);
    if (!id || *id > 65535) return complain(2, "Error: VLAN properties not specified.");
    return answered(
        add_vlan(machine_, network_, below->index, link.name, static_cast<std::uint32_t>(*id)));
  }

  // Without a key it has its parent's.
  int add_partition(const NewLink& link) {
    std::string key = "0xffff";
    std::string mode;
    for (std::size_t i = 0; i + 1 < link.of_type.size(); i += 2) {
      if (link.of_type[i] == "pkey") key = link.of_type[i + 1];
      if (link.of_type[i] == "mode") mode = link.of_type[i + 1];
    }
    const Interface* parent = machine_.find_interface(link.below);
    if (parent == nullptr) return no_device(link.below);
    const auto parsed = parse_p_key(key);
    if (!parsed)
      return complain(255, fmt::format("Error: argument \"{}\" is wrong: pkey is invalid", key));
    const int status =
        answered(add_child(machine_, network_, parent->index, link.name, {*parsed, false}));
    if (status == 0) set_ipoib_mode(machine_, *machine_.find_interface(link.name), mode);
    return status;
  }

  int remove(Words words) {
    if (!words.empty() && words[0] == "dev") words.erase(words.begin());
    if (words.empty())
      return complain(255, "Not enough information: \"dev\" argument is required.");
    if (machine_.find_interface(words[0]) == nullptr) return no_device(words[0]);
    return answered(delete_link(machine_, network_, words[0]));
  }

  Process& process_;
  LinuxHost& machine_;
  const Network& network_;
};

// `words` begin with the verb. Returns the exit status; errors are on standard error.
int ip_link(Process& process, const std::vector<std::string>& words) {
  return IpLink{process}.run(words);
}

using Words = std::vector<std::string>;
using Rules = std::vector<RoutingRule>;

class IpCommand {
 public:
  explicit IpCommand(Process& process) : process_{process}, machine_{process.machine()} {}

  int run() {
    Words words;
    for (std::size_t i = 1; i < process_.arguments.size(); ++i) {
      const std::string& word = process_.arguments[i];
      if (word[0] != '-' || !words.empty()) {
        words.push_back(word);
      } else if (!option(word)) {
        return complain(255, fmt::format("Option \"{}\" is unknown, try \"ip -help\".", word));
      }
    }
    if (words.empty()) return complain(255, "Usage: ip [ OPTIONS ] OBJECT { COMMAND | help }");
    const std::string object = words.front();
    words.erase(words.begin());
    if (is(object, "link")) return link(words);
    if (is(object, "address")) return address(words);
    if (is(object, "route")) return route(words);
    if (is(object, "rule")) return rule(words);
    if (is(object, "neighbour") || is(object, "neighbor")) {
      if (format_.json) process_.out("[ ]\n");
      return 0;
    }
    return complain(1, fmt::format("Object \"{}\" is unknown, try \"ip help\".", object));
  }

 private:
  // ip accepts any beginning of a word.
  static bool is(const std::string& given, std::string_view word) {
    return !given.empty() && word.substr(0, given.size()) == given;
  }

  bool option(const std::string& word) {
    if (word == "-j" || word == "-json") return format_.json = true;
    if (word == "-d" || word == "-details") return format_.details = true;
    if (word == "-4") return format_.only_ipv4 = true;
    if (word == "-br" || word == "-brief") return format_.brief = true;
    if (word == "-6") return ipv6_ = true;
    if (word == "-o" || word == "-oneline") return format_.one_line = true;
    return word == "-s" || word == "-p" || word == "-c";
  }

  int complain(int status, const std::string& message) {
    process_.err(message + "\n");
    return status;
  }

  int denied() { return complain(2, "RTNETLINK answers: Operation not permitted"); }
  int no_device(const std::string& name) {
    return complain(1, fmt::format("Cannot find device \"{}\"", name));
  }

  // The selection by the words after `show`.
  struct Selection {
    std::string name;
    std::string type;
    std::optional<std::uint32_t> master;
    std::optional<IpPrefix> to;
    bool up = false;

    bool includes(const Interface& interface) const {
      if (!name.empty() && interface.name != name) return false;
      const bool has_it = !to || std::ranges::any_of(
                                     interface.addresses,
                                     [this](const IpPrefix& own) { return own.same_address(*to); });
      if (!has_it) return false;
      if (type == "bond" && !interface.bond) return false;
      if (type == "vlan" && !interface.vlan) return false;
      return (!up || interface.up) && (!master || interface.master == *master);
    }
  };

  std::optional<Selection> selection_of(const Words& words) {
    Selection selection;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const bool more = i + 1 < words.size();
      if (words[i] == "dev" && more) {
        selection.name = words[++i];
      } else if (words[i] == "type" && more) {
        selection.type = words[++i];
      } else if (words[i] == "to" && more) {
        selection.to = IpPrefix::parse(words[++i]);
        if (!selection.to) {
          no_prefix(words[i]);
          return std::nullopt;
        }
      } else if (words[i] == "master" && more) {
        const Interface* bond = machine_.find_interface(words[++i]);
        if (bond == nullptr) {
          complain(1, fmt::format("Device does not exist: {}", words[i]));
          return std::nullopt;
        }
        selection.master = bond->index;
      } else if (words[i] == "up") {
        selection.up = true;
      } else {
        selection.name = words[i];
      }
    }
    return selection;
  }

  // The interfaces that a `show` means: one of a name, or those that are up, or of a kind or bond.
  std::optional<std::vector<const Interface*>> selected(const Words& words) {
    const std::optional<Selection> selection = selection_of(words);
    if (!selection) return std::nullopt;
    std::vector<const Interface*> result;
    for (const Interface& interface : machine_.state.interfaces) {
      if (selection->includes(interface)) result.push_back(&interface);
    }
    if (result.empty() && !selection->name.empty()) {
      complain(1, fmt::format("Device \"{}\" does not exist.", selection->name));
      return std::nullopt;
    }
    return result;
  }

  int show(const Words& words, bool addresses) {
    const std::optional<std::vector<const Interface*>> interfaces = selected(words);
    if (!interfaces) return 1;
    Words items;
    for (const Interface* interface : *interfaces)
      items.push_back(show_interface(process_.session, format_, *interface, addresses));
    process_.out(show_list(format_, items));
    return 0;
  }

  int link(const Words& words) {
    if (words.empty() || is(words[0], "show") || is(words[0], "list")) return show(words, false);
    if (!process_.root()) return denied();
    return ip_link(process_, words);
  }

  struct AddressChange {
    Interface* interface = nullptr;
    std::optional<IpPrefix> prefix;
  };

  // The words after the verb. 0, or the exit status after having complained.
  int read_address_change(const Words& words, AddressChange& change) {
    constexpr std::array<std::string_view, 4> kUnheeded{"broadcast", "brd", "label", "scope"};
    for (std::size_t i = 1; i < words.size(); ++i) {
      const bool more = i + 1 < words.size();
      const bool unheeded = std::ranges::find(kUnheeded, words[i]) != kUnheeded.end();
      if (words[i] == "dev" && more) {
        change.interface = machine_.find_interface(words[++i]);
        if (change.interface == nullptr) return no_device(words[i]);
      } else if (unheeded && more) {
        ++i;
      } else if (!change.prefix) {
        change.prefix = IpPrefix::parse(words[i]);
        if (change.prefix) continue;
        if (!is(words[0], "flush")) return no_prefix(words[i]);
        change.interface = machine_.find_interface(words[i]);
      }
    }
    return 0;
  }

  int no_prefix(const std::string& text) {
    return complain(
        1, fmt::format("Error: any valid prefix is expected rather than \"{}\".", text));
  }

  int address(const Words& words) {
    if (words.empty() || is(words[0], "show") || is(words[0], "list")) return show(words, true);
    if (!process_.root()) return denied();
    AddressChange change;
    if (const int status = read_address_change(words, change); status != 0) return status;
    if (change.interface == nullptr)
      return complain(255, "Not enough information: \"dev\" argument is required.");
    if (words[0] == "flush") {
      flush_addresses(machine_, *change.interface);
      return 0;
    }
    if (!change.prefix) return no_prefix("");
    if (words[0] == "add" || words[0] == "a" || words[0] == "replace") {
      const bool added = add_address(machine_, *change.interface, *change.prefix);
      return added || words[0] == "replace" ? 0 : complain(2, "RTNETLINK answers: File exists");
    }
    if (remove_address(machine_, *change.interface, *change.prefix)) return 0;
    return complain(2, "RTNETLINK answers: Cannot assign requested address");
  }

  int route(const Words& words) {
    if (words.empty() || is(words[0], "show") || is(words[0], "list")) {
      const auto dev = std::ranges::find(words, "dev");
      const bool of_one = dev != words.end() && dev + 1 != words.end();
      if (of_one && machine_.find_interface(*(dev + 1)) == nullptr) return no_device(*(dev + 1));
      const std::uint32_t table = table_of(after(words, "table"));
      Words items;
      for (const Route& route : machine_.state.routes) {
        if (route.destination.ipv6() == ipv6_ && route.table == table &&
            (!of_one || route.device == *(dev + 1)))
          items.push_back(show_route(format_, route));
      }
      process_.out(show_list(format_, items));
      return 0;
    }
    if (is(words[0], "get") && words.size() > 1) return route_get(words[1]);
    if (!process_.root()) return denied();
    return change_route(words);
  }

  static std::string after(const Words& words, const char* key) {
    const auto found = std::ranges::find(words, key);
    return found == words.end() || found + 1 == words.end() ? std::string{} : *(found + 1);
  }

  static std::uint32_t number_after(const Words& words, const char* key) {
    return static_cast<std::uint32_t>(parse_unsigned(after(words, key), 10).value_or(0));
  }

  // "nexthop via 10.40.0.1 nexthop via 10.40.0.7"
  static Words hops_of(const Words& words) {
    Words hops;
    for (std::size_t at = 0; at + 2 < words.size(); ++at) {
      if (words[at] == "nexthop" && words[at + 1] == "via") hops.push_back(words[at + 2]);
    }
    return hops;
  }

  // The table's number; 0 for the main table.
  static std::uint32_t table_of(const std::string& text) {
    return static_cast<std::uint32_t>(parse_unsigned(text, 10).value_or(0));
  }

  // "add iif fab1 lookup 4001 priority 4001", "add from 10.30.0.1 lookup 4501 priority 4501",
  // "del priority 4001"; no other form is played.
  int rule(const Words& words) {
    if (words.empty() || is(words[0], "show") || is(words[0], "list")) {
      process_.out(show_rules(format_, ipv6_ ? Rules{} : machine_.state.rules));
      return 0;
    }
    if (!process_.root()) return denied();
    const std::uint32_t priority = number_after(words, "priority");
    if (words[0] == "del" || words[0] == "delete") {
      if (remove_rule(machine_, priority)) return 0;
      return complain(2, "RTNETLINK answers: No such file or directory");
    }
    const RoutingRule rule{
        priority, after(words, "iif"), table_of(after(words, "lookup")), after(words, "from")};
    const bool is_played = rule.incoming.empty() != rule.from.empty() &&
                           (rule.from.empty() || IpPrefix::parse(rule.from));
    if (words[0] != "add" || !is_played || rule.table == 0 || priority == 0)
      return complain(2, "RTNETLINK answers: Operation not supported");
    return add_rule(machine_, rule) ? 0 : complain(2, "RTNETLINK answers: File exists");
  }

  // "add 10.50.0.0/16 via 10.30.0.253 dev fab1 [metric 20] [table 4001] [src 10.41.0.1]", and in a
  // table without `via` for a connected subnet; no other form is simulated.
  int change_route(const Words& words) {
    const std::string via = after(words, "via");
    const std::string device = after(words, "dev");
    const RouteOptions options{
        number_after(words, "metric"), table_of(after(words, "table")), after(words, "src")};
    if (words.size() < 2) return complain(2, "RTNETLINK answers: Invalid argument");
    if (words[1] != "default" && !IpPrefix::parse(words[1])) return no_prefix(words[1]);
    if (!device.empty() && machine_.find_interface(device) == nullptr) return no_device(device);
    if (words[0] == "del" || words[0] == "delete") {
      if (remove_route(machine_, words[1], device, options.table)) return 0;
      return complain(2, "RTNETLINK answers: No such process");
    }
    if (const Words hops = hops_of(words); !hops.empty() && words[0] == "replace") {
      if (replace_shared_route(machine_, words[1], hops, options)) return 0;
      return complain(2, "Error: Nexthop has invalid gateway.");
    }
    const bool replaces = words[0] == "replace";
    const bool on_link = via.empty() && options.table != 0 && words[1] != "default";
    if ((!replaces && words[0] != "add") || (via.empty() && !on_link) || device.empty())
      return complain(2, "RTNETLINK answers: Operation not supported");
    if (const Interface* link = machine_.find_interface(device); on_link && !link->up)
      return complain(2, "RTNETLINK answers: Network is down");
    if (!on_link && !is_reachable(via, device))
      return complain(2, "Error: Nexthop has invalid gateway.");
    const std::optional<IpPrefix> source = IpPrefix::parse(options.source);
    if (!options.source.empty() && (!source || owner_of(machine_, *source) == nullptr))
      return complain(2, "RTNETLINK answers: Invalid argument");
    const bool made = replaces ? replace_route(machine_, words[1], via, device, options)
                               : add_route(machine_, words[1], via, device, options);
    return made ? 0 : complain(2, "RTNETLINK answers: File exists");
  }

  // True if `via` is on a route of that interface without a gateway.
  bool is_reachable(const std::string& via, const std::string& device) const {
    const std::optional<IpPrefix> gateway = IpPrefix::parse(via);
    const std::vector<Route>& routes = machine_.state.routes;
    return gateway && std::ranges::any_of(routes, [&](const Route& route) {
             return route.device == device && route.via.empty() &&
                    route.destination.contains(*gateway);
           });
  }

  int route_get(const std::string& text) {
    const std::optional<IpPrefix> target = IpPrefix::parse(text);
    if (!target) return no_prefix(text);
    const Route* best = nullptr;
    for (const Route& route : machine_.state.routes) {
      if (route.table != 0 || !route.destination.contains(*target)) continue;
      const Interface* by = machine_.find_interface(route.device);
      if (by != nullptr && ignores_routes(process_.session.network, machine_, *by)) continue;
      const bool better =
          best == nullptr || route.destination.length() > best->destination.length() ||
          (route.destination.length() == best->destination.length() && route.metric < best->metric);
      if (better) best = &route;
    }
    if (best == nullptr) return complain(2, "RTNETLINK answers: Network is unreachable");
    const std::string via = best->via.empty() ? "" : "via " + best->via + " ";
    process_.out(
        format_.json
            ? fmt::format(
                  "[{{\"dst\":\"{}\",\"dev\":\"{}\",\"prefsrc\":\"{}\",\"flags\":[],\"uid\":0,"
                  "\"cache\":[]}}]\n",
                  text,
                  best->device,
                  best->source)
            : fmt::format(
                  "{} {}dev {} src {} uid 0 \n    cache \n",
                  text,
                  via,
                  best->device,
                  best->source));
    return 0;
  }

  Process& process_;
  LinuxHost& machine_;
  IpFormat format_;
  bool ipv6_ = false;  // -6; of routes only
};

}  // namespace

int ip(Process& process) {
  return IpCommand{process}.run();
}

}  // namespace fabric::lab::commands
