// SPDX-License-Identifier: Apache-2.0
// systemd-networkd: one .network file an interface, a .netdev for virtual ones, and a drop-in
// beside the .network of the interface below, so that every resource has files of its own.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/backends/ipoib_mode.hpp"
#include "providers/linux/kinds/interface/backends/networkd_match.hpp"
#include "providers/linux/parsers/ini_file.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kNetworkdFolder = "/etc/systemd/network/10-fabric-";

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string own_path(const LinkTarget& target, std::string_view suffix) {
  return fmt::format(
      "{}{}{}", kNetworkdFolder, file_stem(target.address.kind, target.address.name), suffix);
}

// "10-fabric-cx5.1.network.d/storage.backup.conf"
std::string drop_in(std::string_view below_kind, std::string_view below, const std::string& stem) {
  return fmt::format("{}{}.network.d/{}.conf", kNetworkdFolder, file_stem(below_kind, below), stem);
}

std::string parent_drop_in(const LinkTarget& target) {
  return drop_in(
      target.parent_kind,
      target.parent_resource,
      file_stem(target.address.kind, target.address.name));
}

std::string primary_drop_in(const LinkTarget& target, const Slave& slave) {
  return drop_in("interface", slave.label, "primary-of-" + target.address.name);
}

// Parses "100ms", the form that fabric writes.
std::optional<std::int64_t> milliseconds(std::string_view text) {
  if (!text.ends_with("ms")) return std::nullopt;
  return parse_integer(text.substr(0, text.size() - 2));
}

void milliseconds_line(
    std::string& text, std::string_view key, const std::optional<std::int64_t>& value) {
  if (value) text += fmt::format("{}={}ms\n", key, *value);
}

std::string bond_section(const BondConfig& bond) {
  std::string text = "\n[Bond]\n";
  put(text, "Mode", bond.mode);
  milliseconds_line(text, "MIIMonitorSec", bond.miimon);
  milliseconds_line(text, "UpDelaySec", bond.updelay);
  milliseconds_line(text, "DownDelaySec", bond.downdelay);
  put(text, "LACPTransmitRate", bond.lacp_rate);
  put(text, "TransmitHashPolicy", bond.hash_policy);
  put(text, "MinLinks", bond.min_links);
  put(text, "AdSelect", bond.ad_select);
  put(text, "FailOverMACPolicy", bond.fail_over_mac);
  return text;
}

std::string netdev_kind(LinkKind kind) {
  return kind == LinkKind::bond ? "bond" : kind == LinkKind::vlan ? "vlan" : "ipoib";
}

// The MTU is only in the .network: an existing netdev is never updated from its .netdev.
std::string netdev_file(const LinkTarget& target, const LinkConfig& config) {
  std::string text = target.marker;
  text += fmt::format("[NetDev]\nName={}\nKind={}\n", target.name, netdev_kind(target.kind));
  // networkd makes an address up by the name; half of that of a child is its port's GUID, and with
  // another one it never joins a group (seen on Debian 12).
  if (target.infiniband) text += "MACAddress=none\n";
  if (config.bond) text += bond_section(*config.bond);
  if (config.vlan_id) text += fmt::format("\n[VLAN]\nId={}\n", *config.vlan_id);
  if (config.pkey) {
    text += fmt::format("\n[IPoIB]\nPartitionKey=0x{:04x}\n", *config.pkey | kFullMember);
    put(text, "Mode", config.ipoib_mode);
  }
  return text;
}

