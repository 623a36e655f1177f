// ip(8): link, addr and route, as text and JSON.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/lab/commands/net_families.hpp"
#include "engine/lab/host/boot.hpp"
#include "engine/lab/host/links.hpp"
#include "engine/lab/host/ports.hpp"

namespace fabric::lab::commands {
namespace {

using Words = std::vector<std::string>;

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
    if (is(object, "neighbour") || is(object, "neighbor")) {
      if (json_) process_.out("[ ]\n");
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
    if (word == "-j" || word == "-json") return json_ = true;
    if (word == "-d" || word == "-details") return details_ = true;
    if (word == "-4") return only_ipv4_ = true;
    if (word == "-br" || word == "-brief") return brief_ = true;
    return word == "-s" || word == "-p" || word == "-6" || word == "-o" || word == "-c";
  }

  int complain(int status, const std::string& message) {
    process_.err(message + "\n");
    return status;
  }

  int denied() { return complain(2, "RTNETLINK answers: Operation not permitted"); }
  int no_device(const std::string& name) {
    return complain(1, fmt::format("Cannot find device \"{}\"", name));
  }

  // The interfaces that a `show` means: one of a name, or those that are up.
  std::optional<std::vector<const Interface*>> selected(const Words& words) {
    std::string name;
    bool up = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "dev" && i + 1 < words.size()) {
        name = words[++i];
      } else if (words[i] == "up") {
        up = true;
      } else {
        name = words[i];
      }
    }
    std::vector<const Interface*> result;
    for (const Interface& interface : machine_.state.interfaces) {
      if ((name.empty() || interface.name == name) && (!up || interface.up))
        result.push_back(&interface);
    }
    if (result.empty() && !name.empty()) {
      complain(1, fmt::format("Device \"{}\" does not exist.", name));
      return std::nullopt;
    }
    return result;
  }

  int show(const Words& words, bool addresses) {
    const std::optional<std::vector<const Interface*>> interfaces = selected(words);
    if (!interfaces) return 1;
    Words items;
    for (const Interface* interface : *interfaces) {
      items.push_back(json_ ? json_item(*interface, addresses) : text_item(*interface, addresses));
    }
    process_.out(json_ ? "[" + join(items, ",") + "]\n" : join(items, ""));
    return 0;
  }

  Words flags_of(const Interface& interface) const {
    const bool carrier = has_carrier(process_.session.network, machine_, interface);
    Words flags = interface.loopback ? Words{"LOOPBACK"} : Words{"BROADCAST", "MULTICAST"};
    if (interface.up && !carrier) flags.insert(flags.begin(), "NO-CARRIER");
    if (interface.up) flags.emplace_back("UP");
    if (interface.up && carrier) flags.emplace_back("LOWER_UP");
    return flags;
  }

  std::string state_of(const Interface& interface) const {
    if (interface.loopback) return "UNKNOWN";
    return interface.up && has_carrier(process_.session.network, machine_, interface) ? "UP"
                                                                                      : "DOWN";
  }

  static std::string type_of(const Interface& interface) {
    return interface.loopback ? "loopback" : interface.infiniband ? "infiniband" : "ether";
  }

  static std::string broadcast_of(const Interface& interface) {
    if (interface.loopback) return "00:00:00:00:00:00";
    if (!interface.infiniband) return "ff:ff:ff:ff:ff:ff";
    return "00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff";
  }

  std::string json_item(const Interface& interface, bool addresses) const {
    Words flags = flags_of(interface);
    for (std::string& flag : flags)
      flag = "\"" + flag + "\"";
    std::string item = fmt::format(
        R"({{"ifindex":{},"ifname":"{}","flags":[{}],"mtu":{},"qdisc":"{}","operstate":"{}","linkmode":"DEFAULT","group":"default","txqlen":1000,"link_type":"{}","address":"{}","broadcast":"{}")",
        interface.index,
        interface.name,
        join(flags, ","),
        interface.mtu,
        interface.loopback ? "noqueue" : "mq",
        state_of(interface),
        type_of(interface),
        interface.mac,
        broadcast_of(interface));
    if (interface.mac != interface.permanent_mac)
      item += fmt::format(R"(,"permaddr":"{}")", interface.permanent_mac);
    if (details_) item += details(interface);
    if (addresses) {
      Words entries;
      for (const IpPrefix& address : interface.addresses) {
        if (!only_ipv4_ || !address.ipv6()) entries.push_back(json_address(interface, address));
      }
      item += fmt::format(R"(,"addr_info":[{}])", join(entries, ","));
    }
    return item + "}";
  }

  std::string details(const Interface& interface) const {
    std::string text = fmt::format(
        R"(,"promiscuity":0,"min_mtu":{},"max_mtu":{},"num_tx_queues":16,"num_rx_queues":16,"gso_max_size":65536)",
        interface.loopback ? 0 : 68,
        interface.mtu_most);
    if (!interface.card) return text;
    const Card& card = machine_.state.cards[*interface.card];
    if (!card.mlx4() && !interface.infiniband)
      text += fmt::format(R"(,"phys_port_name":"p{}")", interface.port - 1);
    return text +
           fmt::format(R"(,"parentbus":"pci","parentdev":"{}")", card.function_of(interface.port));
  }

  static std::string json_address(const Interface& interface, const IpPrefix& address) {
    const std::string broadcast = address.broadcast().empty() || interface.loopback
                                      ? ""
                                      : fmt::format(R"("broadcast":"{}",)", address.broadcast());
    return fmt::format(
        R"({{"family":"{}","local":"{}","prefixlen":{},{}"scope":"{}","label":"{}","valid_life_time":4294967295,"preferred_life_time":4294967295}})",
        address.ipv6() ? "inet6" : "inet",
        address.address(),
        address.length(),
        broadcast,
        interface.loopback ? "host" : "global",
        interface.name);
  }

  std::string text_item(const Interface& interface, bool addresses) const {
    if (brief_) {
      std::string line = fmt::format("{:<16} {:<14} ", interface.name, state_of(interface));
      if (!addresses)
        return line + fmt::format("{} <{}> \n", interface.mac, join(flags_of(interface), ","));
      for (const IpPrefix& address : interface.addresses)
        line += address.str() + " ";
      return line + "\n";
    }
    std::string text = fmt::format(
        "{}: {}: <{}> mtu {} qdisc {} state {} {}group default qlen 1000\n    link/{} {} brd {}\n",
        interface.index,
        interface.name,
        join(flags_of(interface), ","),
        interface.mtu,
        interface.loopback ? "noqueue" : "mq",
        state_of(interface),
        addresses ? "" : "mode DEFAULT ",
        type_of(interface),
        interface.mac,
        broadcast_of(interface));
    for (const IpPrefix& address : interface.addresses) {
      if (!addresses) break;
      const std::string broadcast =
          address.broadcast().empty() ? "" : " brd " + address.broadcast();
      text += fmt::format(
          "    {} {}{} scope {} {}\n       valid_lft forever preferred_lft forever\n",
          address.ipv6() ? "inet6" : "inet",
          address.str(),
          interface.loopback ? "" : broadcast,
          interface.loopback ? "host" : "global",
          interface.name);
    }
    return text;
  }

  int link(const Words& words) {
    if (words.empty() || is(words[0], "show") || is(words[0], "list")) return show(words, false);
    if (!is(words[0], "set")) return complain(2, "RTNETLINK answers: Operation not supported");
    if (!process_.root()) return denied();
    std::size_t at = 1;
    if (at < words.size() && words[at] == "dev") ++at;
    if (at >= words.size())
      return complain(255, "Not enough information: \"dev\" argument is required.");
    const std::string name = words[at++];
    if ((name == "up" || name == "down") && at < words.size()) {  // ip link set up dev X
      Words turned{"set", words.back(), name};
      return link(turned);
    }
    Interface* interface = machine_.find_interface(name);
    if (interface == nullptr) return no_device(name);
    for (; at < words.size(); ++at) {
      const std::string value = at + 1 < words.size() ? words[at + 1] : "";
      int status = 0;
      if (words[at] == "up" || words[at] == "down") {
        set_up(machine_, *interface, words[at] == "up");
        continue;
      }
      if (words[at] == "mtu") {
        status = set_link_mtu(*interface, value);
      } else if (words[at] == "name") {
        status = rename(*interface, value);
      } else if (words[at] == "address") {
        interface->mac = to_lower(value);
        machine_.note_change();
      } else {
        return complain(
            255,
            fmt::format("Error: either \"dev\" is duplicate, or \"{}\" is a garbage.", words[at]));
      }
      if (status != 0) return status;
      ++at;
    }
    return 0;
  }

  int set_link_mtu(Interface& interface, const std::string& value) {
    const std::optional<std::uint64_t> mtu = parse_unsigned(value, 10);
    if (!mtu || *mtu > 1'000'000)
      return complain(
          255, fmt::format("Error: argument \"{}\" is wrong: Invalid \"mtu\" value", value));
    const std::string problem = set_mtu(machine_, interface, static_cast<std::uint32_t>(*mtu));
    if (problem.empty()) return 0;
    return complain(
        2, interface.infiniband ? "RTNETLINK answers: Invalid argument" : "Error: " + problem);
  }

  int rename(Interface& interface, const std::string& name) {
    if (machine_.find_interface(name) != nullptr)
      return complain(2, "RTNETLINK answers: File exists");
    if (interface.up) return complain(2, "RTNETLINK answers: Device or resource busy");
    remove_interface_sysctls(machine_, interface.name);
    interface.name = name;
    make_interface_sysctls(machine_, name);
    machine_.note_change();
    install_proc(machine_, process_.session.network);
    install_sysfs(machine_, process_.session.network);
    return 0;
  }

  int address(const Words& words) {
    if (words.empty() || is(words[0], "show") || is(words[0], "list")) return show(words, true);
    if (!process_.root()) return denied();
    std::optional<IpPrefix> prefix;
    Interface* interface = nullptr;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "dev" && i + 1 < words.size()) {
        interface = machine_.find_interface(words[++i]);
        if (interface == nullptr) return no_device(words[i]);
      } else if (
          (words[i] == "broadcast" || words[i] == "brd" || words[i] == "label" ||
           words[i] == "scope") &&
          i + 1 < words.size()) {
        ++i;
      } else if (!prefix) {
        prefix = IpPrefix::parse(words[i]);
        const bool flushes = is(words[0], "flush");
        if (!prefix && flushes) interface = machine_.find_interface(words[i]);
        if (!prefix && !flushes)
          return complain(
              1, fmt::format("Error: any valid prefix is expected rather than \"{}\".", words[i]));
      }
    }
    if (interface == nullptr)
      return complain(255, "Not enough information: \"dev\" argument is required.");
    if (words[0] == "flush") {
      flush_addresses(machine_, *interface);
      return 0;
    }
    if (!prefix) return complain(1, "Error: any valid prefix is expected rather than \"\".");
    if (words[0] == "add" || words[0] == "a" || words[0] == "replace") {
      const bool added = add_address(machine_, *interface, *prefix);
      return added || words[0] == "replace" ? 0 : complain(2, "RTNETLINK answers: File exists");
    }
    if (remove_address(machine_, *interface, *prefix)) return 0;
    return complain(2, "RTNETLINK answers: Cannot assign requested address");
  }

  int route(const Words& words) {
    if (words.empty() || is(words[0], "show") || is(words[0], "list")) {
      Words items;
      for (const Route& route : machine_.state.routes)
        items.push_back(json_ ? json_route(route) : text_route(route));
      process_.out(json_ ? "[" + join(items, ",") + "]\n" : join(items, ""));
      return 0;
    }
    if (is(words[0], "get") && words.size() > 1) return route_get(words[1]);
    if (!process_.root()) return denied();
    return complain(2, "RTNETLINK answers: Operation not supported");
  }

  int route_get(const std::string& text) {
    const std::optional<IpPrefix> target = IpPrefix::parse(text);
    if (!target)
      return complain(
          1, fmt::format("Error: any valid prefix is expected rather than \"{}\".", text));
    const Route* best = nullptr;
    for (const Route& route : machine_.state.routes) {
      if (!route.destination.contains(*target)) continue;
      if (best == nullptr || route.destination.length() > best->destination.length()) best = &route;
    }
    if (best == nullptr) return complain(2, "RTNETLINK answers: Network is unreachable");
    const std::string via = best->via.empty() ? "" : "via " + best->via + " ";
    process_.out(
        json_ ? fmt::format(
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

  static std::string text_route(const Route& route) {
    if (route.destination.length() == 0)
      return fmt::format("default via {} dev {} \n", route.via, route.device);
    return fmt::format(
        "{} dev {} proto kernel scope link src {} \n",
        route.destination.str(),
        route.device,
        route.source);
  }

  static std::string json_route(const Route& route) {
    if (route.destination.length() == 0) {
      return fmt::format(
          R"({{"dst":"default","gateway":"{}","dev":"{}","flags":[]}})", route.via, route.device);
    }
    return fmt::format(
        R"({{"dst":"{}","dev":"{}","protocol":"kernel","scope":"link","prefsrc":"{}","flags":[]}})",
        route.destination.str(),
        route.device,
        route.source);
  }

  Process& process_;
  Machine& machine_;
  bool json_ = false;
  bool details_ = false;
  bool only_ipv4_ = false;
  bool brief_ = false;
};

}  // namespace

int ip(Process& process) {
  return IpCommand{process}.run();
}

}  // namespace fabric::lab::commands
