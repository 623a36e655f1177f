// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/undo_stories.hpp"

#include <algorithm>
#include <map>
#include <utility>

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
      : seed_{seed}, random_{seed ^ kOfUndo}, scenario_{make_scenario(seed, false)} {
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

  void play(UndoTally& tally) {
    rehearse::RunFaults faults;
    faults.killed_at = 1 + static_cast<std::uint32_t>(random_.below(kLines));
    const rehearse::Round run = world_->round(faults);
    if (run.errors || run.idle) return;
    ++tally.undone;
    tally.killed += run.killed ? 1 : 0;
    world_->clear_faults();
    world_->undo_last();
    decltype(rehearse::Round::found) named;
    if (random_.chance(40)) {
      faults.killed_at = 1 + static_cast<std::uint32_t>(random_.below(kLines));
      named = world_->round(faults).found;
      world_->clear_faults();
    }
    rehearse::Round undone = world_->round({});
    // The undo that was killed, perhaps after its boot, has named what the boot ended.
    undone.found.merge(named);
    expect_done("the undo", undone);
    const rehearse::Round left = world_->round({});
    if (!left.idle) world_->violation("what was undone is planned to be undone again");
    tally.whole += left.empty ? 1 : 0;
    compare(undone, left);
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
  struct Shown {
    Reading reading = Reading::unknown("not read");
    bool is_nothing = false;  // absent, or what a machine shows of its own accord
    std::string of{};         // NODE/KIND/NAME/ATTRIBUTE
    bool is_set = true;       // by the document
  };
  using Seen = std::map<std::string, Shown>;  // NODE/KIND/NAME/ATTRIBUTE/LAYER

  // With the same nodes by themselves, booted as often or not at all: what stays is named, and so
  // is what a boot has ended. What nothing showed before the run may run until the next boot.
  void compare(const rehearse::Round& undone, const rehearse::Round& left) {
    Undoing alone{seed_};
    alone.world_->clear_faults();
    const Seen before = alone.seen();
    alone.world_->reboot(world_->booted());
    const Seen booted = alone.seen();
    const Seen now = seen();
    Seen all = now;
    all.insert(booted.begin(), booted.end());
    std::vector<std::string> until_boot;
    for (const auto& [what, any] : all) {
      const auto [was, was_nothing, from, was_set] = read(before, what);
      const auto [wanted, wants_nothing, to, wants_set] = read(booted, what);
      const auto [is, is_nothing, at, is_set] = read(now, what);
      // It is as before, though a boot has come: that was while the run's value was set.
      if (left.withheld.contains(any.of) || is == was) continue;
      const bool is_named = undone.found.contains({"undo-stays", what});
      // What is left may show more of the things around it, of which nothing is set.
      if (!left.empty && is_nothing && wants_nothing) continue;
      if (!left.empty && wanted.is_unknown() && !is_set) continue;
      const bool runs_on = was.is_unknown() && what.ends_with("/running");
      if (is != wanted && is_named && !wanted.is_unknown() && runs_on)
        until_boot.push_back(what);
      else if (is != wanted && !(is_named && wanted.is_unknown()))
        world_->violation(
            fmt::format("it was undone, and {} is {}, not {}", what, is.text(), wanted.text()));
      const bool has_ended = was != wanted && !(was_nothing && wants_nothing);
      if (has_ended && !wanted.is_unknown() && !is_named)
        world_->violation(fmt::format(
            "a boot made {} of {} at {}, and nothing says so", wanted.text(), was.text(), what));
    }
    if (until_boot.empty()) return;
    world_->reboot(world_->booted());
    const Seen then = seen();
    for (const std::string& what : until_boot)
      if (read(then, what).reading != read(booted, what).reading)
        world_->violation("it was undone, and no boot brings back " + what);
  }

  // Unknown is as good as not read, whatever the reason.
  static Shown read(const Seen& seen, const std::string& what) {
    const auto found = seen.find(what);
    return found == seen.end() || found->second.reading.is_unknown() ? Shown{} : found->second;
  }

  // All that is read of what the document names, but for what nothing can tell. A port that was
  // down stays up, and as long as it is up a subnet gives it an MTU.
  Seen seen() {
    std::map<ResourceAddress, const Resource*> named;
    for (const Resource& resource : resources_)
      named.emplace(resource.address, &resource);
    Diagnostics diagnostics;
    const discovery::Snapshot snapshot =
        discovery::observe(resources_, world_->discover(), registry_, diagnostics);
    Seen seen;
    for (const auto& [name, node] : snapshot.nodes) {
      for (const auto& [address, observation] : node.observations) {
        if (address.kind == kinds::kCarrier) continue;
        const Resource& resource = *named.at(address);
        for (const auto& [attribute, reading] : observation.attributes) {
          const std::string of = address.str() + "/" + attribute;
          for (const Layer layer : {Layer::running, Layer::next_boot, Layer::persistent}) {
            const std::optional<Reading>& read = reading.layer(layer);
            const bool of_subnet = is_infiniband() && attribute == "mtu" && layer == Layer::running;
            if (read && !of_subnet)
              seen.emplace(
                  fmt::format("{}/{}", of, to_string(layer)),
                  Shown{
                      *read,
                      holds({address, attribute, layer, {}}, *read, resource.platform),
                      of,
                      resource.desired.contains(attribute)});
          }
        }
      }
    }
    return seen;
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

  std::uint64_t seed_;
  Random random_;
  Scenario scenario_;
  Registry registry_;
  std::vector<Resource> resources_;
  std::optional<rehearse::World> world_;
};

}  // namespace

std::vector<std::string> play_undo(std::uint64_t seed, UndoTally& tally) {
  Undoing story{seed};
  story.play(tally);
  return story.said();
}

}  // namespace fabric::simulation
