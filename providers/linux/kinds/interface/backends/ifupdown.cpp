// SPDX-License-Identifier: Apache-2.0
// ifupdown (Debian) and ifupdown2 (Proxmox, Cumulus): one file an interface in interfaces.d.
// /etc/network/interfaces itself is never written: Proxmox rewrites it from its own pages.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fnmatch.h>

#include "engine/base/text.hpp"
#include "engine/platform/owned_file.hpp"
#include "providers/linux/kinds/interface/backends/backend.hpp"
#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/backends/spellings.hpp"
#include "providers/linux/kinds/interface/link/link_config.hpp"
#include "providers/linux/parsers/ifupdown_file.hpp"

namespace fabric::providers {
namespace {

inline constexpr std::string_view kMinLinks = "echo ";

inline constexpr std::string_view kMinLinksTo = " > /sys/class/net/$IFACE/bonding/min_links";

inline constexpr std::string_view kModeTo = " > /sys/class/net/$IFACE/mode";

inline constexpr std::string_view kRoute = "ip route replace ";

inline constexpr std::string_view kRule = "ip rule add ";

inline constexpr std::string_view kSetMtu = "ip link set dev $IFACE mtu ";

// "echo 1 > /sys/..." to "1"
std::string_view echoed(std::string_view command, std::string_view to) {
  if (!command.starts_with(kMinLinks) || !command.ends_with(to)) return {};
  return command.substr(kMinLinks.size(), command.size() - kMinLinks.size() - to.size());
}

// ip route replace 10.9.0.0/16 via 10.30.0.254 dev $IFACE [metric 20] [table 4001] [src 10.41.0.1]
// ip route replace 10.9.0.0/16 [metric 10] [src 10.41.0.1] nexthop via 10.40.0.1 nexthop via ...
Route route(const std::vector<std::string_view>& words) {
  Route route{std::string{words[3]}, ""};
  bool is_hop = false;
  for (std::size_t at = 4; at + 1 < words.size(); at += 2) {
    if (words[at] == "nexthop") {
      is_hop = true;
      --at;  // it stands alone
      continue;
    }
    const std::string_view value = words[at + 1];
    if (words[at] == "via" && is_hop) route.hops.emplace_back(value);
    if (words[at] == "via" && !is_hop) route.via = value;
    if (words[at] == "metric") route.metric = parse_integer(value).value_or(0);
    if (words[at] == "table") route.table = parse_integer(value).value_or(0);
    if (words[at] == "src") route.source = value;
  }
  return route;
}

// The port of another hop may still be down; the port that comes up last makes the route.
std::string route_line(const Route& route) {
  std::string text = fmt::format("{}{}", kRoute, route.to);
  if (route.hops.empty()) text += fmt::format(" via {} dev $IFACE", route.via);
  if (route.metric != 0) text += fmt::format(" metric {}", route.metric);
  if (route.table != 0) text += fmt::format(" table {}", route.table);
  if (!route.source.empty()) text += fmt::format(" src {}", route.source);
  for (const std::string& hop : route.hops)
    text += fmt::format(" nexthop via {}", hop);
  if (!route.hops.empty()) text += " || true";
  return text;
}

void read_command(LinkConfig& config, const IfupdownOption& option) {
  if (const std::string_view mode = echoed(option.value, kModeTo); !mode.empty())
    config.ipoib_mode = mode;
  const std::string_view links = echoed(option.value, kMinLinksTo);
  if (!links.empty() && config.bond) config.bond->min_links = parse_integer(links);
  if (option.value.starts_with(kSetMtu))
    config.mtu = parse_integer(std::string_view{option.value}.substr(kSetMtu.size()));
  const std::vector<std::string_view> words = split_words(option.value);
  if (option.value.starts_with(kRoute) && words.size() >= 8) config.routes.push_back(route(words));
  // ip rule add iif $IFACE lookup 4001 priority 4001
  // ip rule add from 10.30.0.1 lookup 4501 priority 4501
  if (!option.value.starts_with(kRule) || words.size() != 9) return;
  if (words[3] == "from") {
    config.source_from = words[4];
    config.source_table = parse_integer(words[6]);
  } else {
    config.incoming_table = parse_integer(words[6]);
  }
}

void read_bond_option(BondConfig& bond, const IfupdownOption& option) {
  const std::string& key = option.key;
  if (key == "bond-mode") bond.mode = option.value;
  if (key == "bond-miimon") bond.miimon = parse_integer(option.value);
  if (key == "bond-updelay") bond.updelay = parse_integer(option.value);
  if (key == "bond-downdelay") bond.downdelay = parse_integer(option.value);
  if (key == "bond-min-links") bond.min_links = parse_integer(option.value);
  if (key == "bond-lacp-rate") bond.lacp_rate = option.value;
  if (key == "bond-xmit-hash-policy") bond.hash_policy = option.value;
  if (key == "bond-ad-select") bond.ad_select = option.value;
  if (key == "bond-fail-over-mac") bond.fail_over_mac = option.value;
  if (key == "bond-primary") bond.primary = option.value;
  if (key != "bond-slaves") return;
  for (const std::string_view slave : split_words(option.value))
    bond.slaves.emplace_back(slave);
}

void line(std::string& text, std::string_view key, const std::string& value) {
  if (!value.empty()) text += fmt::format("    {} {}\n", key, value);
}

// Appends "    key value\n"; nothing if the value is empty.
void line(std::string& text, std::string_view key, const std::optional<std::int64_t>& value) {
  if (value) text += fmt::format("    {} {}\n", key, *value);
}

void put_bond(std::string& text, const BondConfig& bond, bool second) {
  line(text, "bond-slaves", join(bond.slaves, " "));
  line(text, "bond-mode", bond.mode);
  line(text, "bond-miimon", bond.miimon);
  line(text, "bond-updelay", bond.updelay);
  line(text, "bond-downdelay", bond.downdelay);
  line(text, "bond-lacp-rate", bond.lacp_rate);
  line(text, "bond-xmit-hash-policy", bond.hash_policy);
  line(text, "bond-ad-select", bond.ad_select);
  if (!second) line(text, "bond-fail-over-mac", bond.fail_over_mac);
  line(text, "bond-primary", bond.primary);
}

// The routes of one family.
std::string route_lines(const LinkConfig& config, bool ipv6) {
  std::string text;
  for (const Route& route : config.routes) {
    if (is_ipv6(route.to) == ipv6) line(text, "up", route_line(route));
  }
  return text;
}

// A rule is not replaced, but made a second time.
// The rule for incoming packets, and the rule for packets with an address as source with its route;
// "" if there is none.
std::string rule_lines(const LinkConfig& config) {
  std::string text;
  const auto rule = [&text](const std::string& of, std::int64_t table) {
    line(text, "up", fmt::format("ip rule del priority {} 2>/dev/null || true", table));
    line(text, "up", fmt::format("{}{} lookup {} priority {}", kRule, of, table, table));
  };
  if (config.incoming_table) rule("iif $IFACE", *config.incoming_table);
  if (const std::optional<SourceWay> way = source_way(config)) {
    line(
        text,
        "up",
        fmt::format("{}{} dev $IFACE table {} src {}", kRoute, way->subnet, way->table, way->from));
    rule("from " + way->from, way->table);
  }
  return text;
}

// Adds the value of an option that fabric writes; other options are ignored.
void read_option(LinkConfig& config, const IfupdownOption& option) {
  if (option.key == "mtu") config.mtu = parse_integer(option.value);
  if (option.key == "address") config.addresses.push_back(option.value);
  if (option.key == "gateway")
    (is_ipv6(option.value) ? config.gateway6 : config.gateway) = option.value;
  if (option.key == "bond-master") config.master = option.value;
  if (option.key == "up" || option.key == "pre-up") read_command(config, option);
  if (config.bond) read_bond_option(*config.bond, option);
}

constexpr const char* kInterfaces = "/etc/network/interfaces";

// True if ifupdown reads a file: /etc/network/interfaces or a file of its `source` lines.

bool fits(const std::string& pattern, const std::string& path) {
  return fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
}

// `source` takes patterns of files; `source-directory` takes patterns of folders, and of their
// files those with names of only [A-Za-z0-9_-]. Both are relative to the folder of their own file.
bool is_read_by(
    std::string_view keyword,
    const std::string& word,
    const std::string& file,
    const std::string& reader = kInterfaces) {
  std::string pattern =
      word.starts_with('/') ? word : reader.substr(0, reader.rfind('/') + 1) + word;
  if (keyword == "source") return fits(pattern, file);
  if (keyword != "source-directory") return false;
  while (pattern.ends_with('/'))
    pattern.pop_back();
  return fits(pattern, file.substr(0, file.rfind('/')));
}

bool takes(const IfupdownFile& reader, const std::string& path, const std::string& file) {
  return std::ranges::any_of(reader.stanzas, [&](const IfupdownStanza& stanza) {
    return std::ranges::any_of(stanza.words, [&](const std::string& word) {
      return is_read_by(stanza.keyword, word, file, path);
    });
  });
}

// Those of `files` that /etc/network/interfaces names by `source` and `source-directory`, and those
// that these files name in turn.
std::set<std::string> sourced_files(const FileTexts& files) {
  std::set<std::string> sourced;
  std::vector<std::string> left{kInterfaces};
  while (!left.empty()) {
    const std::string path = std::move(left.back());
    left.pop_back();
    const auto text = files.find(path);
    if (text == files.end()) continue;
    const IfupdownFile reader = read_ifupdown(text->second);
    for (const auto& [file, content] : files)
      if (takes(reader, path, file) && sourced.insert(file).second) left.push_back(file);
  }
  return sourced;
}

// Why `file`, a file below /etc/network/interfaces.d whose name is of [A-Za-z0-9_-] alone, would
// not be read; "" if it is. Lines of /etc/network/interfaces itself are looked at, and no others.
std::string why_not_sourced(const FileTexts& files, const std::string& file) {
  const std::string folder = file.substr(0, file.rfind('/'));
  std::string why = fmt::format("{} does not read the files of {}", kInterfaces, folder);
  const auto interfaces = files.find(kInterfaces);
  if (interfaces == files.end()) return why;
  for (const IfupdownStanza& stanza : read_ifupdown(interfaces->second).stanzas) {
    if (!stanza.keyword.starts_with("source")) continue;
    for (const std::string& word : stanza.words) {
      if (is_read_by(stanza.keyword, word, file)) return {};
      if (word.find("interfaces.d") == std::string::npos) continue;
      why = fmt::format(
          "{}:{} reads only {}; {} does not match and is not read",
          kInterfaces,
          stanza.line,
          word,
          file);
    }
  }
  return why;
}

// The entries of foreign files of ifupdown and ifupdown2 about one of fabric's interfaces.

bool enslaves(const IfupdownOption& option, const std::string& name) {
  constexpr std::string_view kLists[] = {
      "bridge-ports",
      "bridge_ports",
      "bond-slaves",
      "bond_slaves",
      "bond-ports",
      "bond_ports",
      "slaves",
      "ovs_ports",
      "ovs-ports",
      "ovs_bonds",
      "ovs-bonds"};
  return std::find(std::begin(kLists), std::end(kLists), option.key) != std::end(kLists) &&
         ifupdown_lists(option.value, name);
}

// True for "pre-up", "post-up" ..., which a shell runs.
bool is_command(const IfupdownOption& option) {
  constexpr std::string_view kKeys[] = {"up", "post-up", "pre-up", "down", "post-down", "pre-down"};
  return std::find(std::begin(kKeys), std::end(kKeys), option.key) != std::end(kKeys);
}

// The line that makes `name` a port of a foreign bridge or bond, or configures it; 0 if there is
// none.
std::size_t taking_line(const IfupdownStanza& stanza, const std::string& name) {
  for (const IfupdownOption& option : stanza.options) {
    const bool takes = enslaves(option, name) || (is_command(option) && !stanza.is_iface(name) &&
                                                  ifupdown_command(option.value, name));
    if (takes) return option.line;
  }
  return 0;
}

constexpr const char* kNamesOthers =
    "its name is a pattern or is made by a template, which fabric can't take apart";
constexpr const char* kTemplated = "a template makes lines of it, which fabric can't take apart";

bool any_fits(const std::vector<std::string>& words, const std::string& name) {
  return std::ranges::any_of(
      words, [&name](const std::string& word) { return ifupdown_name(word, name).fits; });
}

// `iface swp1`, `iface swp[1-4]`, `iface swp${i}` below a %for, `mapping eth*`, and `auto
// swp1=rail0`, which gives it the stanza `rail0`.
Spelling named_by(const IfupdownStanza& stanza, const LinkTarget& target) {
  Spelling found;
  if (stanza.words.empty()) return found;
  if (stanza.keyword == "iface") return ifupdown_name(stanza.words.front(), target.name);
  if (stanza.keyword == "mapping") found.fits = any_fits(stanza.words, target.name);
  if (stanza.keyword != "auto" && !stanza.keyword.starts_with("allow-")) return found;
  found.fits = std::ranges::any_of(
      stanza.words, [&target](const std::string& word) { return ifupdown_selects(word, target); });
  return found;
}

void add_claims(
    const LinkTarget& target,
    const std::string& file,
    const IfupdownStanza& stanza,
    std::vector<ForeignEntry>& entries) {
  // A bare `iface X inet manual` configures nothing; Proxmox writes one for every port.
  const bool bare = stanza.method() == "manual" && stanza.options.empty();
  if (const Spelling spelled = named_by(stanza, target); spelled.fits && !bare) {
    const char* why = !spelled.alone ? kNamesOthers : stanza.templated ? kTemplated : "";
    entries.push_back({file, stanza.line, stanza.last_line, why});
  }
  if (!target.bond.empty() && stanza.is_iface(target.bond)) return;
  const std::size_t line = taking_line(stanza, target.name);
  // A bridge above fabric's bond or VLAN is allowed; a port of a card is fabric's alone.
  if (line != 0 && target.kind == LinkKind::port && !stanza.words.empty()) {
    entries.push_back(
        {file,
         line,
         line,
         fmt::format("it belongs to {}, which fabric did not write", stanza.words.front())});
  }
}

// Entries that mean the target by a stanza, a pattern or a template, by `auto`, as a port of a bond
// or bridge, or in a command of another stanza.
std::vector<ForeignEntry> ifupdown_foreign(const LinkTarget& target, const FileTexts& files) {
  std::vector<ForeignEntry> entries;
  const std::set<std::string> sourced = sourced_files(files);
  for (const auto& [file, content] : files) {
    const bool read = file.starts_with(kInterfaces) || sourced.contains(file);
    if (!read || is_owned(content)) continue;
    for (const IfupdownStanza& stanza : read_ifupdown(content).stanzas)
      add_claims(target, file, stanza, entries);
  }
  return entries;
}

constexpr const char* kIfupdownFolder = "/etc/network/interfaces.d";
// ifupdown2 makes the MTU of an interface that names none 1500. What mode and group carry, the
// kernel takes of the largest that it accepts: of connected mode, or of datagram mode by the HCA.
constexpr std::string_view kMostMtu =
    "for most in 65520 4092 2044; do ip link set dev $IFACE mtu $most 2>/dev/null && break; done";
constexpr std::int64_t kLargestMtu2 = 9216;
constexpr std::string_view kBringLinkUp = "ip link set dev $IFACE up";
// The interface is `$1` of `sh -c`. ifdown of ifupdown removes what the present files say, which
// may differ from those that made it; ifdown of ifupdown2 removes what it remembers, and fails for
// an interface that it never brought up (seen on Debian 12).
constexpr const char* kTakeDown =
    "ifdown --force \"$1\" 2>/dev/null; ! [ -e \"/sys/class/net/$1\" ] || "
    "ip address flush dev \"$1\" scope global";
constexpr const char* kBringUp =
    "ifquery \"$1\" >/dev/null 2>&1 || exit 0; exec ifup --force \"$1\"";

bool has_auto(const IfupdownFile& file, std::string_view name) {
  return std::ranges::any_of(file.stanzas, [name](const auto& stanza) {
    return stanza.keyword == "auto" && std::ranges::find(stanza.words, name) != stanza.words.end();
  });
}

class Ifupdown final : public NetworkBackend {
 public:
  explicit Ifupdown(bool second) : second_{second} {}
  std::string_view name() const override { return second_ ? "ifupdown2" : "ifupdown"; }

