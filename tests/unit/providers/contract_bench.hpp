// SPDX-License-Identifier: Apache-2.0
// A lab of a document, seen through discovery and changed through the steps of providers only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/discovery/discover.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/lab/lab.hpp"
#include "engine/lab/lab_spec.hpp"
#include "engine/lab/runner.hpp"
#include "engine/model/document/load.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/provider/registry.hpp"
#include "engine/remote/runner.hpp"
#include "engine/value/digest.hpp"
#include "providers/builtin.hpp"
#include "providers/linux/machine/linux_platform.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/simulated_lab.hpp"
#include "tests/unit/providers/contract_realities.hpp"
#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers::test {

class Bench {
 public:
  explicit Bench(const Reality& reality) : spec_{read(reality.document)} {
    add_builtin_providers(registry_);
    Diagnostics diagnostics;
    resources_ = expand(spec_, diagnostics);
    REQUIRE_FALSE(diagnostics.has_errors());
    std::erase_if(resources_, [](const Resource& each) { return each.check_only; });
    lab::LabSpec lab;
    for (const auto& [name, node] : spec_.nodes)
      lab.hosts[name.str()] = reality.host;
    lab_ = std::make_unique<lab::Lab>(spec_, fabric::test::simulated(lab));
    runner_ = std::make_unique<lab::Runner>(
        *lab_, [](const std::string&) -> Result<std::string> { return std::string{kImage}; });
    for (Resource& resource : resources_) {
      if (!resource.binding.contains("image")) continue;
      resource.binding["image"] =
          Map{{"source", "image.bin"},
              {"sha256", sha256(std::string_view{kImage}).substr(7)},
              {"bytes", static_cast<std::int64_t>(std::string_view{kImage}.size())}};
    }
  }

  lab::Lab& lab() { return *lab_; }

  discovery::Snapshot look() { return look(lab_->nodes(), registry_.probes(Platform::linux)); }

  discovery::Snapshot look(const std::vector<NodeName>& nodes, const std::vector<Probe>& probes) {
    const discovery::DiscoverOptions options;
    platform::NodePlatforms platforms;
    for (const NodeName& node : nodes)
      platforms.emplace(node, &platform::linux_platform());
    const auto facts =
        discovery::discover(platforms, {{Platform::linux, probes}}, *runner_, random_, options);
    for (const NodeFacts& node : facts) {
      INFO(node.node.str() << ": " << (node.failure ? node.failure->message : ""));
      REQUIRE(node.reachable());
      for (const auto& [id, output] : node.probes) {
        INFO(id << " said: " << output.standard_error);
        CHECK(output.exit_status == 0);
      }
    }
    Diagnostics diagnostics;
    std::vector<Resource> wanted = resources_;
    std::erase_if(
        wanted, [&](const Resource& each) { return !is_read(each.address, nodes, probes); });
    discovery::Snapshot snapshot = discovery::observe(wanted, facts, registry_, diagnostics);
    for (const Diagnostic& each : diagnostics.items())
      INFO(each.rule << ": " << each.message);
    for (const Diagnostic& each : diagnostics.items())
      FAIL_CHECK(each.rule << ": " << each.message);
    return snapshot;
  }

  std::vector<Change> changes(const discovery::Snapshot& snapshot) const {
    std::vector<Change> changes;
    for (const Resource& resource : resources_) {
      const Observation* observation = snapshot.find(resource.address);
      REQUIRE(observation != nullptr);
      Change change = change_of(
          *registry_.find(Platform::linux, resource.address.kind),
          snapshot.nodes.at(resource.address.node).facts,
          resource,
          *observation);
      if (!change.attributes.empty()) changes.push_back(std::move(change));
    }
    return changes;
  }

  const Provider& provider(const Resource& resource) const { return *registry_.find(resource); }

  // Everything that the providers want done of `changes`, in an order that their kinds allow.
  std::size_t perform(
      const std::vector<Change>& changes,
      const discovery::Snapshot& snapshot,
      bool reboot_planned) {
    std::size_t actions = 0;
    for (const char* kind :
         {"package",
          "module",
          "adapter",
          "firmware",
          "settings",
          "link_name",
          "sysctl",
          "tuning",
          "interface",
          "qos"}) {
      for (const Change& change : changes) {
        const ResourceAddress& address = change.resource.address;
        if (address.kind != kind) continue;
        const NodeFacts& facts = snapshot.nodes.at(address.node).facts;
        const WorkContext context{facts, *snapshot.find(address), reboot_planned};
        const auto work = registry_.find(Platform::linux, kind)->work(change, context);
        INFO(address.str() << (work ? "" : ": " + work.error().message));
        REQUIRE(work);
        for (const ActionDraft& draft : work->actions)
          perform(address, draft);
        actions += work->actions.size();
      }
    }
    return actions;
  }