// Addresses stay while the cable is out or the neighbour reboots, and boot does not wait for it.
std::string network_file(const LinkTarget& target, const LinkConfig& config) {
  std::string text = target.marker;
  text += "[Match]\n" + networkd_match(target) + "\n[Link]\n";
  put(text, "MTUBytes", config.mtu);
  text += "RequiredForOnline=no\n\n[Network]\n";
  put(text, "Bond", config.master);
  put(text, "Bridge", target.bridge);
  for (const std::string& address : config.addresses)
    put(text, "Address", address);
  put(text, "Gateway", config.gateway);
  put(text, "Gateway", config.gateway6);
  const bool ipv6 = std::ranges::any_of(config.addresses, [](const auto& a) { return is_ipv6(a); });
  text += fmt::format("LinkLocalAddressing={}\n", ipv6 ? "ipv6" : "no");
  text += "IPv6AcceptRA=no\nConfigureWithoutCarrier=yes\n";
  for (const Route& route : config.routes) {
    text += fmt::format("\n[Route]\nDestination={}\n", route.to);
    put(text, "Gateway", route.via);
    for (const std::string& hop : route.hops)
      put(text, "MultiPathRoute", hop);
    if (route.metric != 0) text += fmt::format("Metric={}\n", route.metric);
    if (route.table != 0) text += fmt::format("Table={}\n", route.table);
    put(text, "PreferredSource", route.source);
  }
  if (config.incoming_table) {
    text += fmt::format(
        "\n[RoutingPolicyRule]\nFamily=ipv4\nIncomingInterface={0}\nTable={1}\nPriority={1}\n",
        target.name,
        *config.incoming_table);
  }
  if (const std::optional<SourceWay> way = source_way(config)) {
    text += fmt::format(
        "\n[Route]\nDestination={1}\nScope=link\nTable={2}\nPreferredSource={0}\n\n"
        "[RoutingPolicyRule]\nFamily=ipv4\nFrom={0}\nTable={2}\nPriority={2}\n",
        way->from,
        way->subnet,
        way->table);
  }
  if (target.kind == LinkKind::port && !config.ipoib_mode.empty())
    text += fmt::format("\n[IPoIB]\nMode={}\n", config.ipoib_mode);
  return text;
}

void read_route_entry(LinkConfig& config, std::string_view key, const std::string& value) {
  if (key == "Destination") config.routes.push_back({value, ""});
  if (config.routes.empty()) return;
  Route& route = config.routes.back();
  if (key == "Gateway") route.via = value;
  if (key == "MultiPathRoute") route.hops.push_back(value);
  if (key == "Metric") route.metric = parse_integer(value).value_or(0);
  if (key == "Table") route.table = parse_integer(value).value_or(0);
  if (key == "PreferredSource") route.source = value;
}

void read_network_entry(LinkConfig& config, const IniEntry& entry) {
  const std::string value{entry.value};
  if (entry.section == "Link" && entry.key == "MTUBytes") config.mtu = parse_integer(value);
  if (entry.section == "IPoIB" && entry.key == "Mode") config.ipoib_mode = value;
  if (entry.section == "Route") read_route_entry(config, entry.key, value);
  // The rule by source comes after the rule for incoming packets.
  if (entry.section == "RoutingPolicyRule" && entry.key == "From") config.source_from = value;
  if (entry.section == "RoutingPolicyRule" && entry.key == "Table")
    (config.source_from.empty() ? config.incoming_table : config.source_table) =
        parse_integer(value);
  if (entry.section != "Network") return;
  if (entry.key == "Address") config.addresses.push_back(value);
  if (entry.key == "Gateway") (is_ipv6(value) ? config.gateway6 : config.gateway) = value;
  if (entry.key == "Bond") config.master = value;
}

void read_bond_entry(BondConfig& bond, const IniEntry& entry) {
  const std::string value{entry.value};
  if (entry.key == "Mode") bond.mode = value;
  if (entry.key == "MIIMonitorSec") bond.miimon = milliseconds(value);
  if (entry.key == "UpDelaySec") bond.updelay = milliseconds(value);
  if (entry.key == "DownDelaySec") bond.downdelay = milliseconds(value);
  if (entry.key == "LACPTransmitRate") bond.lacp_rate = value;
  if (entry.key == "TransmitHashPolicy") bond.hash_policy = value;
  if (entry.key == "MinLinks") bond.min_links = parse_integer(value);
  if (entry.key == "AdSelect") bond.ad_select = value;
  if (entry.key == "FailOverMACPolicy") bond.fail_over_mac = value;
}

// False if it makes another device.
bool read_netdev(const LinkTarget& target, std::string_view content, LinkConfig& config) {
  std::string name;
  std::string kind;
  if (target.kind == LinkKind::bond) config.bond.emplace();
  for (const IniEntry& entry : ini_entries(content, IniDialect::systemd)) {
    if (entry.section == "NetDev" && entry.key == "Name") name = entry.value;
    if (entry.section == "NetDev" && entry.key == "Kind") kind = entry.value;
    if (entry.section == "Bond" && config.bond) read_bond_entry(*config.bond, entry);
    if (entry.section == "VLAN" && entry.key == "Id") config.vlan_id = parse_integer(entry.value);
    if (entry.section == "IPoIB" && entry.key == "Mode") config.ipoib_mode = entry.value;
    if (entry.section == "IPoIB" && entry.key == "PartitionKey" && entry.value.starts_with("0x")) {
      const auto key = parse_unsigned(entry.value.substr(2), 16);
      if (key && *key <= 0xffff) config.pkey = static_cast<std::int64_t>(*key) & kPkeyIdentity;
    }
  }
  return name == target.name && kind == netdev_kind(target.kind);
}

