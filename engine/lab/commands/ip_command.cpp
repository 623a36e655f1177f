// ip(8): link, addr and route.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/lab/commands/ip_show.hpp"
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
    for (const Interface* interface : *interfaces)
      items.push_back(show_interface(process_.session, format_, *interface, addresses));
    process_.out(show_list(format_, items));
    return 0;
  }

  int link(const Words& words) {
    if (words.empty() || is(words[0], "show") || is(words[0], "list")) return show(words, false);
    if (!is(words[0], "set")) return complain(2, "RTNETLINK answers: Operation not supported");
    if (!process_.root()) return denied();
    Words left{words.begin() + 1, words.end()};
    // ip link set up dev X: what is asked for may come before the name.
    std::string first;
    if (left.size() > 1 && (left[0] == "up" || left[0] == "down")) {
      first = left[0];
      left = {left.back()};
    }
    if (!left.empty() && left[0] == "dev") left.erase(left.begin());
    if (left.empty()) return complain(255, "Not enough information: \"dev\" argument is required.");
    Interface* interface = machine_.find_interface(left[0]);
    if (interface == nullptr) return no_device(left[0]);
    if (!first.empty()) left.push_back(first);
    return change_link(*interface, left);
  }

  // `words`: the name, then up, down, or a setting and its value, as often as one likes.
  int change_link(Interface& interface, const Words& words) {
    for (std::size_t at = 1; at < words.size(); ++at) {
      if (words[at] == "up" || words[at] == "down") {
        set_up(machine_, interface, words[at] == "up");
        continue;
      }
      const int status =
          change_setting(interface, words[at], at + 1 < words.size() ? words[at + 1] : "");
      if (status != 0) return status;
      ++at;
    }
    return 0;
  }

  int change_setting(Interface& interface, const std::string& setting, const std::string& value) {
    if (setting == "mtu") return set_link_mtu(interface, value);
    if (setting == "name") return rename(interface, value);
    if (setting != "address") {
      return complain(
          255, fmt::format("Error: either \"dev\" is duplicate, or \"{}\" is a garbage.", setting));
    }
    interface.mac = to_lower(value);
    machine_.note_change();
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
      Words items;
      for (const Route& route : machine_.state.routes)
        items.push_back(show_route(format_, route));
      process_.out(show_list(format_, items));
      return 0;
    }
    if (is(words[0], "get") && words.size() > 1) return route_get(words[1]);
    if (!process_.root()) return denied();
    return complain(2, "RTNETLINK answers: Operation not supported");
  }

  int route_get(const std::string& text) {
    const std::optional<IpPrefix> target = IpPrefix::parse(text);
    if (!target) return no_prefix(text);
    const Route* best = nullptr;
    for (const Route& route : machine_.state.routes) {
      if (!route.destination.contains(*target)) continue;
      if (best == nullptr || route.destination.length() > best->destination.length()) best = &route;
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
  Machine& machine_;
  IpFormat format_;
};

}  // namespace

int ip(Process& process) {
  return IpCommand{process}.run();
}

}  // namespace fabric::lab::commands
