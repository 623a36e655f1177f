// netplan: one YAML file an interface. What is below comes first in order of name, for netplan
// wants an interface defined before another one builds on it.
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fnmatch.h>

#include "engine/base/text.hpp"
#include "engine/yaml/parse.hpp"
#include "providers/linux/interface/backends/backend_table.hpp"
#include "providers/linux/interface/backends/ipoib_mode.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kFolder = "/etc/netplan/";

const char* section_of(const LinkTarget& target) {
  if (target.kind == LinkKind::bond) return "bonds";
  return target.kind == LinkKind::vlan ? "vlans" : "ethernets";
}

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
  return text.empty() ? text : "      routes:\n" + text;
}

std::string text_of(const yaml::Node& mapping, std::string_view key) {
  const yaml::Node* node = mapping.find(key);
  return node == nullptr || !node->is_scalar() ? std::string{} : node->text;
}

std::optional<std::int64_t> number_of(const yaml::Node& mapping, std::string_view key) {
  return parse_integer(text_of(mapping, key));
}

std::vector<std::string> list_of(const yaml::Node& mapping, std::string_view key) {
  const yaml::Node* node = mapping.find(key);
  std::vector<std::string> list;
  if (node == nullptr) return list;
  for (const yaml::Node& item : node->items)
    list.push_back(item.text);
  return list;
}

BondConfig read_bond(const yaml::Node& node) {
  BondConfig bond;
  bond.slaves = list_of(node, "interfaces");
  const yaml::Node* parameters = node.find("parameters");
  if (parameters == nullptr) return bond;
  bond.mode = text_of(*parameters, "mode");
  bond.miimon = number_of(*parameters, "mii-monitor-interval");
  bond.updelay = number_of(*parameters, "up-delay");
  bond.downdelay = number_of(*parameters, "down-delay");
  bond.min_links = number_of(*parameters, "min-links");
  bond.lacp_rate = text_of(*parameters, "lacp-rate");
  bond.hash_policy = text_of(*parameters, "transmit-hash-policy");
  bond.ad_select = text_of(*parameters, "ad-select");
  bond.primary = text_of(*parameters, "primary");
  return bond;
}

void read_routes(LinkConfig& config, const yaml::Node& node) {
  const yaml::Node* list = node.find("routes");
  if (list == nullptr) return;
  for (const yaml::Node& route : list->items) {
    const std::string to = text_of(route, "to");
    const std::string via = text_of(route, "via");
    if (to == "0.0.0.0/0" || to == "::/0" || to == "default") {
      (is_ipv6(via) ? config.gateway6 : config.gateway) = via;
    } else {
      config.routes.push_back({to, via});
    }
  }
}

// A file as netplan reads it; empty if it is not YAML.
class Document {
 public:
  Document(const std::string& path, std::string_view text) {
    file_ = sources_.add(path, std::string{text});
    Diagnostics diagnostics;
    root_ = yaml::parse(sources_, file_, diagnostics);
    broken_ = diagnostics.has_errors();
  }

  bool broken() const { return broken_; }
  // Of a section; none if the file has none.
  const std::vector<yaml::Entry>& entries(std::string_view name) const {
    static const std::vector<yaml::Entry> none;
    const yaml::Node* found = section(name);
    return found == nullptr ? none : found->entries;
  }

  const yaml::Node* section(std::string_view name) const {
    const yaml::Node* network = root_.find("network");
    return network == nullptr ? nullptr : network->find(name);
  }
  // The file has one interface, in `section`, and nothing else.
  bool is_only(std::string_view section) const {
    const yaml::Node* network = root_.find("network");
    if (network == nullptr || root_.entries.size() != 1) return false;
    return std::all_of(
        network->entries.begin(), network->entries.end(), [&](const yaml::Entry& each) {
          return each.key == "version" || (each.key == section && each.value.entries.size() == 1);
        });
  }
  std::size_t line(const SourceRange& range) const {
    return sources_.position(file_, range.begin).line;
  }

 private:
  SourceMap sources_;
  FileId file_;
  yaml::Node root_;
  bool broken_ = false;
};

// Does this entry of `ethernets` mean our interface?
bool means(const LinkTarget& target, const yaml::Entry& entry) {
  const yaml::Node* match = entry.value.find("match");
  if (text_of(entry.value, "set-name") == target.name) return true;
  if (match == nullptr) return entry.key == target.name;
  const std::string name = text_of(*match, "name");
  const std::string mac = to_lower(text_of(*match, "macaddress"));
  const bool name_fits = name.empty() || fnmatch(name.c_str(), target.name.c_str(), 0) == 0;
  const bool mac_fits = mac.empty() || (target.port != nullptr && target.port->permanent_mac &&
                                        target.port->permanent_mac->str() == mac);
  return name_fits && mac_fits && !(name.empty() && mac.empty());
}

