// SPDX-License-Identifier: Apache-2.0
// RHEL's ifcfg files, by initscripts (`network.service`) or by NetworkManager's ifcfg-rh plugin.
#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/backends/ifcfg_claim.hpp"
#include "providers/linux/kinds/interface/backends/manager_restore.hpp"
#include "providers/linux/parsers/ifcfg_file.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kIfcfgFolder = "/etc/sysconfig/network-scripts/";
constexpr std::string_view kOptions = "BONDING_OPTS";
// The file is `$1` of `sh -c`.
constexpr const char* kUpByScripts = "! [ -e \"$1\" ] || ifup \"${1##*/ifcfg-}\"";
constexpr const char* kUpByManager =
    "[ -e \"$1\" ] || exit 0; nmcli connection load \"$1\" && "
    "nmcli connection up ifname \"${1##*/ifcfg-}\"";

std::string type_of(const LinkTarget& target) {
  if (target.kind == LinkKind::bond) return "Bond";
  if (target.kind == LinkKind::vlan) return "Vlan";
  return target.infiniband ? "InfiniBand" : "Ethernet";
}

std::string bonding_options(const BondConfig& bond) {
  std::string text;
  const auto text_option = [&text](std::string_view key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  };
  const auto option = [&](std::string_view key, const std::optional<std::int64_t>& value) {
    if (value) text_option(key, fmt::format("{}", *value));
  };
  text_option("mode", bond.mode);
  option("miimon", bond.miimon);
  option("updelay", bond.updelay);
  option("downdelay", bond.downdelay);
  option("min_links", bond.min_links);
  text_option("lacp_rate", bond.lacp_rate);
  text_option("xmit_hash_policy", bond.hash_policy);
  text_option("ad_select", bond.ad_select);
  text_option("fail_over_mac", bond.fail_over_mac);
  text_option("primary", bond.primary);
  return text;
}

void read_bonding_option(BondConfig& bond, std::string_view key, const std::string& value) {
  if (key == "mode") bond.mode = value;
  if (key == "miimon") bond.miimon = parse_integer(value);
  if (key == "updelay") bond.updelay = parse_integer(value);
  if (key == "downdelay") bond.downdelay = parse_integer(value);
  if (key == "min_links") bond.min_links = parse_integer(value);
  if (key == "lacp_rate") bond.lacp_rate = value;
  if (key == "xmit_hash_policy") bond.hash_policy = value;
  if (key == "ad_select") bond.ad_select = value;
  if (key == "fail_over_mac") bond.fail_over_mac = value;
  if (key == "primary") bond.primary = value;
}

std::string addresses(const LinkConfig& config) {
  std::string text;
  std::vector<std::string> ipv6;
  std::size_t count = 0;
  for (const std::string& address : config.addresses) {
    if (is_ipv6(address)) ipv6.push_back(address);
    if (is_ipv6(address)) continue;
    const std::size_t slash = address.find('/');
    const std::string number = count == 0 ? "" : fmt::format("{}", count);
    ++count;
    put(text, "IPADDR" + number, address.substr(0, slash));
    if (slash != std::string::npos) put(text, "PREFIX" + number, address.substr(slash + 1));
  }
  put(text, "GATEWAY", config.gateway);
  text += ipv6.empty() ? "IPV6INIT=no\n" : "IPV6INIT=yes\nIPV6_AUTOCONF=no\n";
  if (ipv6.empty()) return text;
  put(text, "IPV6ADDR", ipv6.front());
  ipv6.erase(ipv6.begin());
  if (!ipv6.empty()) put(text, "IPV6ADDR_SECONDARIES", "\"" + join(ipv6, " ") + "\"");
  put(text, "IPV6_DEFAULTGW", config.gateway6);
  return text;
}

