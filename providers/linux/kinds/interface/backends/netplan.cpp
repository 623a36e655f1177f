// SPDX-License-Identifier: Apache-2.0
// netplan: one YAML file an interface. What is below comes first in order of name, for netplan
// wants an interface defined before another one builds on it.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/backends/ipoib_mode.hpp"
#include "providers/linux/kinds/interface/backends/netplan_document.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kNetplanFolder = "/etc/netplan/";

int rank_of(const LinkTarget& target) {
  if (target.kind == LinkKind::bond) return 91;
  return target.kind == LinkKind::vlan ? 92 : 90;
}

// Double quotes, which netplan takes for any text.
std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

void line(std::string& text, std::string_view key, const std::string& value) {
  if (!value.empty()) text += fmt::format("      {}: {}\n", key, value);
}

void line(std::string& text, std::string_view key, const std::optional<std::int64_t>& value) {
  if (value) text += fmt::format("      {}: {}\n", key, *value);
}

// Milliseconds without a unit.
std::string parameters(const BondConfig& bond) {
  std::string text = "      parameters:\n";
  const auto put = [&text](std::string_view key, const std::string& value) {
    if (!value.empty()) text += fmt::format("        {}: {}\n", key, value);
  };
  const auto number = [&](std::string_view key, const std::optional<std::int64_t>& value) {
    if (value) put(key, fmt::format("{}", *value));
  };
  put("mode", bond.mode);
  // Left out it is 0: a failed link is never noticed.
  number("mii-monitor-interval", bond.miimon ? bond.miimon : std::optional<std::int64_t>{100});
  number("up-delay", bond.updelay);
  number("down-delay", bond.downdelay);
  number("min-links", bond.min_links);
  put("lacp-rate", bond.lacp_rate);
  put("transmit-hash-policy", bond.hash_policy);
  put("ad-select", bond.ad_select);
  put("fail-over-mac-policy", bond.fail_over_mac);
  put("primary", bond.primary);
  return text;
}

std::string routes(const LinkConfig& config) {
  std::string text;
  const auto put = [&text](const std::string& to, const std::string& via) {
    if (via.empty()) return;
    text += fmt::format("        - to: {}\n          via: {}\n", quoted(to), quoted(via));
  };
  put("0.0.0.0/0", config.gateway);
  put("::/0", config.gateway6);
  for (const Route& route : config.routes)
    put(route.to, route.via);
  const std::optional<SourceWay> way = source_way(config);
  if (way)
    text += fmt::format(
        "        - to: {}\n          scope: link\n          table: {}\n          from: {}\n",
        quoted(way->subnet),
        way->table,
        quoted(way->from));
  if (!text.empty()) text = "      routes:\n" + text;
  if (way)
    text += fmt::format(
        "      routing-policy:\n        - from: {0}\n          table: {1}\n          priority: "
        "{1}\n",
        quoted(way->from),
        way->table);
  return text;
}

BondConfig read_bond(const yaml::Node& node) {
  BondConfig bond;
  bond.slaves = netplan_list(node, "interfaces");
  const yaml::Node* parameters = node.find("parameters");
  if (parameters == nullptr) return bond;
  bond.mode = netplan_text(*parameters, "mode");
  bond.miimon = netplan_number(*parameters, "mii-monitor-interval");
  bond.updelay = netplan_number(*parameters, "up-delay");
  bond.downdelay = netplan_number(*parameters, "down-delay");
  bond.min_links = netplan_number(*parameters, "min-links");
  bond.lacp_rate = netplan_text(*parameters, "lacp-rate");
  bond.hash_policy = netplan_text(*parameters, "transmit-hash-policy");
  bond.ad_select = netplan_text(*parameters, "ad-select");
  bond.fail_over_mac = netplan_text(*parameters, "fail-over-mac-policy");
  bond.primary = netplan_text(*parameters, "primary");
  return bond;
}

void read_routes(LinkConfig& config, const yaml::Node& node) {
  const yaml::Node* list = node.find("routes");
  if (list == nullptr) return;
  for (const yaml::Node& route : list->items) {
    const std::string to = netplan_text(route, "to");
    const std::string via = netplan_text(route, "via");
    if (to == "0.0.0.0/0" || to == "::/0" || to == "default") {
      (is_ipv6(via) ? config.gateway6 : config.gateway) = via;
    } else {
      config.routes.push_back(
          {to, via, 0, netplan_number(route, "table").value_or(0), netplan_text(route, "from")});
    }
  }
}

void read_rules(LinkConfig& config, const yaml::Node& node) {
  const yaml::Node* list = node.find("routing-policy");
  if (list == nullptr) return;
  for (const yaml::Node& rule : list->items) {
    config.source_from = netplan_text(rule, "from");
    config.source_table = netplan_number(rule, "table");
  }
}

class Netplan final : public NetworkBackend {
 public:
  std::string_view name() const override { return "netplan"; }

  std::string obstacle(const LinkTarget& target, const LinkConfig& /*config*/) const override {
    if (target.kind == LinkKind::ipoib_child) return "netplan has no key for the P_Key of a child";
    if (target.name.empty()) {
      return fmt::format(
          "netplan needs the name of the interface {}, which is not known yet",
          target.address.name);
    }
    for (const Slave& slave : target.slaves) {
      if (slave.name.empty())
        return fmt::format("netplan needs the name of slave {}, which has none yet", slave.label);
    }
    return {};
  }

  std::vector<std::string> paths(const LinkTarget& target) const override {
    std::vector<std::string> all{own_path(target)};
    // For networkd, if that is its renderer.
    if (target.kind == LinkKind::port && target.infiniband) all.push_back(ipoib_mode_path(target));
    return all;
  }