class Netplan final : public NetworkBackend {
 public:
  std::string_view name() const override { return "netplan"; }

  std::string obstacle(const LinkTarget& target, const LinkConfig& /*config*/) const override {
    if (target.kind == LinkKind::ipoib_child) return "netplan has no key for the P_Key of a child";
    if (target.name.empty()) {
      return fmt::format(
          "netplan needs the name of the interface {}, and nothing tells it yet",
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

  // The renderer is the node's own choice and stands in a file of its own.
  std::vector<ConfigFile> render(
      const LinkTarget& target, const LinkConfig& config) const override {
    std::string text = target.marker + "network:\n  version: 2\n";
    text += fmt::format("  {}:\n    {}:\n", section_of(target), quoted(target.name));
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

  // Of the file of netplan alone.
  static std::optional<LinkConfig> read_file(const LinkTarget& target, const FileTexts& files) {
    const auto file = files.find(own_path(target));
    if (file == files.end()) return std::nullopt;
    const Document document{file->first, file->second};
    const yaml::Node* section = document.section(section_of(target));
    const yaml::Node* node = section == nullptr ? nullptr : section->find(target.name);
    if (document.broken() || node == nullptr || text_of(*node, "link") != target.parent)
      return std::nullopt;
    LinkConfig config;
    config.mtu = number_of(*node, "mtu");
    config.addresses = list_of(*node, "addresses");
    config.ipoib_mode = text_of(*node, "infiniband-mode");
    config.vlan_id = number_of(*node, "id");
    if (target.kind == LinkKind::bond) config.bond = read_bond(*node);
    read_routes(config, *node);
    return config;
  }

  // netplan merges files: an entry of the same interface in another one would add to ours.
  std::vector<ForeignEntry> foreign(
      const LinkTarget& target, const FileTexts& files) const override {
    std::vector<ForeignEntry> entries;
    for (const auto& [path, content] : files) {
      if (path.find("/netplan/") == std::string::npos || is_owned(content)) continue;
      const Document document{path, content};
      for (const yaml::Entry& entry : document.entries(section_of(target))) {
        if (!means(target, entry)) continue;
        const char* why =
            document.is_only(section_of(target)) ? "" : "the file says more than this";
        entries.push_back({path, document.line(entry.key_range), 0, why});
      }
      if (target.kind == LinkKind::port) add_takers(target, path, document, entries);
    }
    return entries;
  }

  Membership membership() const override { return {false, true}; }
  // Newer releases complain about files that others can read.
  std::uint32_t file_mode() const override { return 0600; }

  // It applies all files at once; a bond is made anew only if it is not there.
  std::vector<remote::Argv> activate(const Activation& activation) const override {
    std::vector<remote::Argv> commands = set_ipoib_mode(activation);
    commands.push_back({"netplan", "generate"});
    if (activation.recreate) commands.push_back({"ip", "link", "delete", activation.device});
    commands.push_back({"netplan", "apply"});
    return commands;
  }

  std::vector<remote::Argv> restore(const Activation& activation) const override {
    return release(activation.target, activation.device);
  }

  std::vector<remote::Argv> restore_all() const override {
    return {{"netplan", "generate"}, {"netplan", "apply"}};
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
  static std::string own_path(const LinkTarget& target) {
    return fmt::format(
        "{}{}-fabric-{}.yaml",
        kFolder,
        rank_of(target),
        file_stem(target.address.kind, target.address.name));
  }

  // Somebody's bond or bridge that has our port.
  static void add_takers(
      const LinkTarget& target,
      const std::string& path,
      const Document& document,
      std::vector<ForeignEntry>& entries) {
    for (const char* name : {"bonds", "bridges"}) {
      for (const yaml::Entry& entry : document.entries(name)) {
        const yaml::Node* ports = entry.value.find("interfaces");
        if (ports == nullptr) continue;
        for (const yaml::Node& port : ports->items) {
          if (port.text != target.name) continue;
          entries.push_back(
              {path,
               document.line(port.range),
               0,
               fmt::format("{} of somebody else has it", entry.key)});
        }
      }
    }
  }
};

}  // namespace

const NetworkBackend& netplan_backend() {
  static const Netplan backend;
  return backend;
}

}  // namespace fabric::providers