  std::string obstacle(const LinkTarget& target, const LinkConfig& config) const override {
    if (target.name.empty() && target.port != nullptr) {
      return fmt::format(
          "ifupdown needs the name of the interface, and port {} of card {} has none yet",
          target.port->number,
          target.card->address.str());
    }
    for (const Slave& slave : target.slaves) {
      if (slave.name.empty())
        return fmt::format("ifupdown needs the name of slave {}, which has none yet", slave.label);
    }
    if (target.name.empty())
      return fmt::format("the interface below {} has no name yet", target.address.name);
    if (!second_) return {};
    if (config.bond && !config.bond->ad_select.empty()) return "ifupdown2 has no bond-ad-select";
    if (target.kind == LinkKind::ipoib_child)
      return fmt::format("ifupdown2 takes {} for a VLAN: it knows no P_Key", target.name);
    return {};
  }

  bool can_route_transit() const override { return true; }

  std::vector<std::string> paths(const LinkTarget& target) const override { return {path(target)}; }

  std::vector<ConfigFile> render(
      const LinkTarget& target, const LinkConfig& config) const override {
    std::string text = target.marker;
    text += fmt::format("auto {}\n", target.name);
    const std::string first = first_options(target, config);
    // Everything but the address once: in a stanza of family inet6 the MTU would be that of IPv6.
    const auto first_ipv4 = std::ranges::find_if_not(config.addresses, is_ipv6);
    if (first_ipv4 == config.addresses.end()) {
      text +=
          fmt::format("iface {} inet manual\n{}{}", target.name, first, route_lines(config, false));
    }
    // Routes come after all addresses, which they may have as their source.
    const auto last_ipv4 = std::ranges::find_if(config.addresses, is_ipv6);
    bool first_ipv6 = true;
    for (auto address = config.addresses.begin(); address != config.addresses.end(); ++address) {
      const bool ipv6 = is_ipv6(*address);
      const char* family = ipv6 ? "inet6" : "inet";
      text += fmt::format("iface {} {} static\n    address {}\n", target.name, family, *address);
      if (address == first_ipv4) {
        line(text, "gateway", config.gateway);
        text += first;
      }
      if (address + 1 == last_ipv4) text += route_lines(config, false) + rule_lines(config);
      if (ipv6 && first_ipv6) {
        line(text, "gateway", config.gateway6);
        text += route_lines(config, true);
      }
      first_ipv6 = first_ipv6 && !ipv6;
    }
    return {{path(target), std::move(text)}};
  }

