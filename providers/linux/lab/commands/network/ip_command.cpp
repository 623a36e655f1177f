// SPDX-License-Identifier: Apache-2.0
// ip(8): link, addr and route.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/network/ip_link.hpp"
#include "providers/linux/lab/commands/network/ip_show.hpp"
#include "providers/linux/lab/commands/network/net_families.hpp"
#include "providers/linux/lab/kernel/addresses.hpp"
#include "providers/linux/lab/kernel/links.hpp"

namespace fabric::lab::commands {
namespace {

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
      const bool has_it = !to || std::any_of(
                                     interface.addresses.begin(),
                                     interface.addresses.end(),
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
      const bool unheeded =
          std::find(kUnheeded.begin(), kUnheeded.end(), words[i]) != kUnheeded.end();
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
      const auto dev = std::find(words.begin(), words.end(), "dev");
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
    const auto found = std::find(words.begin(), words.end(), key);
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
    return gateway && std::any_of(routes.begin(), routes.end(), [&](const Route& route) {
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
