// SPDX-License-Identifier: Apache-2.0
// NetworkManager: one keyfile an interface in system-connections.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/digest.hpp"
#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/backends/ifcfg_claim.hpp"
#include "providers/linux/kinds/interface/backends/keyfile_profile.hpp"
#include "providers/linux/kinds/interface/backends/manager_restore.hpp"
#include "providers/linux/parsers/ifcfg_file.hpp"
#include "providers/linux/parsers/ini_file.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kKeyfileFolder = "/etc/NetworkManager/system-connections/";
// The profile is `$1` of `sh -c`.
constexpr const char* kUpIfThere =
    "nmcli connection show id \"$1\" >/dev/null 2>&1 || exit 0; exec nmcli connection up id \"$1\"";

std::string id_of(const LinkTarget& target) {
  return fmt::format("{}{}", kProfileStart, file_stem(target.address.kind, target.address.name));
}

// Stable, so that writing it again changes nothing; of the resource, so that no two are equal.
std::string uuid_of(const LinkTarget& target) {
  std::string hex = sha256(std::string_view{"fabric " + target.address.str()});
  hex = hex.substr(hex.find(':') + 1, 32);
  hex[12] = '8';  // RFC 9562: of its own making
  hex[16] = 'a';  // the variant
  return fmt::format(
      "{}-{}-{}-{}-{}",
      hex.substr(0, 8),
      hex.substr(8, 4),
      hex.substr(12, 4),
      hex.substr(16, 4),
      hex.substr(20, 12));
}

std::string type_of(const LinkTarget& target) {
  if (target.kind == LinkKind::bond) return "bond";
  if (target.kind == LinkKind::vlan) return "vlan";
  return target.infiniband ? "infiniband" : "ethernet";
}

std::string connection_section(const LinkTarget& target, const LinkConfig& config) {
  std::string text = "[connection]\n";
  put(text, "id", id_of(target));
  put(text, "uuid", uuid_of(target));
  put(text, "type", type_of(target));
  put(text, "interface-name", target.name);
  put(text, "master", config.master.empty() ? target.bridge : config.master);
  if (!config.master.empty()) {
    put(text, "slave-type", std::string{"bond"});
  } else if (!target.bridge.empty()) {
    put(text, "slave-type", std::string{"bridge"});
  }
  // Makes the slaves come up with the bond at boot, in whatever order the kernel shows them.
  if (config.bond) put(text, "autoconnect-slaves", std::string{"1"});
  return text;
}

// NetworkManager writes P_Keys as decimal numbers and reads nothing else.
std::string infiniband_section(const LinkTarget& target, const LinkConfig& config) {
  std::string text = "\n[infiniband]\n";
  put(text, "mtu", config.mtu);
  if (config.pkey) put(text, "p-key", std::optional{*config.pkey | kFullMember});
  put(text, "parent", target.parent);
  // The key has no default: a profile without it is refused.
  put(text, "transport-mode", config.ipoib_mode.empty() ? "datagram" : config.ipoib_mode);
  return text;
}

std::string bond_section(const BondConfig& bond) {
  std::string text = "\n[bond]\n";
  put(text, "mode", bond.mode);
  put(text, "miimon", bond.miimon);
  put(text, "updelay", bond.updelay);
  put(text, "downdelay", bond.downdelay);
  put(text, "min_links", bond.min_links);
  put(text, "lacp_rate", bond.lacp_rate);
  put(text, "xmit_hash_policy", bond.hash_policy);
  put(text, "ad_select", bond.ad_select);
  put(text, "fail_over_mac", bond.fail_over_mac);
  put(text, "primary", bond.primary);
  return text;
}

std::string ip_section(const LinkConfig& config, bool ipv6) {
  std::string text = ipv6 ? "\n[ipv6]\n" : "\n[ipv4]\n";
  std::size_t count = 0;
  for (const std::string& address : config.addresses) {
    if (is_ipv6(address) == ipv6) text += fmt::format("address{}={}\n", ++count, address);
  }
  text += count == 0 ? "method=disabled\n" : "method=manual\n";
  if (count == 0) return text;
  put(text, "gateway", ipv6 ? config.gateway6 : config.gateway);
  std::size_t routes = 0;
  for (const Route& route : config.routes) {
    if (is_ipv6(route.to) == ipv6)
      text += fmt::format("route{}={},{}\n", ++routes, route.to, route.via);
  }
  const std::optional<SourceWay> way = ipv6 ? std::nullopt : source_way(config);
  if (!way) return text;
  ++routes;
  text += fmt::format(
      "route{0}={1}\nroute{0}_options=src={2},table={3}\n",
      routes,
      way->subnet,
      way->from,
      way->table);
  text += fmt::format("routing-rule1=priority {1} from {0} table {1}\n", way->from, way->table);
  return text;
}