  std::optional<LinkConfig> read(const LinkTarget& target, const FileTexts& files) const override {
    const auto content = files.find(path(target));
    if (content == files.end()) return std::nullopt;
    const IfupdownFile file = read_ifupdown(content->second);
    LinkConfig config;
    if (target.kind == LinkKind::bond) config.bond.emplace();
    bool found = false;
    for (const IfupdownStanza& stanza : file.stanzas) {
      if (!stanza.is_iface(target.name)) continue;
      found = true;
      for (const IfupdownOption& option : stanza.options)
        read_option(config, option);
    }
    settle_source(config);
    // ifupdown2 has no option for it: the driver sets it with the first IPoIB slave.
    if (second_ && config.bond && target.infiniband) config.bond->fail_over_mac = "active";
    // Without `auto` the boot leaves the interface alone.
    if (!found || !has_auto(file, target.name)) return std::nullopt;
    // The name has both the port and the id.
    const std::string_view suffix =
        std::string_view{target.name}.substr(target.name.rfind('.') + 1);
    if (target.kind == LinkKind::vlan) config.vlan_id = parse_integer(suffix);
    if (target.kind == LinkKind::ipoib_child) {
      const auto pkey = parse_unsigned(suffix, 16);
      if (pkey && *pkey <= 0xffff) config.pkey = static_cast<std::int64_t>(*pkey) & kPkeyIdentity;
    }
    return config;
  }

