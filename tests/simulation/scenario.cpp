// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/scenario.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "engine/base/random.hpp"
#include "engine/model/document/load.hpp"
#include "engine/model/statement_pattern.hpp"

#include "tests/simulation/documents.hpp"

namespace fabric::simulation {

namespace {

lab::LabHost esxi_host(const Shape& shape, Random& random) {
  lab::LabHost host;
  host.tool = "mlxconfig";
  host.tool_version = pick(random, std::array{"4.26", "4.36"});
  std::string configuration = fmt::format(
      "/system/uuid = \"{:08x}-7a30-4b6c-9d41-{:012x}\"\n",
      random.below(1U << 31U),
      random.below(1U << 31U));
  if (random.chance(50)) {
    configuration +=
        "/vmkernel/module/nmlx5_core.so/options = \"RSS=4 max_vfs=3,7 pfctx=0x10 DRSS=4\"\n";
  }
  if (random.chance(20)) configuration += "/system/maintenance = \"true\"\n";
  if (shape.hidden_card && random.chance(70))
    configuration += "/device/0000:01:00.0/unseen = \"true\"\n";
  host.files["/etc/vmware/esx.conf"] = configuration;
  lab::LabAdapter& adapter = host.adapters["cx7"];
  if (random.chance(40)) adapter.settings = {{"SRIOV_EN", "1"}, {"NUM_OF_VFS", "16"}};
  if (random.chance(20)) adapter.next_boot = {{"SRIOV_EN", random.chance(50) ? "1" : "0"}};
  const rehearse::HostFaults faults = rehearse::draw_host_faults(random);
  host.boot_time = faults.boot_time;
  host.fault = faults.fault;
  host.fault_after = faults.fault_after;
  return host;
}

lab::LabHost switch_host(Random& random) {
  lab::LabHost host;
  const rehearse::HostFaults faults = rehearse::draw_host_faults(random);
  host.boot_time = faults.boot_time;
  host.fault = faults.fault;
  host.fault_after = faults.fault_after;
  return host;
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

lab::LabHost host_of(
    const Shape& shape, Random& random, rehearse::CutOffDraws& cuts, rehearse::ClockDraws& clocks) {
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
  clocks.draw(faults);
  host.boot_time = faults.boot_time;
  host.clocks = faults.clocks;
  host.fault = faults.fault;
  host.fault_after = faults.fault_after;
  return host;
}

void draw_guards(std::uint64_t seed, Scenario& scenario) {
  constexpr std::uint64_t kGuards = 0x6775'6172'6400'0000;
  Random random{seed ^ kGuards};
  std::vector<NodeName> nodes;
  for (const auto& [name, node] : scenario.spec.nodes) {
    if (node.platform.value != Platform::unmanaged) nodes.push_back(name);
  }
  const auto runs_fabric = [&](const NodeName& name) {
    return !is_switch(scenario.spec.nodes.at(name).platform.value);
  };
  if (random.chance(25)) {
    const std::uint64_t count = 1 + (nodes.size() > 4 ? random.below(2) : 0);
    for (std::uint64_t i = 0; i < count; ++i)
      scenario.dead.insert(nodes[random.below(nodes.size())]);
    for (const NodeName& name : scenario.dead) {
      lab::LabHost& host = scenario.lab.hosts[name.str()];
      host.fault = lab::Fault::refused;
      host.fault_after = 0;
      if (random.chance(70)) scenario.spec.nodes.at(name).state.value = NodeState::offline;
    }
  }
  if (random.chance(20)) {
    for (const NodeName& name : nodes) {
      if (random.chance(60)) scenario.limit.push_back(name);
    }
  }
  if (random.chance(15)) {
    const NodeName& own = nodes[random.below(nodes.size())];
    if (!runs_fabric(own)) return;
    scenario.own.machine_id = fmt::format("{:016x}{:016x}", random.next(), random.next());
    scenario.lab.hosts[own.str()].files["/etc/machine-id"] = scenario.own.machine_id + "\n";
  }
}

// One file for both ports and a third interface, or one for each, as the back end has it.
std::map<std::string, std::string> foreign_files(const Shape& shape, std::size_t node) {
  const std::string first = "eth40a", second = "eth40b";
  std::map<std::string, std::string> files;
  if (shape.ifupdown) {
    files["/etc/network/interfaces.d/theirs"] = fmt::format(
        "# by hand\niface eno9 inet manual\n    mtu 1400\n\nauto {0}\niface {0} inet static\n"
        "    address 10.98.0.{2}/24\n\niface {1} inet static\n    address 10.99.0.{2}/24\n\n"
        "iface eno8 inet manual\n    mtu 1300",
        first,
        second,
        node);
    return files;
  }
  for (const std::string& name : {first, second}) {
    files[fmt::format("/etc/systemd/network/05-{}.network", name)] = fmt::format(
        "[Match]\nName={}\n\n[Network]\nAddress=10.{}.0.{}/24\n",
        name,
        name == first ? 98 : 99,
        node);
  }
  return files;
}

void draw_foreign(std::uint64_t seed, const Shape& shape, Scenario& scenario) {
  constexpr std::uint64_t kForeign = 0x666f'7265'6967'6e00;
  Random random{seed ^ kForeign};
  const bool has_foreign = random.chance(40);
  if (random.chance(has_foreign ? 70 : 15)) scenario.faults.edit = rehearse::draw_edit(random);
  // Whose interface has no name yet is nobody's.
  const bool names = scenario.document.find("names:") != std::string::npos;
  if (!has_foreign || !names || shape.kind == Kind::infiniband || shape.kind == Kind::esxi) return;
  std::size_t number = 0;
  for (auto& [name, node] : scenario.spec.nodes) {
    ++number;
    if (node.platform.value == Platform::unmanaged) continue;
    node.adopt.value = true;
    node.adopt_drops = {{kEveryStatement, {}}};
    for (const auto& [path, content] : foreign_files(shape, number)) {
      scenario.lab.hosts[name.str()].files[path] = content;
      scenario.foreign.emplace_back(name, path);
    }
  }
}

}  // namespace

Scenario make_scenario(std::uint64_t seed, bool guards) {
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
  constexpr std::uint64_t kEsxi = 0x6573'7869'0000'0000;
  Random esxi{seed ^ kEsxi};
  if (esxi.chance(6)) {
    shape = Shape{.nodes = 1 + esxi.below(3), .kind = Kind::esxi};
    shape.hidden_card = esxi.chance(30);
  }
  constexpr std::uint64_t kLeaves = 0x6c65'6166'0000'0000;
  Random leaves{seed ^ kLeaves};
  if (leaves.chance(8)) shape = Shape{.nodes = 1 + leaves.below(3), .kind = Kind::leaf};
  constexpr std::uint64_t kOnyx = 0x6f6e'7978'0000'0000;
  Random onyx{seed ^ kOnyx};
  scenario.document = shape.kind == Kind::esxi         ? esxi_document(shape, esxi)
                      : shape.kind == Kind::leaf       ? leaf_document(shape, leaves, onyx)
                      : shape.kind == Kind::lag        ? pair_document(shape, pairs)
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
    if (hooks.chance(40))
      scenario.faults.busy_hook = static_cast<std::uint32_t>(2 + hooks.below(3));
    constexpr std::string_view kRollout = "rollout: {";
    const std::size_t rollout = scenario.document.find(kRollout);
    if (hooks.chance(20) && rollout != std::string::npos)
      scenario.document.insert(rollout + kRollout.size(), "patience: 2m, ");
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
  scenario.spec.reached = {Platform::linux, Platform::esxi, Platform::cumulus, Platform::mlnx_os};
  for (const auto& [name, node] : scenario.spec.nodes) {
    if (node.platform.value == Platform::mlnx_os) scenario.allow_no_rollback.insert(name);
  }
  scenario.lab.seed = seed;
  rehearse::CutOffDraws cuts{seed};
  rehearse::ClockDraws clocks{seed};
  for (const auto& [name, node] : scenario.spec.nodes) {
    if (node.platform.value == Platform::unmanaged) continue;
    scenario.lab.hosts[name.str()] = shape.kind == Kind::esxi ? esxi_host(shape, esxi)
                                     : is_switch(node.platform.value)
                                         ? switch_host(leaves)
                                         : host_of(shape, random, cuts, clocks);
  }
  const rehearse::RunFaults hook_faults = scenario.faults;
  scenario.faults = rehearse::draw_run_faults(random);
  scenario.faults.failing_hook = hook_faults.failing_hook;
  scenario.faults.busy_hook = hook_faults.busy_hook;
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
  constexpr std::uint64_t kStalls = 0x7374'616c'6c73'0000;
  Random stalls{seed ^ kStalls};
  // Nothing keeps a second run away from an ESXi host or a switch (no-node-lock), and so nothing
  // holds of two.
  if (shape.kind != Kind::esxi && shape.kind != Kind::leaf)
    scenario.faults.stall = rehearse::draw_stall(stalls);
  if (guards) draw_guards(seed, scenario);
  if (guards) draw_foreign(seed, shape, scenario);
  return scenario;
}

}  // namespace fabric::simulation