void read_addresses(LinkConfig& config, const IfcfgFile& file) {
  for (std::size_t count = 0;; ++count) {
    const std::string number = count == 0 ? "" : fmt::format("{}", count);
    const std::string address = file.value("IPADDR" + number);
    if (address.empty()) break;
    config.addresses.push_back(fmt::format("{}/{}", address, file.value("PREFIX" + number)));
  }
  config.gateway = file.value("GATEWAY");
  config.gateway6 = file.value("IPV6_DEFAULTGW");
  const std::string first = file.value("IPV6ADDR");
  if (!first.empty()) config.addresses.push_back(first);
  const std::string more = file.value("IPV6ADDR_SECONDARIES");
  for (const std::string_view address : split_words(more))
    config.addresses.emplace_back(address);
}

// "10.9.0.0/16 via 10.30.0.253 dev ens1", "10.30.0.0/24 dev ens1 table 4501 src 10.30.0.1"
void read_routes(LinkConfig& config, const FileTexts& files, const std::string& path) {
  const auto file = files.find(path);
  if (file == files.end()) return;
  for (const std::string_view text : split_lines(file->second)) {
    const std::vector<std::string_view> words = split_words(text);
    if (words.size() >= 3 && words[1] == "via")
      config.routes.push_back({std::string{words[0]}, std::string{words[2]}});
    if (words.size() == 7 && words[1] == "dev" && words[3] == "table")
      config.routes.push_back(
          {std::string{words[0]},
           "",
           0,
           parse_integer(words[4]).value_or(0),
           std::string{words[6]}});
  }
}

// "from 10.30.0.1 table 4501 priority 4501"
void read_rule(LinkConfig& config, const FileTexts& files, const std::string& path) {
  const auto file = files.find(path);
  if (file == files.end()) return;
  for (const std::string_view text : split_lines(file->second)) {
    const std::vector<std::string_view> words = split_words(text);
    if (words.size() != 6 || words[0] != "from") continue;
    config.source_from = words[1];
    config.source_table = parse_integer(words[3]);
  }
}

class Ifcfg final : public NetworkBackend {
 public:
  explicit Ifcfg(bool manager) : manager_{manager} {}
  std::string_view name() const override { return "ifcfg"; }

  std::string obstacle(const LinkTarget& target, const LinkConfig& /*config*/) const override {
    if (!target.name.empty()) return {};
    return fmt::format(
        "ifcfg files go by the name of the interface, and {} has none yet", target.address.name);
  }

  std::vector<std::string> paths(const LinkTarget& target) const override {
    return own_paths(target);
  }

  static std::vector<std::string> own_paths(const LinkTarget& target) {
    return {
        path("ifcfg", target), path("route", target), path("route6", target), path("rule", target)};
  }

  std::vector<ConfigFile> render(
      const LinkTarget& target, const LinkConfig& config) const override {
    std::string text = target.marker;
    put(text, "NAME", id_of(target));
    put(text, "DEVICE", target.name);
    put(text, "TYPE", type_of(target));
    text += "ONBOOT=yes\nBOOTPROTO=none\n";
    put(text, "MTU", config.mtu);
    if (config.bond)
      text +=
          fmt::format("BONDING_MASTER=yes\n{}=\"{}\"\n", kOptions, bonding_options(*config.bond));
    if (config.vlan_id)
      text += fmt::format("VLAN=yes\nPHYSDEV={}\nVLAN_ID={}\n", target.parent, *config.vlan_id);
    if (config.pkey)
      text += fmt::format("PKEY=yes\nPHYSDEV={}\nPKEY_ID=0x{:04x}\n", target.parent, *config.pkey);
    if (!config.ipoib_mode.empty())
      put(text, "CONNECTED_MODE", config.ipoib_mode == "connected" ? "yes" : "no");
    put(text, "BRIDGE", target.bridge);
    if (config.master.empty()) {
      text += addresses(config);
    } else {
      text += fmt::format("MASTER={}\nSLAVE=yes\n", config.master);
    }
    std::vector<ConfigFile> files{{path("ifcfg", target), std::move(text)}};
    for (const bool ipv6 : {false, true}) {
      std::string routes;
      for (const Route& route : config.routes) {
        if (is_ipv6(route.to) == ipv6)
          routes += fmt::format("{} via {} dev {}\n", route.to, route.via, target.name);
      }
      const std::optional<SourceWay> way = ipv6 ? std::nullopt : source_way(config);
      if (way)
        routes += fmt::format(
            "{} dev {} table {} src {}\n", way->subnet, target.name, way->table, way->from);
      if (!routes.empty()) {
        files.push_back({path(ipv6 ? "route6" : "route", target), target.marker + routes});
      }
    }
    if (const std::optional<SourceWay> way = source_way(config)) {
      files.push_back(
          {path("rule", target),
           fmt::format(
               "{0}from {1} table {2} priority {2}\n", target.marker, way->from, way->table)});
    }
    return files;
  }

