// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/undo_stories.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/random.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/rehearse/world.hpp"
#include "providers/builtin.hpp"
#include "providers/simulated/simulated_platforms.hpp"

#include "tests/simulation/scenario.hpp"

namespace fabric::simulation {

namespace {

constexpr std::uint32_t kLines = 80;  // of a journal; many runs are over before
constexpr std::uint64_t kOfUndo = 0x756e'646f;

class Undoing {
 public:
  explicit Undoing(std::uint64_t seed)
      : random_{seed ^ kOfUndo}, scenario_{make_scenario(seed, false)} {
    providers::add_builtin_providers(registry_);
    Diagnostics diagnostics;
    resources_ = expand(scenario_.spec, diagnostics);
    rehearse::Scene scene{
        scenario_.spec,
        scenario_.sources,
        resources_,
        registry_,
        providers::simulated_platforms(),
        scenario_.lab};
    scene.allow_no_rollback = scenario_.allow_no_rollback;
    world_.emplace(std::move(scene), seed);
  }

  // Of the nodes by themselves.
  std::string seen_whole() {
    world_->clear_faults();
    return seen();
  }

  void play(const std::string& before, UndoTally& tally) {
    rehearse::RunFaults faults;
    faults.killed_at = 1 + static_cast<std::uint32_t>(random_.below(kLines));
    const rehearse::Round run = world_->round(faults);
    if (run.errors || run.idle) return;
    ++tally.undone;
    tally.killed += run.killed ? 1 : 0;
    world_->clear_faults();
    world_->undo_last();
    expect_done("the undo", world_->round({}));
    const rehearse::Round left = world_->round({});
    if (!left.idle) world_->violation("what was undone is planned to be undone again");
    if (left.empty) {
      ++tally.whole;
      if (const std::string now = seen(); now != before)
        world_->violation(fmt::format("it was undone and differs:\n{}\nnow\n{}", before, now));
    }
    if (random_.chance(50)) {
      world_->undo_last();
      expect_done("the undo of the undo", world_->round({}));
    }
    world_->want_document();
    expect_done("the document", world_->round({}));
    if (!world_->round({}).empty) world_->violation("the plan after convergence is not empty");
  }

  std::vector<std::string> said() const {
    std::vector<std::string> said = world_->violations();
    if (said.empty()) return said;
    said.push_back(scenario_.document);
    for (const rehearse::TraceLine& line : world_->trace())
      said.push_back("    " + line.text);
    return said;
  }

 private:
  // All that is read of what the document names, but for what nothing can tell. A port that was
  // down stays up, and as long as it is up a subnet gives it an MTU.
  std::string seen() {
    Diagnostics diagnostics;
    const discovery::Snapshot snapshot =
        discovery::observe(resources_, world_->discover(), registry_, diagnostics);
    std::string text;
    for (const auto& [name, node] : snapshot.nodes) {
      for (const auto& [address, observation] : node.observations) {
        if (address.kind == kinds::kCarrier) continue;
        for (const auto& [attribute, reading] : observation.attributes) {
          for (const Layer layer : {Layer::running, Layer::next_boot, Layer::persistent}) {
            const std::optional<Reading>& read = reading.layer(layer);
            const bool of_subnet = is_infiniband() && attribute == "mtu" && layer == Layer::running;
            if (read && !read->is_unknown() && !of_subnet)
              text += fmt::format(
                  "{} {} {} {}\n", address.str(), attribute, to_string(layer), read->text());
          }
        }
      }
    }
    return text;
  }

  bool is_infiniband() const {
    return std::any_of(
        scenario_.spec.networks.begin(), scenario_.spec.networks.end(), [](const auto& each) {
          return each.second.mode.value == Mode::infiniband;
        });
  }

  void expect_done(const std::string& what, const rehearse::Round& round) {
    if (round.errors || round.exit != ExitCode::done)
      world_->violation(
          fmt::format("{} ends with {} {}", what, static_cast<int>(round.exit), round.failure));
  }

  Random random_;
  Scenario scenario_;
  Registry registry_;
  std::vector<Resource> resources_;
  std::optional<rehearse::World> world_;
};

}  // namespace

std::vector<std::string> play_undo(std::uint64_t seed, UndoTally& tally) {
  Undoing story{seed};
  story.play(Undoing{seed}.seen_whole(), tally);
  return story.said();
}

}  // namespace fabric::simulation
