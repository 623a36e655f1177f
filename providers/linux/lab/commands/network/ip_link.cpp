// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/commands/network/ip_link.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"
#include "providers/linux/lab/kernel/links.hpp"

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
      if (std::find(known.begin(), known.end(), name) == known.end())
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

}  // namespace

int ip_link(Process& process, const std::vector<std::string>& words) {
  return IpLink{process}.run(words);
}

}  // namespace fabric::lab::commands