  // The renderer is the node's own choice, in a file of its own.
  std::vector<ConfigFile> render(
      const LinkTarget& target, const LinkConfig& config) const override {
    std::string text = target.marker + "network:\n  version: 2\n";
    text += fmt::format("  {}:\n    {}:\n", netplan_section(target), quoted(target.name));
    if (config.vlan_id) {
      line(text, "id", config.vlan_id);
      line(text, "link", quoted(target.parent));
    }
    if (config.bond) {
      text += "      interfaces:\n";
      for (const std::string& slave : config.bond->slaves)
        text += "        - " + quoted(slave) + "\n";
    }
    line(text, "infiniband-mode", config.ipoib_mode);
    line(text, "mtu", config.mtu);
    // Boot does not wait for it.
    text += "      optional: true\n      accept-ra: false\n";
    // An interface with another way round the ring keeps its address and its RoCE GIDs while the
    // cable is out. Since netplan 0.104; its renderer for NetworkManager ignores the key.
    if (source_way(config)) text += "      ignore-carrier: true\n";
    const bool ipv6 = std::any_of(
        config.addresses.begin(), config.addresses.end(), [](const auto& a) { return is_ipv6(a); });
    text += fmt::format("      link-local: [{}]\n", ipv6 ? "ipv6" : "");
    if (!config.addresses.empty()) text += "      addresses:\n";
    for (const std::string& address : config.addresses)
      text += "        - " + quoted(address) + "\n";
    text += routes(config);
    if (config.bond) text += parameters(*config.bond);
    std::vector<ConfigFile> files{{own_path(target), std::move(text)}};
    if (auto rule = ipoib_mode_rule(target, config)) files.push_back(*std::move(rule));
    return files;
  }

  std::optional<LinkConfig> read(const LinkTarget& target, const FileTexts& files) const override {
    std::optional<LinkConfig> config = read_file(target, files);
    if (config && lacks_ipoib_mode_rule(target, files, config->ipoib_mode)) return std::nullopt;
    return config;
  }

  std::optional<LinkConfig> read_part(
      const LinkTarget& target, const FileTexts& files) const override {
    std::optional<LinkConfig> config = read_file(target, files);
    if (config) config->ipoib_mode = ipoib_mode_at_boot(target, files, config->ipoib_mode);
    return config;
  }

  // Reads only netplan's file.
  static std::optional<LinkConfig> read_file(const LinkTarget& target, const FileTexts& files) {
    const auto file = files.find(own_path(target));
    if (file == files.end()) return std::nullopt;
    const NetplanDocument document{file->first, file->second};
    const yaml::Node* section = document.section(netplan_section(target));
    const yaml::Node* node = section == nullptr ? nullptr : section->find(target.name);
    if (document.broken() || node == nullptr || netplan_text(*node, "link") != target.parent)
      return std::nullopt;
    LinkConfig config;
    config.mtu = netplan_number(*node, "mtu");
    config.addresses = netplan_list(*node, "addresses");
    config.ipoib_mode = netplan_text(*node, "infiniband-mode");
    config.vlan_id = netplan_number(*node, "id");
    if (target.kind == LinkKind::bond) config.bond = read_bond(*node);
    read_routes(config, *node);
    read_rules(config, *node);
    settle_source(config);
    return config;
  }

  std::vector<ForeignEntry> foreign(
      const LinkTarget& target, const FileTexts& files) const override {
    return netplan_foreign(target, files);
  }

  Membership membership() const override { return {false, true}; }
  // Newer releases complain about files that others can read.
  std::uint32_t file_mode() const override { return 0600; }

  // Applies all files at once; a missing bond is made anew. The ports of a bond that was removed
  // and is made again by a reload, which is all that `netplan apply` does, never join it (seen with
  // systemd 252); after a restart they do.
  std::vector<remote::Argv> activate(const Activation& activation) const override {
    std::vector<remote::Argv> commands = set_ipoib_mode(activation);
    commands.push_back({"netplan", "generate"});
    if (activation.recreate && !activation.device.empty()) {
      commands.push_back({"ip", "link", "delete", activation.device});
      commands.push_back(restart_networkd());
    }
    commands.push_back({"netplan", "apply"});
    return commands;
  }

  // A bond comes again, with its ports: as in activate().
  std::vector<remote::Argv> restore(const Activation& activation) const override {
    std::vector<remote::Argv> commands = release(activation.target, activation.device);
    if (activation.target.kind != LinkKind::port)
      commands.insert(commands.end() - 1, restart_networkd());
    return commands;
  }

  std::vector<remote::Argv> restore_all() const override {
    return {{"netplan", "generate"}, restart_networkd(), {"netplan", "apply"}};
  }

  bool empties_ports(const LinkTarget& /*target*/, const FileTexts& /*files*/) const override {
    return false;
  }

  std::vector<remote::Argv> release(
      const LinkTarget& target, const std::string& device) const override {
    std::vector<remote::Argv> commands;
    if (target.kind != LinkKind::port) {
      commands.push_back({"sh", "-c", kDeleteIfThere, "fabric", target.name});
    } else if (!device.empty()) {
      commands.push_back({"ip", "address", "flush", "dev", device, "scope", "global"});
    }
    commands.push_back({"netplan", "generate"});
    commands.push_back({"netplan", "apply"});
    return commands;
  }

 private:
  // If it is the renderer.
  static remote::Argv restart_networkd() {
    return {"systemctl", "try-restart", "systemd-networkd"};
  }

  static std::string own_path(const LinkTarget& target) {
    return fmt::format(
        "{}{}-fabric-{}.yaml",
        kNetplanFolder,
        rank_of(target),
        file_stem(target.address.kind, target.address.name));
  }
};

}  // namespace

const NetworkBackend& netplan_backend() {
  static const Netplan backend;
  return backend;
}

}  // namespace fabric::providers
