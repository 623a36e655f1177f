// SPDX-License-Identifier: Apache-2.0
// A plan of nodes that are drained, rebooted and given back, and its progress.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/execute/progress.hpp"
#include "engine/provider/action_methods.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"

namespace fabric::test {

using Ids = std::vector<std::string>;

// Waves of nodes, one after the other. On each node: a0 drains, a1 reboots, a2 is its end.
struct Drained {
  plans::Plan plan;
  std::unique_ptr<execute::Progress> progress;

  explicit Drained(const std::vector<Ids>& waves, execute::ProgressLimits limits = {}) {
    for (const Ids& names : waves) {
      plans::Wave wave;
      wave.number = static_cast<std::uint32_t>(plan.waves.size()) + 1;
      for (const std::string& name : names) {
        wave.nodes.push_back(node(name));
        for (int i = 0; i < 3; ++i) {
          plans::Action action{
              .id = name + std::to_string(i), .node = node(name), .wave = wave.number};
          if (i == 0) action.draft.kind = methods::kHookBefore;
          if (i == 1) action.needs = {name + "0"};
          if (i == 1) action.draft.disruption = Disruption::reboot;
          if (i == 2) action.draft.kind = methods::kHookAfter;
          if (i == 2) action.after = {name + "0", name + "1"};
          if (i == 2) action.closes = name + "0";
          plan.actions.push_back(action);
        }
      }
      plan.waves.push_back(wave);
    }
    progress = std::make_unique<execute::Progress>(plan, limits);
  }

  Ids start() {
    Ids ids;
    for (const plans::Action* action : progress->start_ready())
      ids.push_back(action->id);
    return ids;
  }
  void end(const std::string& id, execute::ActionState state = execute::ActionState::done) {
    execute::ActionResult result;
    result.id = id;
    result.state = state;
    progress->finish(result);
  }
  void put_off(const std::string& id) { progress->put_off(*plan.find_action(id)); }
  // All that is left of these nodes, each as soon as it may start.
  void finish(const Ids& nodes) {
    for (const std::string& name : nodes) {
      end(name + "0");
      CHECK(start() == Ids{name + "1"});
      end(name + "1");
      CHECK(start() == Ids{name + "2"});
      end(name + "2");
    }
  }
};

}  // namespace fabric::test