  std::optional<LinkConfig> read(const LinkTarget& target, const FileTexts& files) const override {
    const auto content = files.find(path("ifcfg", target));
    if (content == files.end()) return std::nullopt;
    const IfcfgFile file = read_ifcfg(content->second);
    if (file.value("DEVICE") != target.name || file.value("ONBOOT") != "yes" ||
        file.value("PHYSDEV") != target.parent)
      return std::nullopt;
    LinkConfig config;
    config.mtu = parse_integer(file.value("MTU"));
    config.master = file.value("MASTER");
    const std::string connected = file.value("CONNECTED_MODE");
    if (!connected.empty()) config.ipoib_mode = connected == "yes" ? "connected" : "datagram";
    config.vlan_id = parse_integer(file.value("VLAN_ID"));
    const std::string pkey = file.value("PKEY_ID");
    const auto key = pkey.starts_with("0x") ? parse_unsigned(pkey.substr(2), 16) : std::nullopt;
    if (key && *key <= 0xffff) config.pkey = static_cast<std::int64_t>(*key) & kPkeyIdentity;
    if (target.kind == LinkKind::bond) {
      config.bond.emplace();
      const std::string options = file.value(kOptions);
      for (const std::string_view option : split_words(options)) {
        const std::size_t equals = option.find('=');
        if (equals == std::string_view::npos) continue;
        read_bonding_option(
            *config.bond, option.substr(0, equals), std::string{option.substr(equals + 1)});
      }
    }
    read_addresses(config, file);
    read_routes(config, files, path("route", target));
    read_routes(config, files, path("route6", target));
    read_rule(config, files, path("rule", target));
    settle_source(config);
    return config;
  }

  std::vector<ForeignEntry> foreign(
      const LinkTarget& target, const FileTexts& files) const override {
    std::vector<ForeignEntry> entries = foreign_files(target, files, manager_);
    if (manager_) add_keyfiles(target, files, entries);
    return entries;
  }

  static std::vector<ForeignEntry> foreign_files(
      const LinkTarget& target, const FileTexts& files, bool manager) {
    std::vector<ForeignEntry> entries;
    const std::vector<std::string> own = own_paths(target);
    for (const auto& [file, content] : files) {
      if (!file.starts_with(kIfcfgFolder) || is_owned(content)) continue;
      if (std::find(own.begin(), own.end(), file) != own.end()) {
        entries.push_back({file, read_ifcfg(content).line("DEVICE")});
        continue;
      }
      const std::string suffix = suffix_of(file);
      if (suffix.empty()) continue;
      if (auto entry = ifcfg_claim(target, file, suffix, read_ifcfg(content), manager))
        entries.push_back(*std::move(entry));
    }
    return entries;
  }

  Membership membership() const override { return {true, false}; }

  std::vector<remote::Argv> activate(const Activation& activation) const override {
    const LinkTarget& target = activation.target;
    std::vector<remote::Argv> commands;
    if (!manager_) {
      // The ifup of a bond takes the slaves whose files name it.
      commands.push_back({"ifdown", target.name});
      // ifdown leaves the device, and ifup sets the options alone that its file names.
      if (activation.recreate && target.kind == LinkKind::bond)
        commands.push_back({"sh", "-c", kDeleteIfThere, "fabric", target.name});
      commands.push_back({"ifup", target.name});
      // The file may be gone: removed by an earlier action.
      for (const std::string& above : activation.above) {
        commands.push_back(
            {"sh", "-c", kUpByScripts, "fabric", fmt::format("{}ifcfg-{}", kIfcfgFolder, above)});
      }
      return commands;
    }
    if (activation.recreate) commands.push_back({"nmcli", "device", "delete", activation.device});
    commands.push_back({"nmcli", "connection", "load", path("ifcfg", target)});
    for (const Slave& slave : target.slaves) {
      commands.push_back(
          {"nmcli", "connection", "load", fmt::format("{}ifcfg-{}", kIfcfgFolder, slave.name)});
    }
    commands.push_back({"nmcli", "connection", "up", "id", id_of(target)});
    for (const Slave& slave : target.slaves)
      commands.push_back({"nmcli", "connection", "up", "id", "fabric-" + slave.label});
    return commands;
  }