bool read_network(const LinkTarget& target, std::string_view content, LinkConfig& config) {
  std::string match;
  for (const IniEntry& entry : ini_entries(content, IniDialect::systemd)) {
    if (entry.section == "Match") match += fmt::format("{}={}\n", entry.key, entry.value);
    read_network_entry(config, entry);
  }
  settle_source(config);
  return match == networkd_match(target);
}

class Networkd final : public NetworkBackend {
 public:
  std::string_view name() const override { return "networkd"; }

  std::string obstacle(const LinkTarget& target, const LinkConfig& config) const override {
    if (routes_transit(config) && target.name.empty())
      return "a rule for packets that come in by an interface needs the name of the interface";
    if (!networkd_match(target).empty()) return {};
    if (target.port == nullptr || target.infiniband) {
      return fmt::format(
          "networkd needs the name of the interface {}, which is not known yet",
          target.address.name);
    }
    return fmt::format(
        "both ports of card {} sit behind one PCI function and the MAC address of port {} is not "
        "known",
        target.card->address.str(),
        target.port->number);
  }

  bool can_route_transit() const override { return true; }

  std::vector<std::string> paths(const LinkTarget& target) const override {
    std::vector<std::string> all{own_path(target, ".network")};
    if (target.kind == LinkKind::port && target.infiniband) all.push_back(ipoib_mode_path(target));
    if (target.kind == LinkKind::port) return all;
    all.push_back(own_path(target, ".netdev"));
    if (target.kind != LinkKind::bond) all.push_back(parent_drop_in(target));
    for (const Slave& slave : target.slaves)
      all.push_back(primary_drop_in(target, slave));
    return all;
  }

  std::vector<ConfigFile> render(
      const LinkTarget& target, const LinkConfig& config) const override {
    std::vector<ConfigFile> files;
    if (target.kind != LinkKind::port)
      files.push_back({own_path(target, ".netdev"), netdev_file(target, config)});
    files.push_back({own_path(target, ".network"), network_file(target, config)});
    if (auto rule = ipoib_mode_rule(target, config)) files.push_back(*std::move(rule));
    const std::string marker = target.marker;
    if (target.kind == LinkKind::vlan || target.kind == LinkKind::ipoib_child) {
      const char* key = target.kind == LinkKind::vlan ? "VLAN" : "IPoIB";
      files.push_back(
          {parent_drop_in(target), fmt::format("{}[Network]\n{}={}\n", marker, key, target.name)});
    }
    for (const Slave& slave : target.slaves) {
      if (!config.bond || config.bond->primary != called(slave)) continue;
      files.push_back({primary_drop_in(target, slave), marker + "[Network]\nPrimarySlave=yes\n"});
    }
    return files;
  }

  std::optional<LinkConfig> read(const LinkTarget& target, const FileTexts& files) const override {
    if (!files.contains(own_path(target, ".network"))) return std::nullopt;
    LinkConfig written;
    read_network(target, files.at(own_path(target, ".network")), written);
    if (lacks_ipoib_mode_rule(target, files, written.ipoib_mode)) return std::nullopt;
    const bool made = target.kind != LinkKind::port;
    if (made && !files.contains(own_path(target, ".netdev"))) return std::nullopt;
    const bool below = made && target.kind != LinkKind::bond;
    if (below && !files.contains(parent_drop_in(target))) return std::nullopt;
    return read_part(target, files);
  }

  std::optional<LinkConfig> read_part(
      const LinkTarget& target, const FileTexts& files) const override {
    LinkConfig config;
    const auto network = files.find(own_path(target, ".network"));
    const auto netdev = files.find(own_path(target, ".netdev"));
    if (network == files.end() && netdev == files.end()) return std::nullopt;
    if (network != files.end() && !read_network(target, network->second, config))
      return std::nullopt;
    config.ipoib_mode = ipoib_mode_at_boot(target, files, config.ipoib_mode);
    if (target.kind == LinkKind::port) return config;
    if (netdev != files.end() && !read_netdev(target, netdev->second, config)) return std::nullopt;
    if (target.kind == LinkKind::bond && !config.bond) config.bond.emplace();
    for (const Slave& slave : target.slaves) {
      if (files.contains(primary_drop_in(target, slave))) config.bond->primary = called(slave);
    }
    return config;
  }