bool is_numbered(std::string_view key, std::string_view stem) {
  return key.starts_with(stem) && parse_integer(key.substr(stem.size())).has_value();
}

// "src=10.30.0.1,table=4501", of the route before.
void read_route_options(Route& route, std::string_view options) {
  for (const std::string_view option : split(options, ',')) {
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view value = option.substr(equals + 1);
    if (option.substr(0, equals) == "src") route.source = value;
    if (option.substr(0, equals) == "table") route.table = parse_integer(value).value_or(0);
  }
}

// "priority 4501 from 10.30.0.1 table 4501"
void read_rule(LinkConfig& config, std::string_view rule) {
  const std::vector<std::string_view> words = split_words(rule);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "from") config.source_from = words[i + 1];
    if (words[i] == "table") config.source_table = parse_integer(words[i + 1]);
  }
}

void read_ip(LinkConfig& config, const IniEntry& entry, bool ipv6) {
  const std::vector<std::string_view> parts = split(entry.value, ',');
  if (is_numbered(entry.key, "address")) {
    config.addresses.emplace_back(parts[0]);
    // The older form has the gateway behind the address.
    if (parts.size() > 1) (ipv6 ? config.gateway6 : config.gateway) = parts[1];
  }
  if (entry.key == "gateway") (ipv6 ? config.gateway6 : config.gateway) = entry.value;
  if (is_numbered(entry.key, "route"))
    config.routes.push_back(
        {std::string{parts[0]}, parts.size() > 1 ? std::string{parts[1]} : std::string{}});
  if (entry.key.starts_with("route") && entry.key.ends_with("_options") && !config.routes.empty())
    read_route_options(config.routes.back(), entry.value);
  if (is_numbered(entry.key, "routing-rule") && !ipv6) read_rule(config, entry.value);
}

void read_bond(BondConfig& bond, const IniEntry& entry) {
  const std::string value{entry.value};
  if (entry.key == "mode") bond.mode = value;
  if (entry.key == "miimon") bond.miimon = parse_integer(value);
  if (entry.key == "updelay") bond.updelay = parse_integer(value);
  if (entry.key == "downdelay") bond.downdelay = parse_integer(value);
  if (entry.key == "min_links") bond.min_links = parse_integer(value);
  if (entry.key == "lacp_rate") bond.lacp_rate = value;
  if (entry.key == "xmit_hash_policy") bond.hash_policy = value;
  if (entry.key == "ad_select") bond.ad_select = value;
  if (entry.key == "fail_over_mac") bond.fail_over_mac = value;
  if (entry.key == "primary") bond.primary = value;
}

void read_entry(LinkConfig& config, const IniEntry& entry) {
  if (entry.key == "mtu") config.mtu = parse_integer(entry.value);
  if (entry.section == "ipv4") read_ip(config, entry, false);
  if (entry.section == "ipv6") read_ip(config, entry, true);
  if (entry.section == "connection" && (entry.key == "master" || entry.key == "controller"))
    config.master = entry.value;
  // For a bridge that no resource of the document makes.
  if (entry.section == "connection" && (entry.key == "slave-type" || entry.key == "port-type") &&
      entry.value == "bridge")
    config.master.clear();
  if (entry.section == "bond" && config.bond) read_bond(*config.bond, entry);
  if (entry.section == "vlan" && entry.key == "id") config.vlan_id = parse_integer(entry.value);
  if (entry.section != "infiniband") return;
  if (entry.key == "transport-mode") config.ipoib_mode = entry.value;
  const auto pkey = entry.key == "p-key" ? parse_integer(entry.value) : std::nullopt;
  if (pkey) config.pkey = *pkey & kPkeyIdentity;
}

// NetworkManager of RHEL reads the older ifcfg files beside its own, as profiles like any other.
// Files of routes configure nothing alone, and a profile that only a person activates does not come
// up by itself.
std::vector<ForeignEntry> ifcfg_profiles(const LinkTarget& target, const FileTexts& files) {
  std::vector<ForeignEntry> entries = ifcfg_foreign(target, files);
  const bool comes_up = std::ranges::any_of(entries, [&files](const ForeignEntry& entry) {
    return entry.path.find("/ifcfg-") != std::string::npos &&
           to_lower(read_ifcfg(files.at(entry.path)).value("ONBOOT")) != "no";
  });
  return comes_up ? entries : std::vector<ForeignEntry>{};
}

class Keyfile final : public NetworkBackend {
 public:
  std::string_view name() const override { return "networkmanager"; }

  std::string obstacle(const LinkTarget& target, const LinkConfig& config) const override {
    if (target.name.empty()) {
      return fmt::format(
          "NetworkManager needs the name of the interface {}, which is not known yet",
          target.address.name);
    }
    if (config.bond && config.bond->mode.empty()) return "NetworkManager needs the mode of a bond";
    return {};
  }

  std::vector<std::string> paths(const LinkTarget& target) const override {
    return {fmt::format("{}{}.nmconnection", kKeyfileFolder, id_of(target))};
  }

