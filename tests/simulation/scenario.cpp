#include "tests/simulation/scenario.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "engine/base/random.hpp"
#include "engine/model/document/load.hpp"

namespace fabric::simulation {

namespace {

template <class T, std::size_t count>
T pick(Random& random, const std::array<T, count>& choices) {
  return choices[random.below(count)];
}

// A ring in mode chain, a pair with a bond, hosts at one switch, a pair with its subnet managers.
enum class Kind : std::uint8_t { ring, lag, star, infiniband };

// An interface that ifupdown shall configure must have a name before it exists.
struct Shape {
  std::uint64_t nodes = 3;
  bool ifupdown = false;
  Kind kind = Kind::ring;
  bool old_card = false;      // a ConnectX-3, which the firmware tools dropped with 4.26
  bool ethernet_now = false;  // ports that a boot has to make InfiniBand
};

std::string document_of(const Shape& shape, Random& random) {
  const std::string set = fmt::format("n[1-{}]", shape.nodes);
  const bool names = shape.ifupdown || random.chance(30);
  return fmt::format(
      "apiVersion: fabric/v1\n"
      "name: simulated\n"
      "nodes:\n"
      "  \"{0}\":\n"
      "    adapters:\n"
      "      cx5:\n"
      "        model: connectx-5-vpi\n"
      "{1}"
      "networks:\n"
      "  storage:\n"
      "    mode: chain\n"
      "    mtu: {2}\n"
      "    ipv4: {{subnet: 10.30.0.0/24}}\n"
      "    cables: [{{ring: [\"{0}\"]}}]\n"
      "rollout: {{max_unavailable: {3}, max_failures: {4}}}\n",
      set,
      names ? "        names: {1: eth40a, 2: eth40b}\n" : "",
      pick(random, std::array{1500, 8000, 9000}),
      random.chance(60) ? 1 : 2 + random.below(2),
      random.chance(70) ? 0 : 1);
}

// Nothing of the ring's draws is used, so that the seeds of rings keep their stories.
std::string pair_document(const Shape& shape, Random& random) {
  constexpr std::array kPolicies{
      "active-backup", "balance-xor", "802.3ad", "balance-rr", "balance-tlb", "broadcast"};
  const std::string policy = pick(random, kPolicies);
  const bool vlan = random.chance(40);
  const std::string mtu = fmt::format("{}", pick(random, std::array{1500, 4200, 9000}));
  return fmt::format(
      "apiVersion: fabric/v1\n"
      "name: simulated\n"
      "nodes:\n"
      "  \"n[1-2]\":\n"
      "    adapters:\n"
      "      cx5:\n"
      "        model: connectx-5-vpi\n"
      "{0}"
      "networks:\n"
      "  direct:\n"
      "    mode: lag\n"
      "    mtu: {1}\n"
      "    ipv4: {{subnet: 10.30.0.0/24}}\n"
      "    lag: {{bond: bond0, policy: {2}{3}{4}}}\n"
      "{5}"
      "    cables: [[n1/1, n2/1], [n1/2, n2/2]]\n"
      "rollout: {{max_unavailable: {6}, max_failures: {7}}}\n",
      shape.ifupdown || random.chance(30) ? "        names: {1: eth40a, 2: eth40b}\n" : "",
      mtu,
      policy,
      random.chance(40) ? ", miimon: 50, updelay: 100" : "",
      policy == "802.3ad" ? ", lacp_rate: fast" : "",
      vlan ? "    vlans: {backup: {id: 100, ipv4: {subnet: 10.40.0.0/24}}}\n" : "",
      1 + random.below(2),
      random.chance(70) ? 0 : 1);
}

// Plain Ethernet at a switch that nobody logs in to; often by racks.
std::string star_document(const Shape& shape, Random& random) {
  const bool racks = random.chance(60);
  const std::uint64_t count = 1 + random.below(3);  // of racks
  std::string text = "apiVersion: fabric/v1\nname: simulated\nnodes:\n";
  for (std::uint64_t node = 1; node <= shape.nodes; ++node) {
    text += fmt::format(
        "  n{}: {{labels: {{rack: r{}}}, adapters: {{cx5: {{model: connectx-5-vpi{}}}}}}}\n",
        node,
        1 + node % count,
        shape.ifupdown ? ", names: {1: eth40a, 2: eth40b}" : "");
  }
  return text + fmt::format(
                    "  leaf: {{platform: unmanaged}}\n"
                    "networks:\n"
                    "  lan:\n"
                    "    mode: ethernet\n"
                    "    mtu: {0}\n"
                    "    ipv4: {{subnet: 10.30.0.0/24}}\n"
                    "    cables: [[\"n[1-{1}]/1\", \"leaf/[1-{1}]\"]]\n"
                    "rollout: {{max_unavailable: {2}, max_failures: {3}{4}}}\n",
                    pick(random, std::array{1500, 4200, 9000}),
                    shape.nodes,
                    1 + random.below(2),
                    random.chance(70) ? 0 : 1,
                    racks ? ", per: rack" : "");
}

// Two hosts back to back, a subnet manager on one or both, IPoIB or none.
std::string subnet_document(const Shape& shape, Random& random) {
  const bool both = random.chance(75);
  const std::string ipoib =
      shape.old_card ? "    ipoib: {mode: connected, mtu: 65520, ipv4: {subnet: 10.30.0.0/24}}\n"
      : random.chance(60) ? "    ipoib: {mode: datagram, mtu: 4092, ipv4: {subnet: 10.30.0.0/24}}\n"
                          : "";
  return fmt::format(
      "apiVersion: fabric/v1\n"
      "name: simulated\n"
      "nodes:\n"
      "  \"n[1-2]\": {{packages: [opensm, infiniband-diags], adapters: {{hca: {{model: {}}}}}}}\n"
      "networks:\n"
      "  direct:\n"
      "    mode: infiniband\n"
      "    mtu: 4096\n"
      "    cables: [[n1/1, n2/1]]\n"
      "    subnet_managers: [{{node: n1, priority: 10}}{}]\n"
      "{}"
      "rollout: {{max_unavailable: {}, max_failures: {}}}\n",
      shape.old_card ? "connectx-3" : "connectx-5-vpi",
      both ? ", {node: n2, priority: 5}" : "",
      ipoib,
      1 + random.below(2),
      random.chance(70) ? 0 : 1);
}

constexpr std::array kParameters{"LINK_TYPE_P1", "LINK_TYPE_P2", "HOST_CHAINING_MODE"};

lab::LabAdapter adapter_of(const Shape& shape, Random& random) {
  lab::LabAdapter adapter;
  // An IPoIB interface can't be configured by networkd before it is there, so its port is one.
  if (shape.kind == Kind::infiniband) {
    if (shape.ethernet_now) adapter.settings = {{"LINK_TYPE_P1", "2"}};
    return adapter;
  }
  if (random.chance(25)) {
    adapter.settings = {{"LINK_TYPE_P1", "2"}, {"LINK_TYPE_P2", "2"}, {"HOST_CHAINING_MODE", "1"}};
  }
  // Somebody armed something: what we want, or its opposite.
  if (random.chance(25)) {
    const std::string parameter = pick(random, kParameters);
    const bool chaining = parameter == "HOST_CHAINING_MODE";
    const bool wanted = random.chance(50);
    adapter.next_boot[parameter] = chaining ? (wanted ? "1" : "0") : (wanted ? "2" : "1");
  }
  return adapter;
}

lab::LabHost host_of(const Shape& shape, Random& random, rehearse::CutOffDraws& cuts) {
  lab::LabHost host;
  host.adapters[shape.kind == Kind::infiniband ? "hca" : "cx5"] = adapter_of(shape, random);
  if (shape.ifupdown) host.backend = "ifupdown";
  const bool lag = shape.kind == Kind::lag;
  if (shape.ifupdown && lag) host.files["/etc/network/if-pre-up.d/ifenslave"] = "#!/bin/sh\n";
  if (shape.ifupdown && lag) host.files["/etc/network/if-post-down.d/ifenslave"] = "#!/bin/sh\n";
  host.tool = random.chance(50) ? "mstconfig" : "mlxconfig";
  host.tool_version = pick(random, std::array{"4.11", "4.21", "4.26", "4.36"});
  if (shape.old_card) host.tool_version = pick(random, std::array{"4.11", "4.21"});
  rehearse::HostFaults faults = rehearse::draw_host_faults(random);
  cuts.draw(faults);
  host.boot_time = faults.boot_time;
  host.fault = faults.fault;
  host.fault_after = faults.fault_after;
  return host;
}

}  // namespace

Scenario make_scenario(std::uint64_t seed) {
  Random random{seed};
  Scenario scenario;
  // Small rings more often: they tell most of the stories in a fraction of the time.
  Shape shape{3 + std::min(random.below(6), random.below(6)), random.chance(30)};
  constexpr std::uint64_t kPairs = 0x6c61'6700'0000'0000;
  Random pairs{seed ^ kPairs};
  if (pairs.chance(25)) shape.kind = Kind::lag;
  // Each kind draws for itself, so that the seeds of the others keep their stories.
  constexpr std::uint64_t kKinds = 0x6b69'6e64'0000'0000;
  Random kinds{seed ^ kKinds};
  if (kinds.chance(20)) shape.kind = Kind::star;
  if (kinds.chance(20)) shape.kind = Kind::infiniband;
  if (shape.kind == Kind::infiniband) {
    shape.ifupdown = false;
    shape.old_card = kinds.chance(40);
  }
  scenario.document = shape.kind == Kind::lag          ? pair_document(shape, pairs)
                      : shape.kind == Kind::star       ? star_document(shape, kinds)
                      : shape.kind == Kind::infiniband ? subnet_document(shape, kinds)
                                                       : document_of(shape, random);
  constexpr std::uint64_t kTypes = 0x7479'7065'0000'0000;
  Random types{seed ^ kTypes};
  const bool is_ipoib = scenario.document.find("ipoib") != std::string::npos;
  shape.ethernet_now = shape.kind == Kind::infiniband && !is_ipoib && types.chance(50);
  constexpr std::uint64_t kHooks = 0x686f'6f6b'0000'0000;
  Random hooks{seed ^ kHooks};
  if (hooks.chance(30)) {
    scenario.document += "hooks: {before_disruption: drain, after_disruption: undrain}\n";
    if (hooks.chance(30))
      scenario.faults.failing_hook = static_cast<std::uint32_t>(1 + hooks.below(6));
  }
  const FileId file = scenario.sources.add("fabric.yaml", scenario.document);
  LoadedDocument loaded = load_document(scenario.sources, {file});
  if (loaded.diagnostics.has_errors()) {
    std::fprintf(
        stderr,
        "seed %llu: the document has errors\n%s",
        static_cast<unsigned long long>(seed),
        scenario.document.c_str());
    for (const Diagnostic& item : loaded.diagnostics.items())
      std::fprintf(stderr, "%s\n", item.message.c_str());
    std::exit(2);
  }
  scenario.spec = std::move(loaded.spec);
  scenario.lab.seed = seed;
  rehearse::CutOffDraws cuts{seed};
  for (const auto& [name, node] : scenario.spec.nodes) {
    if (node.platform.value == Platform::unmanaged) continue;
    scenario.lab.hosts[name.str()] = host_of(shape, random, cuts);
  }
  const std::uint32_t failing_hook = scenario.faults.failing_hook;
  scenario.faults = rehearse::draw_run_faults(random);
  scenario.faults.failing_hook = failing_hook;
  scenario.lab.fault_percent = scenario.faults.fault_percent;
  constexpr std::uint64_t kKills = 0x6b69'6c6c'0000'0000;
  Random kills{seed ^ kKills};
  if (kills.chance(15)) scenario.faults.killed_at = static_cast<std::uint32_t>(1 + kills.below(60));
  constexpr std::uint64_t kStrangers = 0x6865'7265'0000'0000;
  Random strangers{seed ^ kStrangers};
  if (strangers.chance(6))
    scenario.faults.stranger_after = static_cast<std::uint32_t>(1 + strangers.below(20));
  constexpr std::uint64_t kMeddlers = 0x6d65'6464'0000'0000;
  Random meddlers{seed ^ kMeddlers};
  if (meddlers.chance(10))
    scenario.faults.meddle_after = static_cast<std::uint32_t>(1 + meddlers.below(20));
  return scenario;
}

}  // namespace fabric::simulation