  std::vector<ForeignEntry> foreign(
      const LinkTarget& target, const FileTexts& files) const override {
    return ifupdown_foreign(target, files);
  }

  Membership membership() const override { return {!second_, true}; }

  std::string not_in_use(const LinkTarget& target, const FileTexts& files) const override {
    return why_not_sourced(files, path(target));
  }

  // ifdown deletes a bond, a VLAN and a child.
  bool remakes_virtual() const override { return true; }

  std::vector<remote::Argv> activate(const Activation& activation) const override {
    if (activation.target.kind == LinkKind::bond) return activate_bond(activation);
    const std::string& device =
        activation.device.empty() ? activation.target.name : activation.device;
    const bool is_port = activation.target.kind == LinkKind::port;
    std::vector<remote::Argv> commands;
    if (is_port || !activation.device.empty()) down(commands, device, is_port);
    up(commands, device);
    bring_up_above(commands, activation);
    return commands;
  }

  std::vector<remote::Argv> restore(const Activation& activation) const override {
    std::vector<std::string> all = activation.slaves;
    const bool is_port = activation.target.kind == LinkKind::port;
    all.insert(all.begin(), is_port ? activation.device : activation.target.name);
    std::vector<remote::Argv> commands;
    for (const std::string& device : all)
      commands.push_back({"sh", "-c", kTakeDown, "fabric", device});
    if (!is_port)
      commands.push_back({"sh", "-c", kDeleteIfThere, "fabric", activation.target.name});
    // Interfaces on it were removed with it.
    all.insert(all.end(), activation.above.begin(), activation.above.end());
    for (const std::string& device : all)
      commands.push_back({"sh", "-c", kBringUp, "fabric", device});
    return commands;
  }

