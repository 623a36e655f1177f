// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/mtu_stories.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/random.hpp"
#include "engine/model/document/load.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/rehearse/world.hpp"
#include "providers/builtin.hpp"
#include "providers/simulated/simulated_platforms.hpp"

#include "tests/simulation/documents.hpp"

namespace fabric::simulation {

namespace {

// The ends of a network: what the hosts are, and what the network says of them.
enum class End : std::uint8_t { linux_port, linux_bond, esxi };
constexpr std::array kEnds{End::linux_port, End::linux_bond, End::esxi};
constexpr std::array<std::string_view, 2> kMiddles{"cumulus", "mlnx-os"};

std::string_view name_of(End end) {
  return end == End::linux_port ? "ports" : end == End::linux_bond ? "bonds" : "ESXi";
}

std::string port_name(std::string_view platform, int number) {
  return fmt::format("{}{}", platform == "cumulus" ? "swp" : "1/", number);
}

// One network of hosts at one or two switches that are cabled together.
struct Net {
  std::string name;
  End end = End::linux_port;
  std::vector<int> hosts;  // "h1": by name before any switch
  int adapter_port = 1;    // of the hosts
  int first = 1;           // port of each switch
  std::uint32_t before = 1500, after = 9000;
};

struct Fabric {
  std::vector<std::string> switches;  // platforms
  std::vector<Net> nets;
  std::uint64_t max_unavailable = 1;
};

std::string nodes_text(const Fabric& fabric) {
  std::map<int, End> hosts;
  for (const Net& net : fabric.nets)
    for (const int host : net.hosts)
      hosts.emplace(host, net.end);
  std::string text = "apiVersion: fabric/v1\nname: mtus\nnodes:\n";
  for (const auto& [host, end] : hosts) {
    text += end == End::esxi ? fmt::format(
                                   "  h{}: {{platform: esxi, adapters: {{cx6: {{model: "
                                   "connectx-6-dx, pci: \"0000:01:00.0\"}}}}}}\n",
                                   host)
                             : fmt::format(
                                   "  h{}: {{network_backend: networkd, adapters: {{cx5: {{model: "
                                   "connectx-5-en}}}}}}\n",
                                   host);
  }
  for (std::size_t i = 0; i < fabric.switches.size(); ++i)
    text += fmt::format("  leaf{}: {{platform: {}}}\n", i + 1, fabric.switches[i]);
  return text;
}

// Hosts take turns at the switches; a bond has both its ports at one.
std::string net_text(const Fabric& fabric, const Net& net, std::uint32_t mtu) {
  std::string text = fmt::format(
      "  {}:\n    mode: {}\n    mtu: {}\n",
      net.name,
      net.end == End::linux_bond ? "lag" : "ethernet",
      mtu);
  if (net.end == End::linux_bond)
    text += "    lag: {bond: bond0, policy: 802.3ad, port_channel: lacp}\n";
  if (net.end == End::esxi) text += "    vswitch: vSwitch1\n";
  text += "    cables:\n";
  int port = net.first;
  std::size_t turn = 0;
  for (const int host : net.hosts) {
    const std::size_t at = turn++ % fabric.switches.size();
    for (int each = 1; each <= (net.end == End::linux_bond ? 2 : 1); ++each) {
      text += fmt::format(
          "      - [h{}/{}, leaf{}/{}]\n",
          host,
          net.end == End::linux_bond ? each : net.adapter_port,
          at + 1,
          port_name(fabric.switches[at], port++));
    }
  }
  for (std::size_t i = 1; i < fabric.switches.size(); ++i) {
    text += fmt::format(
        "      - [leaf{}/{}, leaf{}/{}]\n",
        i,
        port_name(fabric.switches[i - 1], net.first + 20),
        i + 1,
        port_name(fabric.switches[i], net.first + 21));
  }
  return text;
}

std::string document(const Fabric& fabric, bool after) {
  std::string text = nodes_text(fabric) + "networks:\n";
  for (const Net& net : fabric.nets)
    text += net_text(fabric, net, after ? net.after : net.before);
  return text + fmt::format("rollout: {{max_unavailable: {}}}\n", fabric.max_unavailable);
}

// InfiniBand: `managers` hosts that manage, or a switch that does, and hosts that do not.
std::string subnet_document(int managers, bool at_switch, std::uint32_t mtu) {
  std::string text =
      "apiVersion: fabric/v1\nname: mtus\nnodes:\n"
      "  \"n[1-4]\": {network_backend: networkd, packages: [opensm, infiniband-diags], "
      "adapters: {hca: {model: connectx-6, ports: 1}}}\n";
  text += fmt::format("  sw1: {{platform: {}}}\n", at_switch ? "mlnx-os" : "unmanaged");
  text += fmt::format(
      "networks:\n  ib:\n    mode: infiniband\n    mtu: {}\n"
      "    cables: [[\"n[1-4]/1\", \"sw1/1/[1-4]\"]]\n    ipoib: {{mtu: {}, ipv4: {{subnet: "
      "10.40.0.0/24}}}}\n",
      mtu,
      mtu - 4);
  text += "    subnet_managers: [";
  if (at_switch) text += "{node: sw1, priority: 15}";
  for (int each = 1; each <= managers; ++each)
    text += fmt::format("{}{{node: n{}, priority: {}}}", each > 1 ? ", " : "", each, 16 - each);
  return text + "]\n";
}

lab::LabSpec lab_of(const FabricSpec& spec, std::uint64_t seed) {
  lab::LabSpec lab;
  lab.seed = seed;
  int number = 0;
  for (const auto& [name, node] : spec.nodes) {
    if (node.platform.value != Platform::esxi) continue;
    ++number;
    lab.hosts[name.str()].files["/etc/vmware/esx.conf"] = fmt::format(
        "/system/uuid = \"5f8c1d2e-7a30-4b6c-9d41-0c42a18c51a{0}\"\n"
        "/net/vswitch/child[0001]/name = \"vSwitch1\"\n"
        "/net/vswitch/child[0001]/mtu = \"1500\"\n"
        "/net/vswitch/child[0001]/uplinks = \"vmnic2\"\n"
        "/net/vswitch/child[0001]/portgroups = \"storage\"\n"
        "/net/vmkernelnic/child[0001]/name = \"vmk1\"\n"
        "/net/vmkernelnic/child[0001]/mtu = \"1500\"\n"
        "/net/vmkernelnic/child[0001]/portgroup = \"storage\"\n"
        "/net/vmkernelnic/child[0001]/ipv4address = \"10.30.0.{0}\"\n",
        number);
  }
  return lab;
}

// A document as the program reads it.
struct Read {
  FabricSpec spec;
  std::vector<Resource> resources;
  std::string error;  // "" = none
};

Read read(SourceMap& sources, const std::string& name, const std::string& text) {
  LoadedDocument loaded = load_document(sources, {sources.add(name, text)});
  Read read{std::move(loaded.spec), {}, {}};
  for (const Diagnostic& item : loaded.diagnostics.items())
    if (item.severity == Severity::error) read.error += item.message + "\n";
  if (!read.error.empty()) return read;
  for (const PlatformTraits& platform : platforms())
    if (platform.is_managed) read.spec.reached.insert(platform.platform);
  Diagnostics diagnostics;
  read.resources = expand(read.spec, diagnostics);
  return read;
}

// The errors that neither the document nor the table of platforms can foretell: the driver, release
// or stack that a node has, the virtual switches of a host.
bool is_told_by_nodes(const std::set<std::string>& rules) {
  const std::set<std::string_view> known{
      "change-impossible",
      "firmware-psid-mismatch",
      "module-missing",
      "os-mismatch",
      "software-mismatch",
      "virtual-switch-unfit"};
  return std::all_of(
      rules.begin(), rules.end(), [&](const std::string& rule) { return known.contains(rule); });
}

// What is left for a later round is done in one.
void apply_all(
    rehearse::World& world,
    const std::string& what,
    const FabricSpec& spec,
    const MtuStory& story) {
  // What differs at a node that is only observed stays so.
  const bool is_observed = std::any_of(spec.nodes.begin(), spec.nodes.end(), [](const auto& each) {
    return each.second.state.value == NodeState::observe;
  });
  constexpr int kRounds = 5;
  for (int round = 0; round < kRounds; ++round) {
    const rehearse::Round done = world.round({});
    if (done.empty) return;
    const bool by_facts = done.errors && is_told_by_nodes(done.refused_by);
    if (story.facts_refuse && (by_facts || (is_observed && done.idle && !done.errors))) return;
    const bool went_on = done.exit == ExitCode::done ||
                         (done.exit == ExitCode::partly_applied && done.failure.empty());
    if (done.errors || !went_on) {
      world.violation(fmt::format(
          "{} ends with {}: {}",
          what,
          done.errors ? "a plan that is refused" : std::to_string(static_cast<int>(done.exit)),
          done.errors ? fmt::format("{}", fmt::join(done.refused_by, ", ")) : done.failure));
      return;
    }
  }
  world.violation(what + " has no end");
}

}  // namespace

std::vector<MtuStory> mtu_pairs() {
  std::vector<MtuStory> stories;
  const auto add = [&](const std::string& name, const auto& document_of) {
    const auto [low, high] = std::pair{document_of(false), document_of(true)};
    stories.push_back({name + ", raised", low, high});
    stories.push_back({name + ", lowered", high, low});
  };
  for (const End end : kEnds) {
    for (const std::string_view middle : kMiddles) {
      for (const std::string_view other : kMiddles) {
        Fabric fabric{{std::string{middle}, std::string{other}}, {{"storage", end, {1, 2}}}};
        add(fmt::format("{} over {} and {}", name_of(end), middle, other),
            [&](bool after) { return document(fabric, after); });
      }
    }
  }
  // Hosts of both kinds in two networks at one pair of switches.
  for (const std::string_view middle : kMiddles) {
    Fabric fabric{
        {std::string{middle}},
        {{"storage", End::esxi, {1, 2}}, {"lan", End::linux_port, {3, 4}, 1, 5}}};
    add(fmt::format("ESXi and ports over {}", middle),
        [&](bool after) { return document(fabric, after); });
    // One network grows and one shrinks, on the same hosts.
    Fabric both{
        {std::string{middle}},
        {{"storage", End::linux_port, {1, 2}, 1, 1, 1500, 9000},
         {"lan", End::linux_port, {1, 2}, 2, 5, 9000, 1500}}};
    add(fmt::format("ports of two networks over {}", middle),
        [&](bool after) { return document(both, after); });
  }
  constexpr std::uint32_t kLow = 2048, kHigh = 4096;
  for (const int managers : {1, 2}) {
    add(fmt::format("IPoIB under {} managers", managers),
        [&](bool after) { return subnet_document(managers, false, after ? kHigh : kLow); });
  }
  add("IPoIB under the manager of a switch",
      [&](bool after) { return subnet_document(0, true, after ? kHigh : kLow); });
  return stories;
}

MtuStory random_mtus(std::uint64_t seed) {
  Random random{seed};
  constexpr std::array<std::uint32_t, 4> kMtus{1500, 4200, 8000, 9000};
  if (random.chance(20)) {
    const int managers = static_cast<int>(1 + random.below(2));
    const bool at_switch = random.chance(25);
    const std::uint32_t first = pick(random, std::array{1024U, 2048U, 4096U});
    const std::uint32_t then = pick(random, std::array{1024U, 2048U, 4096U});
    return {
        fmt::format("seed {}", seed),
        subnet_document(at_switch ? 0 : managers, at_switch, first),
        subnet_document(at_switch ? 0 : managers, at_switch, then),
        seed};
  }
  Fabric fabric;
  fabric.max_unavailable = 1 + random.below(3);
  for (std::uint64_t i = 0; i <= random.below(3); ++i)
    fabric.switches.emplace_back(pick(random, kMiddles));
  int host = 1;
  const std::uint64_t count = 1 + random.below(2);
  const std::string names[] = {"storage", "lan"};
  for (std::uint64_t i = 0; i < count; ++i) {
    Net net;
    net.name = names[i];
    net.end = pick(random, kEnds);
    net.before = pick(random, kMtus);
    net.after = pick(random, kMtus);
    net.first = static_cast<int>(1 + 10 * i);
    // The same hosts by their other ports, or others.
    const bool same = i > 0 && fabric.nets.front().end == End::linux_port && random.chance(60);
    if (same) {
      net.end = End::linux_port;
      net.adapter_port = 2;
      net.hosts = fabric.nets.front().hosts;
    } else {
      for (std::uint64_t each = 0; each < 1 + random.below(3); ++each)
        net.hosts.push_back(host++);
    }
    // A virtual switch is of one network.
    if (net.end == End::esxi && i > 0 && fabric.nets.front().end == End::esxi)
      net.end = End::linux_port;
    fabric.nets.push_back(net);
  }
  return {fmt::format("seed {}", seed), document(fabric, false), document(fabric, true), seed};
}

std::vector<std::string> play(const MtuStory& story) {
  SourceMap sources;
  Read now = read(sources, "before.yaml", story.before);
  Read then = read(sources, "after.yaml", story.after);
  if (!now.error.empty() || !then.error.empty())
    return {"the document has errors: " + now.error + then.error, story.before, story.after};
  Registry registry;
  providers::add_builtin_providers(registry);
  rehearse::Scene scene{
      now.spec,
      sources,
      now.resources,
      registry,
      providers::simulated_platforms(),
      lab_of(now.spec, story.seed)};
  for (const auto& [name, node] : now.spec.nodes)
    if (node.platform.value != Platform::linux) scene.allow_no_rollback.insert(name);
  rehearse::World world{std::move(scene), story.seed};
  apply_all(world, "the first document", now.spec, story);
  now.spec = std::move(then.spec);
  now.resources = std::move(then.resources);
  world.watch_mtus();
  apply_all(world, "the second document", now.spec, story);
  std::vector<std::string> said = world.violations();
  if (said.empty()) return said;
  said.push_back(story.after);
  for (const rehearse::TraceLine& line : world.trace())
    said.push_back("    " + line.text);
  return said;
}

}  // namespace fabric::simulation
