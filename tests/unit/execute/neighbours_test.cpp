// SPDX-License-Identifier: Apache-2.0
// Random plans of nodes that are kept apart from each other, some of which are not ready.
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "engine/base/random.hpp"
#include "engine/execute/progress.hpp"
#include "engine/provider/action_methods.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/execute/drained.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::Drained;
using fabric::test::Ids;

namespace {

// Nodes in waves of their own, some of them kept apart by a mutex as neighbours are, and some that
// need what is done to another one.
struct Neighbours {
  std::vector<std::set<std::size_t>> apart, needed;  // by node; of those before it
  Drained run;

  static Drained one_a_wave(std::size_t count) {
    std::vector<Ids> waves;
    for (std::size_t i = 0; i < count; ++i)
      waves.push_back({std::string(1, static_cast<char>('a' + i))});
    return Drained{waves};
  }

  explicit Neighbours(Random& random)
      : apart(3 + random.below(5)), needed(apart.size()), run{one_a_wave(apart.size())} {
    for (std::size_t later = 0; later < apart.size(); ++later) {
      for (std::size_t before = 0; before < later; ++before) {
        if (random.below(2) == 0) {
          apart[later].insert(before);
        } else if (random.below(6) == 0) {
          needed[later].insert(before);
        }
      }
    }
    for (plans::Action& action : run.plan.actions)
      join(action);
    ProgressLimits limits;
    limits.on_error = OnError::go_on;
    run.progress = std::make_unique<Progress>(run.plan, limits);
  }

  static std::size_t index(const NodeName& name) {
    return static_cast<std::size_t>(name.str().front() - 'a');
  }
  static bool disturbs(const plans::Action& action) {
    return action.draft.disruption == Disruption::reboot;
  }
  bool are_apart(std::size_t one, std::size_t other) const {
    return apart[std::max(one, other)].contains(std::min(one, other));
  }

 private:
  void join(plans::Action& action) const {
    if (action.draft.kind == methods::kHookAfter) return;
    const std::size_t self = index(action.node);
    for (std::size_t other = 0; other < apart.size(); ++other) {
      if (other == self) continue;
      if (disturbs(action) && are_apart(self, other))
        action.mutex.push_back(
            fmt::format("pair:{}-{}", std::min(self, other), std::max(self, other)));
      if (apart[self].contains(other) || needed[self].contains(other))
        action.needs.push_back(fmt::format("{}1", static_cast<char>('a' + other)));
    }
  }
};

}  // namespace

TEST_CASE("neighbours that are put off in any order stay apart, and all of them end", "[execute]") {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    INFO("seed " << seed);
    Random random{seed};
    Neighbours fabric{random};
    Drained& run = fabric.run;
    const bool with_failures = random.below(3) == 0;
    std::map<std::string, ActionState> ended;
    std::set<std::string> running;
    for (std::size_t put_off = 0;;) {
      for (const std::string& id : run.start()) {
        running.insert(id);
        const plans::Action& action = *run.plan.find_action(id);
        const std::size_t self = Neighbours::index(action.node);
        for (const std::size_t before : fabric.needed[self]) {
          const std::string need = fmt::format("{}1", static_cast<char>('a' + before));
          if (action.draft.kind != methods::kHookAfter) CHECK(ended.contains(need));
        }
      }
      for (const std::string& one : running) {
        for (const std::string& other : running) {
          if (one < other && one.ends_with('1') && other.ends_with('1'))
            CHECK_FALSE(fabric.are_apart(
                static_cast<std::size_t>(one.front() - 'a'),
                static_cast<std::size_t>(other.front() - 'a')));
        }
      }
      if (running.empty()) break;
      auto next = running.begin();
      std::advance(next, static_cast<std::ptrdiff_t>(random.below(running.size())));
      const std::string id = *next;
      running.erase(next);
      if (id.ends_with('0') && put_off < 30 && random.below(2) == 0) {
        ++put_off;
        run.put_off(id);
        continue;
      }
      const bool fails = with_failures && random.below(12) == 0;
      ended[id] = fails ? ActionState::failed : ActionState::done;
      run.end(id, ended[id]);
    }
    for (const ActionResult& result : run.progress->results()) {
      INFO(result.id << ": " << result.detail);
      // Nothing is left that neither ran nor knows why it did not.
      CHECK(result.state != ActionState::not_started);
      if (!with_failures) CHECK(result.state == ActionState::done);
    }
  }
}