  // Files are read in order of name and the first that matches wins: a file that names this very
  // interface is an intention, a file for a whole class matters only if it comes before fabric's.
  std::vector<ForeignEntry> foreign(
      const LinkTarget& target, const FileTexts& files) const override {
    const std::string own = own_path(target, ".network");
    std::vector<ForeignEntry> entries;
    for (const auto& [file, content] : files) {
      if (file.find("/systemd/network/") == std::string::npos || is_owned(content)) continue;
      if (file.starts_with(own + ".d/") || file.starts_with(own_path(target, ".netdev") + ".d/"))
        entries.push_back({file, 1, 0, "it changes the values of a file of fabric's"});
      if (file.ends_with(".netdev") && target.kind != LinkKind::port) {
        for (const IniEntry& entry : ini_entries(content, IniDialect::systemd)) {
          if (entry.section == "NetDev" && entry.key == "Name" && entry.value == target.name)
            entries.push_back({file, entry.line});
        }
      }
      if (!file.ends_with(".network")) continue;
      const MatchVerdict verdict = judge_match(target, content);
      if (!verdict.matches) continue;
      if (file == own || verdict.names_it || base_name(file) < base_name(own)) {
        const char* why = verdict.alone ? "" : "the file configures other interfaces too";
        entries.push_back({file, verdict.line, 0, why});
      }
    }
    return entries;
  }

  // Also a file that comes after fabric's, which has no effect until fabric's is gone.
  bool empties_ports(const LinkTarget& target, const FileTexts& files) const override {
    return std::ranges::none_of(files, [&target](const auto& file) {
      return file.first.find("/systemd/network/") != std::string::npos &&
             file.first.ends_with(".network") && !is_owned(file.second) &&
             judge_match(target, file.second).matches;
    });
  }

  Membership membership() const override { return {true, false}; }

  // Reloading makes devices whose .netdev is new and leaves existing ones as they are, even if
  // their .netdev differs now: devices that must change are deleted first. The slaves of a device
  // that comes again by a reload stay "configuring" for ever (seen with systemd 252); after a
  // restart, which leaves everything else as it is, they join.
  std::vector<remote::Argv> activate(const Activation& activation) const override {
    std::vector<remote::Argv> commands = set_ipoib_mode(activation);
    const bool gone = activation.device.empty();
    if (activation.recreate && !gone) {
      commands.push_back({"ip", "link", "delete", activation.device});
      commands.push_back({"systemctl", "restart", "systemd-networkd"});
      return commands;
    }
    commands.push_back({"networkctl", "reload"});
    remote::Argv again{"networkctl", "reconfigure"};
    if (!gone) again.push_back(activation.device);
    again.insert(again.end(), activation.slaves.begin(), activation.slaves.end());
    const bool below =
        activation.target.kind == LinkKind::vlan || activation.target.kind == LinkKind::ipoib_child;
    if (gone && below) again.push_back(activation.target.parent);
    if (again.size() > 2) commands.push_back(std::move(again));
    return commands;
  }

  // networkd keeps addresses where no file is left. A new device requires a restart, as in
  // activate(); interfaces on it are made with it.
  std::vector<remote::Argv> restore(const Activation& activation) const override {
    std::vector<remote::Argv> commands;
    if (activation.target.kind == LinkKind::port) {
      commands.push_back({"networkctl", "reload"});
      commands.push_back(flush(activation.device));
      commands.push_back({"networkctl", "reconfigure", activation.device});
      return commands;
    }
    commands.push_back({"sh", "-c", kDeleteIfThere, "fabric", activation.target.name});
    for (const std::string& port : activation.slaves)
      commands.push_back(flush(port));
    commands.push_back({"systemctl", "restart", "systemd-networkd"});
    return commands;
  }

  std::vector<remote::Argv> restore_all() const override {
    return {{"systemctl", "restart", "systemd-networkd"}};
  }

  std::vector<remote::Argv> release(
      const LinkTarget& target, const std::string& device) const override {
    std::vector<remote::Argv> commands;
    if (target.kind != LinkKind::port)
      commands.push_back({"sh", "-c", kDeleteIfThere, "fabric", target.name});
    commands.push_back({"networkctl", "reload"});
    if (target.kind == LinkKind::port && !device.empty()) commands.push_back(flush(device));
    return commands;
  }

 private:
  static remote::Argv flush(const std::string& device) {
    return {"ip", "address", "flush", "dev", device, "scope", "global"};
  }
};

}  // namespace

const NetworkBackend& networkd_backend() {
  static const Networkd backend;
  return backend;
}

}  // namespace fabric::providers