  // A restart of ifupdown2 deletes every bridge, with the ports of the guests on it, and ends with
  // 0 in every case; ifreload changes only the interfaces that differ from the files.
  std::vector<remote::Argv> restore_all() const override {
    if (second_) return {{"ifreload", "-a"}};
    return {{"systemctl", "restart", "networking"}};
  }

  std::vector<remote::Argv> release(
      const LinkTarget& target, const std::string& device) const override {
    std::vector<remote::Argv> commands;
    if (!device.empty()) commands.push_back({"sh", "-c", kTakeDown, "fabric", device});
    if (target.kind != LinkKind::port)
      commands.push_back({"sh", "-c", kDeleteIfThere, "fabric", target.name});
    return commands;
  }

 private:
  // No dots: `source-directory` of older versions skips such names.
  static std::string path(const LinkTarget& target) {
    std::string file = file_stem(target.address.kind, target.address.name);
    for (char& c : file) {
      const bool plain =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      if (!plain) c = '-';
    }
    return fmt::format("{}/fabric-{}", kIfupdownFolder, file);
  }

  std::string first_options(const LinkTarget& target, const LinkConfig& config) const {
    std::string text;
    if (target.kind == LinkKind::vlan) line(text, "vlan-raw-device", target.parent);
    if (config.bond) put_bond(text, *config.bond, second_);
    // ifenslave has no option for it; ifupdown2 has.
    if (config.bond && config.bond->min_links) {
      if (second_) {
        line(text, "bond-min-links", config.bond->min_links);
      } else {
        line(text, "up", fmt::format("{}{}{}", kMinLinks, *config.bond->min_links, kMinLinksTo));
      }
    }
    // ifupdown2 puts the slaves into the bond by the bond's stanza alone.
    if (!second_) line(text, "bond-master", config.master);
    // `inet manual` leaves the link down, and no hook of Debian brings IPoIB up.
    const bool nothing_brings_up = !second_ && target.infiniband && target.kind != LinkKind::bond &&
                                   !config.mtu && config.master.empty() && config.addresses.empty();
    if (nothing_brings_up) line(text, "up", std::string{kBringLinkUp});
    if (!config.ipoib_mode.empty()) {
      line(text, "pre-up", std::string{"modprobe ib_ipoib"});
      line(text, "pre-up", fmt::format("echo {}{}", config.ipoib_mode, kModeTo));
    }
    // ifupdown2 takes no larger one, which IPoIB in connected mode has.
    if (second_ && config.mtu.value_or(0) > kLargestMtu2) {
      line(text, "up", fmt::format("{}{}", kSetMtu, *config.mtu));
    } else if (second_ && target.infiniband && !config.mtu && config.master.empty()) {
      line(text, "up", std::string{kMostMtu});
    } else {
      line(text, "mtu", config.mtu);
    }
    return text;
  }

