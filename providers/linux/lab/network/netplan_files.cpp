// SPDX-License-Identifier: Apache-2.0
// The YAML files of netplan, with the errors that its parser tells.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/yaml/parse.hpp"
#include "providers/linux/lab/network/netplan.hpp"

namespace fabric::lab {

namespace {

// The keys that netplan 0.106 knows. What the lab does not play among them is taken and does
// nothing.

template <std::size_t kSize>
bool has(const std::string_view (&list)[kSize], std::string_view key) {
  return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

constexpr std::string_view kSections[] = {
    "ethernets",
    "bonds",
    "bridges",
    "vlans",
    "modems",
    "nm-devices",
    "openvswitch",
    "tunnels",
    "vrfs",
    "wifis"};
constexpr std::string_view kCommon[] = {
    "accept-ra",
    "activation-mode",
    "addresses",
    "critical",
    "dhcp-identifier",
    "dhcp4",
    "dhcp4-overrides",
    "dhcp6",
    "dhcp6-overrides",
    "gateway4",
    "gateway6",
    "ignore-carrier",
    "ipv6-address-generation",
    "ipv6-address-token",
    "ipv6-mtu",
    "ipv6-privacy",
    "link-local",
    "macaddress",
    "mtu",
    "nameservers",
    "networkmanager",
    "openvswitch",
    "optional",
    "optional-addresses",
    "renderer",
    "routes",
    "routing-policy"};
constexpr std::string_view kEthernet[] = {
    "auth",
    "delay-virtual-functions-rebind",
    "embedded-switch-mode",
    "emit-lldp",
    "generic-receive-offload",
    "generic-segmentation-offload",
    "infiniband-mode",
    "large-receive-offload",
    "link",
    "match",
    "receive-checksum-offload",
    "set-name",
    "tcp-segmentation-offload",
    "tcp6-segmentation-offload",
    "transmit-checksum-offload",
    "virtual-function-count",
    "wakeonlan"};
constexpr std::string_view kBondParameters[] = {
    "ad-select",
    "all-members-active",
    "all-slaves-active",
    "arp-all-targets",
    "arp-interval",
    "arp-ip-targets",
    "arp-validate",
    "down-delay",
    "fail-over-mac-policy",
    "gratuitious-arp",
    "gratuitous-arp",
    "lacp-rate",
    "learn-packet-interval",
    "mii-monitor-interval",
    "min-links",
    "mode",
    "packets-per-member",
    "packets-per-slave",
    "primary",
    "primary-reselect-policy",
    "resend-igmp",
    "transmit-hash-policy",
    "up-delay"};
constexpr std::string_view kBridgeParameters[] = {
    "ageing-time",
    "aging-time",
    "forward-delay",
    "hello-time",
    "max-age",
    "path-cost",
    "port-priority",
    "priority",
    "stp"};
constexpr std::string_view kRoute[] = {
    "advertised-receive-window",
    "congestion-window",
    "from",
    "metric",
    "mtu",
    "on-link",
    "scope",
    "table",
    "to",
    "type",
    "via"};
constexpr std::string_view kRule[] = {"from", "mark", "priority", "table", "to", "type-of-service"};
constexpr std::string_view kModes[] = {
    "802.3ad",
    "active-backup",
    "balance-alb",
    "balance-rr",
    "balance-slb",
    "balance-tcp",
    "balance-tlb",
    "balance-xor",
    "broadcast"};

bool is_netplan_section(std::string_view section) {
  return has(kSections, section);
}

bool is_netplan_key(std::string_view section, std::string_view key) {
  if (has(kCommon, key)) return true;
  if (section == "ethernets") return has(kEthernet, key);
  if (section == "bonds" || section == "bridges") return key == "interfaces" || key == "parameters";
  if (section == "vlans") return key == "id" || key == "link";
  return true;
}

bool is_netplan_parameter(std::string_view section, std::string_view key) {
  return section == "bonds" ? has(kBondParameters, key) : has(kBridgeParameters, key);
}

bool is_netplan_route_key(std::string_view key) {
  return has(kRoute, key);
}

bool is_netplan_rule_key(std::string_view key) {
  return has(kRule, key);
}

bool is_netplan_bond_mode(std::string_view mode) {
  return has(kModes, mode);
}

constexpr std::array<std::string_view, 3> kFolders{
    "/usr/lib/netplan", "/etc/netplan", "/run/netplan"};
constexpr std::uint32_t kOthers = 077;

bool starts_list(const yaml::Node& node) {
  return node.is_sequence() || node.kind == yaml::Kind::null;
}

// Reads one file and merges it into the definitions of the files before.
class FileReader {
 public:
  FileReader(NetplanState& state, const std::string& path, const std::string& text)
      : state_{state}, path_{path} {
    file_ = sources_.add(path, text);
  }

  void read() {
    Diagnostics diagnostics;
    const yaml::Node root = yaml::parse(sources_, file_, diagnostics);
    if (diagnostics.has_errors()) return invalid(diagnostics);
    if (root.kind == yaml::Kind::null) return;
    if (!root.is_mapping()) return fail(root.range, "expected mapping (check indentation)");
    for (const yaml::Entry& entry : root.entries) {
      if (entry.key != "network") return unknown(entry);
      read_network(entry.value);
    }
    check_references();
  }

 private:
  void invalid(const Diagnostics& diagnostics) {
    const Diagnostic* first = diagnostics.first_error();
    const Position at = sources_.position(file_, first->range.begin);
    state_.problem = fmt::format(
        "{}:{}:{}: Invalid YAML: {}:\n{}", path_, at.line, at.column, first->message, quote(at));
  }

  // The line, with a mark below the place.
  std::string quote(const Position& at) const {
    return fmt::format(
        "{}\n{:>{}}\n", sources_.line(file_, at.line), "^", std::max<std::uint32_t>(at.column, 1));
  }

  void fail(const SourceRange& range, const std::string& what) {
    if (!state_.problem.empty()) return;
    const Position at = sources_.position(file_, range.begin);
    state_.problem = fmt::format(
        "{}:{}:{}: Error in network definition: {}\n{}",
        path_,
        at.line,
        at.column,
        what,
        quote(at));
  }

  void unknown(const yaml::Entry& entry) {
    fail(entry.key_range, fmt::format("unknown key '{}'", entry.key));
  }

  void read_network(const yaml::Node& network) {
    // The key holds for the whole file, wherever it is in it.
    for (const yaml::Entry& entry : network.entries) {
      if (entry.key == "renderer") set_renderer(entry.value, state_.renderer);
    }
    for (const yaml::Entry& entry : network.entries) {
      if (!state_.problem.empty()) return;
      if (entry.key == "version" && entry.value.text != "2")
        return fail(entry.value.range, "Only version 2 is supported");
      if (entry.key == "version" || entry.key == "renderer") continue;
      if (!is_netplan_section(entry.key)) return unknown(entry);
      if (!entry.value.is_mapping())
        return fail(entry.value.range, "expected mapping (check indentation)");
      for (const yaml::Entry& each : entry.value.entries)
        read_definition(entry.key, each);
    }
  }

  void set_renderer(const yaml::Node& value, std::string& renderer) {
    if (value.text != "networkd" && value.text != "NetworkManager")
      return fail(value.range, fmt::format("unknown renderer '{}'", value.text));
    renderer = value.text;
  }

  void read_definition(const std::string& section, const yaml::Entry& entry) {
    if (!state_.problem.empty()) return;
    NetplanDefinition* found = state_.find(entry.key);
    if (found != nullptr && found->section != section)
      return fail(
          entry.key_range, fmt::format("Updated definition '{}' changes device type", entry.key));
    if (found == nullptr) {
      state_.definitions.push_back({});
      found = &state_.definitions.back();
      found->id = entry.key;
      found->section = section;
    }
    if (!entry.value.is_mapping() && entry.value.kind != yaml::Kind::null)
      return fail(entry.value.range, "expected mapping (check indentation)");
    for (const yaml::Entry& key : entry.value.entries) {
      if (!is_netplan_key(section, key.key)) return unknown(key);
      read_key(*found, key);
      if (!state_.problem.empty()) return;
    }
    if (!found->set_name.empty() && !found->has_match)
      fail(
          entry.value.range,
          fmt::format("{}: 'set-name:' requires 'match:' properties", entry.key));
    if (section == "vlans" && found->vlan_id.empty())
      fail(entry.value.range, fmt::format("{}: missing 'id' property", entry.key));
    if (section == "vlans" && found->link.empty())
      fail(entry.value.range, fmt::format("{}: missing 'link' property", entry.key));
  }

  std::string number(const yaml::Node& value) {
    if (parse_unsigned(value.text, 10)) return value.text;
    fail(value.range, fmt::format("invalid unsigned int value '{}'", value.text));
    return {};
  }

  bool boolean(const yaml::Node& value) {
    const std::string text = to_lower(value.text);
    for (const char* yes : {"true", "on", "yes", "y"})
      if (text == yes) return true;
    for (const char* no : {"false", "off", "no", "n"})
      if (text == no) return false;
    fail(value.range, fmt::format("invalid boolean value '{}'", value.text));
    return false;
  }

  // The place that it tells is that of the list.
  bool is_address(const yaml::Node& list, const yaml::Node& value) {
    if (value.text.find('/') == std::string::npos) {
      fail(list.range, fmt::format("address '{}' is missing /prefixlength", value.text));
      return false;
    }
    if (IpPrefix::parse(value.text)) return true;
    fail(
        list.range,
        fmt::format(
            "malformed address '{}', must be X.X.X.X/NN or X:X:X:X:X:X:X:X/NN", value.text));
    return false;
  }

  // Lists of several files are put together.
  void read_key(NetplanDefinition& definition, const yaml::Entry& entry) {
    const std::string& key = entry.key;
    const yaml::Node& value = entry.value;
    if (key == "renderer") set_renderer(value, definition.renderer);
    if (key == "match") read_match(definition, value);
    if (key == "set-name") definition.set_name = value.text;
    if (key == "dhcp4") definition.dhcp4 = boolean(value);
    if (key == "dhcp6") definition.dhcp6 = boolean(value);
    if (key == "optional") definition.optional = boolean(value);
    if (key == "accept-ra") definition.accept_ra = boolean(value);
    if (key == "ignore-carrier") definition.ignore_carrier = boolean(value);
    if (key == "link-local") read_link_local(definition, value);
    if (key == "mtu") definition.mtu = number(value);
    if (key == "gateway4" || key == "gateway6") read_gateway(definition, entry);
    if (key == "infiniband-mode") read_mode(definition, value);
    if (key == "activation-mode") definition.activation_mode = value.text;
    if (key == "addresses") read_addresses(definition, value);
    if (key == "routes") read_routes(definition, value);
    if (key == "routing-policy") read_rules(definition, value);
    if (key == "interfaces") read_ports(definition, value);
    if (key == "parameters") read_parameters(definition, value);
    if (key == "id") definition.vlan_id = number(value);
    if (key == "link") {
      definition.link = value.text;
      references_.push_back({definition.id, value.text, value.range, value.range});
    }
  }

  void read_match(NetplanDefinition& definition, const yaml::Node& value) {
    definition.has_match = true;
    for (const yaml::Entry& entry : value.entries) {
      if (entry.key == "name") {
        definition.match_names = {entry.value.text};
      } else if (entry.key == "macaddress") {
        definition.match_mac = entry.value.text;
      } else if (entry.key == "driver") {
        definition.match_drivers.clear();
        for (const yaml::Node& item : entry.value.items)
          definition.match_drivers.push_back(item.text);
        if (entry.value.is_scalar()) definition.match_drivers.push_back(entry.value.text);
      } else {
        return unknown(entry);
      }
    }
  }

  void read_link_local(NetplanDefinition& definition, const yaml::Node& value) {
    if (!starts_list(value)) return fail(value.range, "expected sequence");
    definition.link_local_ipv4 = definition.link_local_ipv6 = false;
    for (const yaml::Node& item : value.items) {
      if (item.text == "ipv4") {
        definition.link_local_ipv4 = true;
      } else if (item.text == "ipv6") {
        definition.link_local_ipv6 = true;
      } else {
        return fail(item.range, fmt::format("invalid value for link-local: '{}'", item.text));
      }
    }
  }

  void read_gateway(NetplanDefinition& definition, const yaml::Entry& entry) {
    (entry.key == "gateway4" ? definition.gateway4 : definition.gateway6) = entry.value.text;
    state_.warnings += fmt::format(
        "\n** (generate:4321): WARNING **: `{}` has been deprecated, use default routes "
        "instead.\nSee the 'Default routes' section of the documentation for more details.\n",
        entry.key);
  }

  void read_mode(NetplanDefinition& definition, const yaml::Node& value) {
    if (value.text != "connected" && value.text != "datagram")
      return fail(value.range, "Value of 'infiniband-mode' needs to be 'connected' or 'datagram'");
    definition.infiniband_mode = value.text;
  }

  void read_addresses(NetplanDefinition& definition, const yaml::Node& value) {
    if (!starts_list(value)) return fail(value.range, "expected sequence");
    for (const yaml::Node& item : value.items) {
      if (!is_address(value, item)) return;
      std::vector<std::string>& all = definition.addresses;
      if (std::ranges::find(all, item.text) == all.end()) all.push_back(item.text);
    }
  }

  void read_routes(NetplanDefinition& definition, const yaml::Node& value) {
    if (!starts_list(value)) return fail(value.range, "expected sequence");
    for (const yaml::Node& item : value.items) {
      NetplanRoute route;
      for (const yaml::Entry& entry : item.entries) {
        const std::string& text = entry.value.text;
        if (entry.key == "to") route.to = text;
        if (entry.key == "via") route.via = text;
        if (entry.key == "from") route.from = text;
        if (entry.key == "scope") route.scope = text;
        if (entry.key == "on-link") route.on_link = boolean(entry.value);
        if (entry.key == "metric") route.metric = number(entry.value);
        if (entry.key == "table") route.table = number(entry.value);
        if (entry.key == "mtu") route.mtu = number(entry.value);
        if (!is_netplan_route_key(entry.key)) return unknown(entry);
      }
      if (route.to == "default") {
        const bool ipv6 = route.via.find(':') != std::string::npos;
        route.to = ipv6 ? "::/0" : "0.0.0.0/0";
      }
      // A route without `via` or `scope` is silently left out.
      if (!route.via.empty() || !route.scope.empty()) definition.routes.push_back(route);
    }
  }

  void read_rules(NetplanDefinition& definition, const yaml::Node& value) {
    if (!starts_list(value)) return fail(value.range, "expected sequence");
    for (const yaml::Node& item : value.items) {
      NetplanRule rule;
      for (const yaml::Entry& entry : item.entries) {
        if (entry.key == "from") rule.from = entry.value.text;
        if (entry.key == "to") rule.to = entry.value.text;
        if (entry.key == "table") rule.table = number(entry.value);
        if (entry.key == "priority") rule.priority = number(entry.value);
        if (entry.key == "mark") rule.mark = number(entry.value);
        if (!is_netplan_rule_key(entry.key)) return unknown(entry);
      }
      definition.rules.push_back(std::move(rule));
    }
  }

  void read_ports(NetplanDefinition& definition, const yaml::Node& value) {
    if (!starts_list(value)) return fail(value.range, "expected sequence");
    for (const yaml::Node& item : value.items) {
      if (std::ranges::find(definition.ports, item.text) == definition.ports.end())
        definition.ports.push_back(item.text);
      references_.push_back({definition.id, item.text, item.range, value.range});
    }
  }

  void read_parameters(NetplanDefinition& definition, const yaml::Node& value) {
    for (const yaml::Entry& entry : value.entries) {
      if (!is_netplan_parameter(definition.section, entry.key)) return unknown(entry);
      const std::string& text = entry.value.text;
      if (definition.section == "bonds" && entry.key == "mode" && !is_netplan_bond_mode(text))
        return fail(entry.value.range, fmt::format("unknown bond mode '{}'", text));
      if (entry.key == "primary")
        references_.push_back({definition.id, text, entry.value.range, entry.value.range});
      std::erase_if(
          definition.parameters, [&entry](const auto& each) { return each.first == entry.key; });
      definition.parameters.emplace_back(entry.key, text);
    }
  }

  // Checks the references of this file after it was read as a whole.
  void check_references() {
    for (const Reference& each : references_) {
      NetplanDefinition* named = state_.find(each.to);
      NetplanDefinition* by = state_.find(each.by);
      if (named == nullptr)
        return fail(each.range, fmt::format("{}: interface '{}' is not defined", each.by, each.to));
      if (by->section == "vlans") continue;
      std::string& master = by->section == "bonds" ? named->bond : named->bridge;
      for (const auto& [kind, other] :
           {std::pair{"bond", named->bond}, std::pair{"bridge", named->bridge}}) {
        if (!other.empty() && other != each.by)
          return fail(
              each.list,
              fmt::format(
                  "{}: interface '{}' is already assigned to {} {}",
                  each.by,
                  each.to,
                  kind,
                  other));
      }
      master = each.by;
      for (const auto& [key, value] : by->parameters) {
        if (key == "primary" && value == named->id) named->is_primary = true;
      }
    }
  }

  struct Reference {
    std::string by, to;
    SourceRange range, list;
  };

  NetplanState& state_;
  std::string path_;
  SourceMap sources_;
  FileId file_;
  std::vector<Reference> references_;
};

}  // namespace

const NetplanDefinition* NetplanState::find(const std::string& id) const {
  const auto found = std::find_if(
      definitions.begin(), definitions.end(), [&id](const auto& each) { return each.id == id; });
  return found == definitions.end() ? nullptr : &*found;
}

NetplanDefinition* NetplanState::find(const std::string& id) {
  const NetplanDefinition* found = std::as_const(*this).find(id);
  return const_cast<NetplanDefinition*>(found);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

NetplanState read_netplan(const FileTree& files) {
  std::map<std::string, std::string> paths;
  for (const std::string_view folder : kFolders) {
    for (const std::string& name : files.list(folder)) {
      if (name.ends_with(".yaml") && name.front() != '.')
        paths[name] = std::string{folder} + "/" + name;
    }
  }
  NetplanState state;
  for (const auto& [name, path] : paths) {
    std::string text;
    if (files.read(path, "root", text) != FileError::none) continue;
    const Inode* inode = files.find(path);
    if (inode != nullptr && (inode->mode & kOthers) != 0)
      state.warnings += fmt::format(
          "\n** (generate:4321): WARNING **: Permissions for {} are too open. Netplan "
          "configuration "
          "should NOT be accessible by others.\n",
          path);
    FileReader{state, path, text}.read();
    if (!state.problem.empty()) break;
  }
  return state;
}

}  // namespace fabric::lab
