// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/any_documents.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "engine/base/random.hpp"
#include "engine/base/text.hpp"
#include "engine/model/document/load.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/model/platform_keys.hpp"
#include "plans/refusal.hpp"
#include "providers/builtin.hpp"

#include "tests/simulation/documents.hpp"
#include "tests/simulation/mtu_stories.hpp"

namespace fabric::simulation {

namespace {

// A key with a value, as a line of its mapping, and where it is of use: " " and the platforms or
// modes behind it, "" = anywhere. Most are drawn where they are of use, some where they are not.
struct Key {
  std::string_view key, line, fits;
};

constexpr std::string_view kHostLinux = " linux", kEsxi = " esxi", kClassic = " esx-classic";

constexpr Key kOfHosts[] = {
    {"nodes.*.address", "address: 192.0.2.7[1-3]", ""},
    {"nodes.*.ssh", "ssh: {user: root}", ""},
    {"nodes.*.host", "host: \"[11-13]\"", ""},
    {"nodes.*.labels", "labels: {rack: \"r[1-3]\"}", ""},
    {"nodes.*.state", "state: observe", ""},
    {"nodes.*.hooks", "hooks: {before_disruption: drain, after_disruption: undrain}", ""},
    {"nodes.*.profiles", "profiles: [all]", ""},
    {"nodes.*.os", "os: {minimum: \"3.5\"}", ""},
    {"nodes.*.os.release", "os: {release: onyx-3}", " none"},
    {"nodes.*.ssh.become", "ssh: {become: sudo}", kHostLinux},
    {"nodes.*.packages", "packages: [infiniband-diags]", kHostLinux},
    {"nodes.*.network_backend", "network_backend: networkd", kHostLinux},
    {"nodes.*.adopt", "adopt: true", kHostLinux},
    {"nodes.*.restore", "restore: true", kHostLinux},
    {"nodes.*.sysctl", "sysctl: {net.core.rmem_max: 16777216}", kHostLinux},
    {"nodes.*.sysctl", "sysctl: {net.ipv4.ip_forward: 0}", kHostLinux},
    {"nodes.*.sysctl", "sysctl: {net.ipv4.conf.eth9.rp_filter: 2}", ""},
    {"nodes.*.tuning", "tuning: [40g]", kHostLinux},
    {"nodes.*.modules", "modules: {nmlx5_core: {pfctx: 8}}", kEsxi},
    {"nodes.*.modules", "modules: {nvme_rdma: {}}", kHostLinux},
    {"nodes.*.software.stack", "software: {stack: inbox}", kHostLinux},
    {"nodes.*.software.minimum", "software: {minimum: \"1.0\"}", " none"},
    {"nodes.*.software.mft", "software: {mft: \"4.0\"}", kEsxi},
    {"nodes.*.software.bundles", "software: {bundles: [mlx4_en.zip]}", " none"},
    {"nodes.*.mlag", "mlag: {domain: a, peer: sw1}", " none"},
    {"nodes.*.model", "model: QM8790", " none"},
    {"nodes.*.node_guid", "node_guid: \"0x0002c902004048a8\"", " none"},
    {"nodes.*.mtu", "mtu: 9216", " none"},
    {"nodes.*.system_name", "system_name: core", " none"},
    {"nodes.*.proof", "proof: carrier", " none"},
};

constexpr Key kOfCards[] = {
    {"nodes.*.adapters.*.firmware.minimum", "firmware: {minimum: \"2.0\"}", " none"},
    {"nodes.*.adapters.*.firmware.params", "firmware: {params: {NUM_PF_MSIX: 63}}", " none"},
    {"nodes.*.adapters.*.firmware.params.*=default",
     "firmware: {params: {SRIOV_EN: default}}",
     kHostLinux},
    {"nodes.*.adapters.*.firmware.version", "firmware: {version: \"16.35.4030\"}", " none"},
    {"nodes.*.adapters.*.firmware.image", "firmware: {image: fw.bin}", " none"},
    {"nodes.*.adapters.*.firmware.psid", "firmware: {psid: MT_0000000008}", " none"},
    {"nodes.*.adapters.*.firmware.recovery_mode", "firmware: {recovery_mode: true}", kEsxi},
    {"nodes.*.adapters.*.sriov", "sriov: {vfs: 4}", " linux esxi"},
    {"nodes.*.adapters.*.sriov.passthrough", "sriov: {passthrough: true}", kEsxi},
    {"nodes.*.adapters.*.names", "names: {1: rail0, 2: rail1}", kHostLinux},
};

constexpr Key kOfSwitches[] = {
    {"nodes.*.address", "address: 192.0.2.90", ""},
    {"nodes.*.labels", "labels: {rack: r1}", ""},
    {"nodes.*.model", "model: QM9700", " nvos"},
    {"nodes.*.model", "model: SN2700", " cumulus"},
    {"nodes.*.mtu", "mtu: 9216", " cumulus mlnx-os"},
    {"nodes.*.system_name", "system_name: core", ""},
    {"nodes.*.proof", "proof: carrier", ""},
    {"nodes.*.node_guid", "node_guid: \"0x0002c902004048a8\"", " unmanaged"},
    {"nodes.*.packages", "packages: [lldpd]", " none"},
    {"nodes.*.mlag", "mlag: {domain: a, peer: h1}", " none"},
    {"nodes.*.mlag.vip", "mlag: {domain: a, peer: h1, vip: 192.0.2.9/24}", " none"},
    {"nodes.*.mlag.by", "mlag: {by: evpn}", " none"},
    {"nodes.*.mlag.segment", "mlag: {by: evpn, segment: 10}", " none"},
    {"nodes.*.mlag.vlan", "mlag: {domain: a, peer: h1, vlan: 4001}", " none"},
    {"nodes.*.mlag.address", "mlag: {domain: a, peer: h1, address: 10.0.0.1/30}", " none"},
};

constexpr Key kOfNetworks[] = {
    {"networks.*.mtu", "mtu: 9000", " ethernet lag chain"},
    {"networks.*.mtu", "mtu: 4096", " infiniband"},
    {"networks.*.mtu", "mtu: 9300", " none"},
    {"networks.*.vswitch", "vswitch: vSwitch1", " ethernet"},
    {"networks.*.ipv4", "ipv4: {subnet: 10.3{}.0.0/24, per: port}", " ethernet lag chain"},
    {"networks.*.ipv4.per", "ipv4: {subnet: 10.3{}.0.0/24, per: cable}", " ethernet"},
    {"networks.*.ipv6", "ipv6: {subnet: \"fd0{}::/64\", per: port}", " ethernet lag"},
    {"networks.*.loopback", "loopback: {subnet: 10.5{}.0.0/24}", " none"},
    {"networks.*.transit", "transit: static", " none"},
    {"networks.*.transit=frr", "transit: frr", " none"},
    {"networks.*.restore", "restore: true", ""},
    {"networks.*.vlans", "vlans: {v: {id: 1{}0}}", " ethernet lag"},
    {"networks.*.vlans.*.tagging", "vlans: {v: {id: 1{}0, tagging: vst}}", " none"},
    {"networks.*.lag", "lag: {policy: active-backup, roce: false}", " lag"},
    {"networks.*.lag.port_channel",
     "lag: {policy: 802.3ad, port_channel: lacp, roce: false}",
     " lag"},
    {"networks.*.lag.made_by",
     "lag: {policy: 802.3ad, port_channel: lacp, made_by: vcenter}",
     " none"},
    {"networks.*.qos", "qos: {}", " ethernet lag chain"},
    {"networks.*.subnet_managers", "subnet_managers: [{node: h1, port: 1}]", " infiniband"},
    {"networks.*.subnet_managers", "subnet_managers: [{node: sw1}]", " infiniband"},
    {"networks.*.subnet_manager.external", "subnet_manager: {external: true}", " infiniband"},
    {"networks.*.subnet_manager.guid",
     "subnet_manager: {external: true, guid: \"0x0002c903000e0b73\"}",
     " none"},
    {"networks.*.subnet_manager.virtualization",
     "subnet_manager: {external: true, virtualization: true}",
     " infiniband"},
    {"networks.*.subnet_manager.routing_engine",
     "subnet_manager: {routing_engine: updn}",
     " infiniband"},
    {"networks.*.subnet_manager.subnet_prefix",
     "subnet_manager: {subnet_prefix: \"0xfe80000000000001\"}",
     " infiniband"},
    {"networks.*.subnet_manager.roots", "subnet_manager: {roots: [sw1]}", " none"},
    {"networks.*.subnet_manager.io", "subnet_manager: {io: [h1]}", " none"},
    {"networks.*.subnet_manager.options", "subnet_manager: {options: {lmc: 1}}", " infiniband"},
    {"networks.*.partitions",
     "partitions: {p: {pkey: \"0x1{}\", ipoib: true, members: {ALL: full}}}",
     " infiniband"},
    {"networks.*.ipoib", "ipoib: {ipv4: {subnet: 10.4{}.0.0/24, per: port}}", " infiniband"},
    {"networks.*.ipoib.bond",
     "ipoib: {ipv4: {subnet: 10.4{}.0.0/24}, bond: {name: bond0}}",
     " none"},
    {"networks.*.access_vlan", "access_vlan: 2{}0", " ethernet lag"},
    {"networks.*.ipoib.uplinks", "ipoib: {uplinks: 2}", " none"},
};

// Of fabric itself, of each document, and what stands in it by its form.
constexpr std::string_view kAlways[] = {
    "apiVersion",
    "name",
    "rollout",
    "defaults",
    "profiles",
    "hooks",
    "isolated",
    "nodes.*.platform",
    "nodes.*.adapters",
    "networks.*.cables",
    "networks.*.ports",
    "networks.*.mode",
    "networks.*.vlans.*.id",
    "networks.*.lag.policy"};

bool fits(const Key& key, std::string_view word) {
  if (key.fits.empty()) return true;
  return fmt::format("{} ", key.fits).find(fmt::format(" {} ", word)) != std::string::npos;
}

// Some of `pool`, each key of a mapping once.
template <std::size_t count>
std::vector<std::string> draw(
    Random& random, const Key (&pool)[count], std::string_view word, std::uint64_t most) {
  std::vector<std::string> lines;
  std::set<std::string_view> taken;
  for (std::uint64_t left = random.below(most + 1); left > 0; --left) {
    const Key& key = pool[random.below(count)];
    if (!fits(key, word) && !random.chance(6)) continue;
    if (taken.insert(key.line.substr(0, key.line.find(':'))).second) lines.emplace_back(key.line);
  }
  return lines;
}

std::string mapping(const std::vector<std::string>& lines, std::string_view indent) {
  std::string text;
  for (const std::string& line : lines)
    text += fmt::format("{}{}\n", indent, line);
  return text;
}

std::string switch_port(std::string_view platform, std::uint64_t number) {
  if (platform == "cumulus") return fmt::format("swp{}", number);
  if (platform == "nvos") return fmt::format("sw{}p1", number);
  return fmt::format("{}", number);
}

// What a mode can't do without.
void complete(
    Random& random, std::string_view mode, std::string_view host, std::vector<std::string>& lines) {
  const auto has = [&](std::string_view key) {
    return std::any_of(lines.begin(), lines.end(), [key](const std::string& line) {
      return line.starts_with(key);
    });
  };
  if (mode == "lag" && !has("lag:")) {
    lines.emplace_back(
        host == "esxi" ? "lag: {policy: 802.3ad, port_channel: lacp, made_by: vcenter}"
                       : "lag: {policy: active-backup, roce: false}");
  }
  const bool managed = has("subnet_managers:") || has("subnet_manager: {external");
  if (mode == "infiniband" && !managed) {
    lines.emplace_back(
        host == "linux" && random.chance(60) ? "subnet_managers: [{node: h1, port: 1}]"
                                             : "subnet_managers: [{node: sw1}]");
  }
  if (host == "esxi" && mode == "ethernet" && has("mtu:") && !has("vswitch:"))
    lines.emplace_back("vswitch: vSwitch1");
}

std::string cables(
    std::string_view mode, std::string_view leaf, std::uint64_t hosts, std::uint64_t network) {
  if (mode == "chain") return fmt::format("[{{ring: [\"h[1-{}]\"]}}]", hosts);
  std::string text;
  const std::uint64_t ports = mode == "lag" ? 2 : 1;
  std::uint64_t at = 1 + 10 * network;
  for (std::uint64_t host = 1; host <= hosts; ++host) {
    for (std::uint64_t port = 0; port < ports; ++port) {
      text += fmt::format(
          "{}[h{}/{}, sw1/{}]",
          text.empty() ? "" : ", ",
          host,
          network + port + 1,
          switch_port(leaf, at++));
    }
  }
  return fmt::format("[{}]", text);
}

std::string filled(std::string text, std::uint64_t number) {
  for (std::size_t at = text.find("{}."); at != std::string::npos; at = text.find("{}."))
    text.replace(at, 2, std::to_string(number));
  for (const std::string_view end : {"{}0", "{}\"", "{}::"}) {
    const std::size_t at = text.find(end);
    if (at != std::string::npos) text.replace(at, 2, std::to_string(number));
  }
  return text;
}

}  // namespace

std::string any_document(std::uint64_t seed) {
  constexpr std::uint64_t kAny = 0x616e'7900'0000'0000;
  Random random{seed ^ kAny};
  constexpr std::array<std::string_view, 4> kHosts{"linux", "linux", "esxi", "esx-classic"};
  constexpr std::array<std::string_view, 5> kLeaves{
      "cumulus", "mlnx-os", "nvos", "unmanaged", "unmanaged"};
  constexpr std::array<std::string_view, 5> kModes{
      "ethernet", "ethernet", "lag", "infiniband", "chain"};
  const std::string_view host = pick(random, kHosts);
  const std::string_view leaf = pick(random, kLeaves);
  // On ESX the driver of Ethernet comes with a bundle, which no drawn document has.
  const std::string_view mode = host == "linux"              ? pick(random, kModes)
                                : host == kClassic.substr(1) ? kModes[3]
                                                             : kModes[random.below(4)];
  const bool is_vpi = mode == "infiniband" || mode == "chain" || random.chance(50);
  const std::string_view model = host == kClassic.substr(1) ? "connectx-ib-ddr"
                                 : mode == "chain"          ? "connectx-5-vpi"
                                 : is_vpi                   ? "connectx-6-vpi"
                                                            : "connectx-6-dx";
  const std::uint64_t hosts = mode == "chain" ? 3 : 1 + random.below(2);
  std::string text = fmt::format(
      "apiVersion: fabric/v1\nname: any\nprofiles: {{all: {{labels: {{made: here}}}}}}\nnodes:\n"
      "  \"h[1-{}]\":\n    platform: {}\n",
      hosts,
      host);
  std::vector<std::string> own = draw(random, kOfHosts, host, 4);
  for (std::string& line : own) {
    for (const std::string_view set : {"[1-3]", "[11-13]"}) {
      if (const std::size_t at = line.find(set); at != std::string::npos)
        line.replace(at + set.size() - 2, 1, std::to_string(hosts));
    }
  }
  text += mapping(own, "    ");
  text += fmt::format("    adapters:\n      cx:\n        model: {}\n", model);
  text += mapping(draw(random, kOfCards, host, 2), "        ");
  if (mode != "chain") {
    text += fmt::format("  sw1:\n    platform: {}\n", leaf);
    text += mapping(draw(random, kOfSwitches, leaf, 2), "    ");
  }
  text += "networks:\n";
  const std::uint64_t networks = mode == "ethernet" ? 1 + random.below(2) : 1;
  for (std::uint64_t number = 0; number < networks; ++number) {
    text += fmt::format("  net{}:\n    mode: {}\n", number, mode);
    std::vector<std::string> lines = draw(random, kOfNetworks, mode, 4);
    complete(random, mode, host, lines);
    for (std::string& line : lines)
      line = filled(std::move(line), number + 1);
    text += mapping(lines, "    ");
    text += fmt::format("    cables: {}\n", cables(mode, leaf, hosts, number));
  }
  return text + fmt::format("rollout: {{max_unavailable: {}}}\n", 1 + random.below(2));
}

std::vector<std::string> keys_left_out() {
  std::set<std::string> drawn;
  const auto add = [&drawn](std::string_view key) {
    for (std::size_t dot = key.find('.'); dot != std::string_view::npos;
         dot = key.find('.', dot + 1))
      drawn.emplace(key.substr(0, dot));
    drawn.emplace(key);
  };
  for (const std::string_view key : kAlways)
    add(key);
  for (const Key& key : kOfHosts)
    add(key.key);
  for (const Key& key : kOfCards)
    add(key.key);
  for (const Key& key : kOfSwitches)
    add(key.key);
  for (const Key& key : kOfNetworks)
    add(key.key);
  std::vector<std::string> missing;
  const Value table = platform_key_table();
  for (const Value& row : *table.as_list()) {
    const std::string key = row.string_or_empty("key");
    const std::string plain = key.substr(0, key.find('='));
    if (!drawn.contains(key) && !drawn.contains(plain)) missing.push_back(key);
  }
  return missing;
}

AnyResult play_any(std::uint64_t seed) {
  const std::string text = any_document(seed);
  SourceMap sources;
  LoadedDocument loaded = load_document(sources, {sources.add("any.yaml", text)});
  if (loaded.diagnostics.has_errors()) return {};
  Registry registry;
  providers::add_builtin_providers(registry);
  loaded.spec.reached = registry.platforms();
  Diagnostics findings;
  const std::vector<Resource> resources = expand(loaded.spec, findings);
  plans::refuse_missing(resources, registry, findings);
  if (findings.has_errors()) return {};
  return {true, play(MtuStory{fmt::format("document {}", seed), text, text, seed, true})};
}

}  // namespace fabric::simulation