  std::vector<remote::Argv> restore(const Activation& activation) const override {
    std::vector<remote::Argv> commands = release(activation.target, activation.device);
    const char* script = manager_ ? kUpByManager : kUpByScripts;
    std::vector<std::string> all{activation.target.name};
    for (const Slave& slave : activation.target.slaves)
      all.push_back(slave.name);
    // Interfaces on it were removed with it.
    all.insert(all.end(), activation.above.begin(), activation.above.end());
    for (const std::string& name : all)
      commands.push_back(
          {"sh", "-c", script, "fabric", fmt::format("{}ifcfg-{}", kIfcfgFolder, name)});
    return commands;
  }

  std::vector<remote::Argv> restore_all() const override {
    if (manager_) return restore_by_manager();
    return {{"systemctl", "restart", "network"}};
  }

  bool empties_ports(const LinkTarget& /*target*/, const FileTexts& /*files*/) const override {
    return !manager_;
  }

  // ifdown would want the file.
  std::vector<remote::Argv> release(
      const LinkTarget& target, const std::string& device) const override {
    std::vector<remote::Argv> commands;
    if (manager_) commands.push_back({"nmcli", "connection", "reload"});
    if (target.kind != LinkKind::port) {
      commands.push_back({"sh", "-c", kDeleteIfThere, "fabric", target.name});
    } else if (!device.empty()) {
      commands.push_back({"ip", "address", "flush", "dev", device, "scope", "global"});
    }
    return commands;
  }

 private:
  // NetworkManager has these as profiles beside the ifcfg files, and keeps a removed one until it
  // reads all files again.
  static void add_keyfiles(
      const LinkTarget& target, const FileTexts& files, std::vector<ForeignEntry>& entries) {
    for (ForeignEntry& entry : keyfile_backend().foreign(target, files)) {
      if (entry.path.starts_with(kIfcfgFolder)) continue;
      entry.not_adoptable = "it is a keyfile, and `network_backend: ifcfg` writes none";
      entries.push_back(std::move(entry));
    }
  }

  static std::string path(std::string_view kind, const LinkTarget& target) {
    return fmt::format("{}{}-{}", kIfcfgFolder, kind, target.name);
  }

  static std::string id_of(const LinkTarget& target) {
    return "fabric-" + file_stem(target.address.kind, target.address.name);
  }

  // "ens1" of .../ifcfg-ens1; "" for files that no program reads: copies of editors and of rpm.
  static std::string suffix_of(const std::string& file) {
    constexpr std::string_view kStart = "ifcfg-";
    constexpr std::string_view kCopies[] = {
        "~", ".bak", ".orig", ".rpmnew", ".rpmorig", ".rpmsave", ".augnew", ".augtmp"};
    const std::string_view name = std::string_view{file}.substr(kIfcfgFolder.size());
    const bool copy = std::any_of(std::begin(kCopies), std::end(kCopies), [name](auto ending) {
      return name.ends_with(ending);
    });
    return name.starts_with(kStart) && !copy ? std::string{name.substr(kStart.size())} : "";
  }

  bool manager_;
};

}  // namespace

const NetworkBackend& ifcfg_backend() {
  static const Ifcfg backend{false};
  return backend;
}

const NetworkBackend& ifcfg_manager_backend() {
  static const Ifcfg backend{true};
  return backend;
}

std::vector<ForeignEntry> ifcfg_foreign(const LinkTarget& target, const FileTexts& files) {
  return Ifcfg::foreign_files(target, files, true);
}

}  // namespace fabric::providers