  std::vector<ConfigFile> render(
      const LinkTarget& target, const LinkConfig& config) const override {
    std::string text = target.marker + connection_section(target, config);
    const bool infiniband = target.infiniband && target.kind != LinkKind::bond;
    if (infiniband) {
      text += infiniband_section(target, config);
    } else if (config.mtu) {
      text += fmt::format("\n[ethernet]\nmtu={}\n", *config.mtu);
    }
    if (config.bond) text += bond_section(*config.bond);
    // 1: what NetworkManager writes itself, reordered headers.
    if (config.vlan_id)
      text += fmt::format("\n[vlan]\nflags=1\nid={}\nparent={}\n", *config.vlan_id, target.parent);
    // A slave has no IP at all.
    if (config.master.empty() && target.bridge.empty())
      text += ip_section(config, false) + ip_section(config, true);
    return {{paths(target).front(), std::move(text)}};
  }

  std::optional<LinkConfig> read(const LinkTarget& target, const FileTexts& files) const override {
    const auto file = files.find(paths(target).front());
    if (file == files.end()) return std::nullopt;
    const KeyfileProfile profile = keyfile_profile(file->second);
    if (profile.interface != target.name || profile.parent != target.parent || !profile.automatic)
      return std::nullopt;
    LinkConfig config;
    if (target.kind == LinkKind::bond) config.bond.emplace();
    for (const IniEntry& entry : ini_entries(file->second, IniDialect::keyfile))
      read_entry(config, entry);
    settle_source(config);
    return config;
  }

  // NetworkManager drops the marker when it rewrites a file, and keeps the id.
  bool owns(std::string_view content) const override {
    return is_owned(content) || keyfile_profile(content).id.starts_with(kProfileStart);
  }

  std::vector<ForeignEntry> foreign(
      const LinkTarget& target, const FileTexts& files) const override {
    std::vector<ForeignEntry> entries = ifcfg_profiles(target, files);
    for (const auto& [path, content] : files) {
      if (!is_profile_of_manager(path, files) || owns(content)) continue;
      const KeyfileProfile profile = keyfile_profile(content);
      const Spelling meant = means_port(profile, target);
      // NetworkManager names a VLAN without a name by its parent and its number.
      const bool same_vlan = target.kind == LinkKind::vlan && profile.interface.empty() &&
                             fmt::format("{}.{}", profile.parent, profile.vlan) == target.name;
      // What only a person activates does not come up by itself, and "Wired connection 1" comes no
      // more where there is a profile.
      if (!profile.automatic || (profile.generated && path.starts_with("/run/"))) continue;
      if ((!target.name.empty() && profile.interface == target.name) || same_vlan) {
        entries.push_back({path, profile.line});
      } else if (meant.fits) {
        const char* why = meant.alone ? "" : "the profile is for other interfaces too";
        const std::size_t line =
            profile.matches.empty() ? profile.line : profile.matches.front().line;
        entries.push_back({path, line, 0, why});
      }
    }
    return entries;
  }

  Membership membership() const override { return {true, false}; }
  // NetworkManager ignores a keyfile that others can read.
  std::uint32_t file_mode() const override { return 0600; }

  std::vector<remote::Argv> activate(const Activation& activation) const override {
    std::vector<remote::Argv> commands;
    if (activation.recreate) commands.push_back({"nmcli", "device", "delete", activation.device});
    commands.push_back({"nmcli", "connection", "reload"});
    commands.push_back({"nmcli", "connection", "up", "id", id_of(activation.target)});
    for (const Slave& slave : activation.target.slaves) {
      commands.push_back(
          {"nmcli", "connection", "up", "id", fmt::format("{}{}", kProfileStart, slave.label)});
    }
    return commands;
  }

  // Reloading deactivates profiles without a file; a former profile then comes back.
  std::vector<remote::Argv> restore(const Activation& activation) const override {
    std::vector<remote::Argv> commands{{"nmcli", "connection", "reload"}};
    std::vector<std::string> ids{id_of(activation.target)};
    for (const Slave& slave : activation.target.slaves)
      ids.push_back(fmt::format("{}{}", kProfileStart, slave.label));
    for (const std::string& id : ids)
      commands.push_back({"sh", "-c", kUpIfThere, "fabric", id});
    return commands;
  }

  std::vector<remote::Argv> restore_all() const override { return restore_by_manager(); }

  bool empties_ports(const LinkTarget& /*target*/, const FileTexts& /*files*/) const override {
    return false;
  }

  std::vector<remote::Argv> release(
      const LinkTarget& /*target*/, const std::string& /*device*/) const override {
    return {{"nmcli", "connection", "reload"}};
  }
};

}  // namespace

const NetworkBackend& keyfile_backend() {
  static const Keyfile backend;
  return backend;
}

}  // namespace fabric::providers
