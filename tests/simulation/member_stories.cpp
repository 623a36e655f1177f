// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/member_stories.hpp"

#include <fmt/format.h>

#include "engine/model/document/load.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/rehearse/world.hpp"
#include "providers/builtin.hpp"
#include "providers/simulated/simulated_platforms.hpp"

namespace fabric::simulation {

namespace {

// `more`: a change of priority, and a partition that is new and names the one that may be off.
std::string document(std::uint64_t hosts, bool more) {
  return fmt::format(
      "apiVersion: fabric/v1\nname: members\nnodes:\n"
      "  \"n[1-{0}]\": {{network_backend: networkd, packages: [opensm, infiniband-diags], "
      "adapters: {{hca: {{model: connectx-6, ports: 1}}}}}}\n"
      "  sw1: {{platform: unmanaged}}\n"
      "networks:\n  ib:\n    mode: infiniband\n    mtu: 4096\n"
      "    cables: [[\"n[1-{0}]/1\", \"sw1/[1-{0}]\"]]\n"
      "    subnet_managers: [{{node: n1, priority: 15}}, {{node: n2, priority: {1}}}]\n"
      "    partitions:\n      store: {{pkey: 5, members: {{\"n[1-{0}]\": full}}}}\n{2}",
      hosts,
      more ? 13 : 14,
      more ? fmt::format("      more: {{pkey: 6, members: {{n1: full, n{}: full}}}}\n", hosts)
           : "");
}

struct Told {
  FabricSpec spec;
  std::vector<Resource> resources;
};

Told read(SourceMap& sources, const std::string& text, const NodeName& last, bool off) {
  LoadedDocument loaded = load_document(sources, {sources.add("fabric.yaml", text)});
  Told told{std::move(loaded.spec), {}};
  told.spec.reached = {Platform::linux};
  if (off) told.spec.nodes.at(last).state.value = NodeState::offline;
  Diagnostics diagnostics;
  told.resources = expand(told.spec, diagnostics);
  return told;
}

class Members {
 public:
  Members(std::uint64_t hosts, bool off)
      : hosts_{hosts},
        last_{*NodeName::parse(fmt::format("n{}", hosts))},
        told_{read(sources_, document(hosts, false), last_, off)} {
    providers::add_builtin_providers(registry_);
    lab::LabSpec lab;
    lab.seed = 1;
    world_.emplace(
        rehearse::Scene{
            told_.spec,
            sources_,
            told_.resources,
            registry_,
            providers::simulated_platforms(),
            std::move(lab)},
        1);
  }

  void want(bool more, bool off) {
    Told told = read(sources_, document(hosts_, more), last_, off);
    told_.spec = std::move(told.spec);
    told_.resources = std::move(told.resources);
    world_->clear_faults();  // which nodes are asked is looked up anew
  }
  void apply(const std::string& what) {
    const rehearse::Round round = world_->round({});
    if (round.empty || round.errors || round.exit != ExitCode::done)
      world_->violation(fmt::format(
          "{}: {}",
          what,
          round.empty ? "nothing is planned"
                      : fmt::format("exit {} {}", static_cast<int>(round.exit), round.failure)));
    expect_nothing(what + ", applied");
  }
  void expect_nothing(const std::string& what) {
    if (!world_->round({}).empty) world_->violation(what + ": the plan is not empty");
  }
  std::vector<std::string> said() const {
    std::vector<std::string> said = world_->violations();
    if (said.empty()) return said;
    for (const rehearse::TraceLine& line : world_->trace())
      said.push_back("    " + line.text);
    return said;
  }

 private:
  std::uint64_t hosts_;
  NodeName last_;
  SourceMap sources_;
  Registry registry_;
  Told told_;
  std::optional<rehearse::World> world_;
};

}  // namespace

std::vector<std::string> play_members(std::uint64_t hosts) {
  // One that managers have noted stays in its partitions, and comes into new ones.
  Members noted{hosts, false};
  noted.apply("all hosts");
  noted.want(false, true);
  noted.expect_nothing("one host is off");
  noted.want(true, true);
  noted.apply("another priority and partition while one host is off");
  noted.want(true, false);
  noted.expect_nothing("the host is back");
  if (std::vector<std::string> said = noted.said(); !said.empty()) return said;
  // One that nobody has ever seen costs itself, and is joined when it comes.
  Members unseen{hosts, true};
  unseen.apply("all hosts but one");
  unseen.want(true, true);
  unseen.apply("another priority and partition while one host is off");
  unseen.want(true, false);
  unseen.apply("the host comes for the first time");
  return unseen.said();
}

}  // namespace fabric::simulation