  void reboot_all() {
    for (const NodeName& node : lab_->nodes())
      run(node, remote::step::Run{{{"systemctl", "reboot"}, ""}, false});
    for (const NodeName& node : lab_->nodes()) {
      run(node, remote::step::Pause{Duration{60'000}});
      REQUIRE(lab_->accepts_connections(node));
    }
  }

  remote::StepResult run(const NodeName& node, remote::Step step) {
    runner_->start({++ticket_, node, std::move(step)});
    for (;;) {
      if (auto result = runner_->wait_any(Duration{1'000'000})) return *std::move(result);
    }
  }

  // Some back ends find a file by the name of its interface: that it is ours is said in it.
  bool is_marked(const NodeName& node, const std::string& path) {
    const remote::Argv argv{"grep", "-q", "^# managed by fabric: ", path};
    return run(node, remote::step::Run{{argv, ""}, false}).output.exit_status == 0;
  }

  void shell(const NodeName& node, const std::string& line) {
    const auto result = run(node, remote::step::Run{{{"sh", "-c", line}, ""}, false});
    INFO(line << ": " << result.output.standard_output << result.output.standard_error);
    REQUIRE(result.output.exit_status == 0);
  }

 private:
  static FabricSpec read(const std::string& text) {
    SourceMap sources;
    const FileId file = sources.add("document.yaml", text);
    LoadedDocument loaded = load_document(sources, {file});
    for (const Diagnostic& each : loaded.diagnostics.items())
      UNSCOPED_INFO(each.message);
    REQUIRE_FALSE(loaded.diagnostics.has_errors());
    loaded.spec.reached = {Platform::linux};
    return std::move(loaded.spec);
  }

  // The probes that the resource's provider reads ran on its node.
  bool is_read(
      const ResourceAddress& address,
      const std::vector<NodeName>& nodes,
      const std::vector<Probe>& probes) const {
    const auto ran = [&probes](const Probe& needed) {
      return std::any_of(
          probes.begin(), probes.end(), [&](const Probe& probe) { return probe.id == needed.id; });
    };
    const std::vector<Probe> needed = registry_.find(Platform::linux, address.kind)->probes();
    return std::find(nodes.begin(), nodes.end(), address.node) != nodes.end() &&
           std::all_of(needed.begin(), needed.end(), ran);
  }

  void perform(const ResourceAddress& address, const ActionDraft& draft) {
    INFO(address.str() << ": " << draft.title);
    check_conditions(draft.preconditions, true);
    for (const auto& file : draft.steps.writes())
      check(address.node, file);
    for (const auto& copy : draft.steps.copies())
      check(address.node, copy);
    for (const std::string& path : draft.steps.removes())
      check(address.node, remote::step::RemoveFile{path});
    for (const remote::Argv& argv : draft.steps.commands()) {
      check(address.node, remote::step::Run{{argv, "", draft.timeout}, false});
    }
    REQUIRE_FALSE(draft.postconditions.empty());
    check_conditions(draft.postconditions, true);
  }

  void check(const NodeName& node, const remote::Step& step) {
    const auto result = run(node, step);
    INFO(result.error.message << result.output.standard_output << result.output.standard_error);
    CHECK(result.outcome == remote::Outcome::succeeded);
    CHECK(result.output.exit_status == 0);
  }

  void check_conditions(const std::vector<Condition>& conditions, bool hold) {
    if (conditions.empty()) return;
    const ResourceAddress& one = conditions.front().address;
    const discovery::Snapshot now = look({one.node}, registry_.probes(Platform::linux, {one.kind}));
    for (const Condition& condition : conditions) {
      const Observation* observation = now.find(condition.address);
      REQUIRE(observation != nullptr);
      const auto& reading = observation->attributes.at(condition.attribute).layer(condition.layer);
      INFO(
          condition.attribute << " is " << (reading ? reading->text() : "-") << ", wanted "
                              << to_text(condition.equals));
      REQUIRE(reading.has_value());
      CHECK(
          (condition.equals.is_null() ? reading->is_absent() : reading->equals(condition.equals)) ==
          hold);
    }
  }

  FabricSpec spec_;
  Registry registry_;
  std::vector<Resource> resources_;
  std::unique_ptr<lab::Lab> lab_;
  std::unique_ptr<lab::Runner> runner_;
  Random random_{1};
  remote::Ticket ticket_ = 0;
};

}  // namespace fabric::providers::test