  // The former content is gone when this runs, so `ifdown` of ifupdown can't know what to take
  // away: the addresses are flushed, unless the device went with its ifdown, as a port's never
  // does.
  void down(std::vector<remote::Argv>& commands, const std::string& device, bool is_port) const {
    if (is_port && !second_) {
      commands.push_back({"ifdown", "--force", device});
      commands.push_back({"ip", "addr", "flush", "dev", device});
    } else {
      commands.push_back({"sh", "-c", kTakeDown, "fabric", device});
    }
  }

  void up(std::vector<remote::Argv>& commands, const std::string& device) const {
    if (second_) {
      commands.push_back({"ifup", device});
    } else {
      commands.push_back({"ifup", "--force", device});
    }
  }

  // ifdown takes them down with it. The file of one may be gone by now: removed by an action before
  // this one.
  static void bring_up_above(std::vector<remote::Argv>& commands, const Activation& activation) {
    for (const std::string& above : activation.above)
      commands.push_back({"sh", "-c", kBringUp, "fabric", above});
  }

  // The slaves come down first: ifenslave leaves one alone that ifupdown holds for up already.
  std::vector<remote::Argv> activate_bond(const Activation& activation) const {
    std::vector<remote::Argv> commands;
    if (!activation.device.empty() && second_) {
      // A bond that ifupdown2 did not make is one that it does not delete.
      down(commands, activation.device, false);
      commands.push_back({"sh", "-c", kDeleteIfThere, "fabric", activation.device});
    } else if (!activation.device.empty()) {
      // ifenslave deletes the bond here, so there is nothing left to flush.
      commands.push_back({"ifdown", "--force", activation.device});
    }
    for (const std::string& slave : activation.slaves)
      down(commands, slave, true);
    if (second_) {
      for (const std::string& slave : activation.slaves)
        up(commands, slave);
    }
    up(commands, activation.target.name);
    if (!second_) {
      for (const std::string& slave : activation.slaves)
        up(commands, slave);
    }
    bring_up_above(commands, activation);
    return commands;
  }

  bool second_;
};

}  // namespace

const NetworkBackend& ifupdown_backend() {
  static const Ifupdown backend{false};
  return backend;
}

const NetworkBackend& ifupdown2_backend() {
  static const Ifupdown backend{true};
  return backend;
}

}  // namespace fabric::providers
