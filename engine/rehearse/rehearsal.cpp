// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/rehearsal.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/lab/runner.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/rehearse/plan_subset.hpp"

namespace fabric::rehearse {

namespace {

// In all waves together: some seconds of the copies' work.
constexpr std::size_t kMostPings = 5'000;
constexpr Duration kPatience{600'000};

// Pings in one network while some of its nodes are away.
class Replay {
 public:
  Replay(const Scene& scene, const reach::NetworkNow& now, const std::set<NodeName>& away)
      : scene_{scene}, now_{now}, lab_{scene.spec, machines_of(scene)}, runner_{lab_, scene.files} {
    away_.nodes = now.away.nodes;
    away_.nodes.insert(away.begin(), away.end());
    away_.unknown = now.away.unknown;
    const std::vector<NodeName> copies = lab_.nodes();
    const std::set<NodeName> there{copies.begin(), copies.end()};
    for (const NodeName& node : away_.nodes) {
      if (!there.contains(node)) continue;
      // The node stays off.
      (void)lab_.set_fault(node, lab::Fault::no_boot);
      lab_.cut_power(node);
    }
    plan_pings();
  }

  std::size_t size() const { return size_; }

  void play(std::uint32_t wave, PathReplay& replay) {
    for (const auto& [node, pairs] : pings_) {
      std::vector<platform::Ping> pings;
      for (const Expected& each : pairs)
        pings.push_back({each.pair.of_a.str(), each.pair.of_b.str(), 0});
      const platform::PingTests& tests = *tests_of(node);
      runner_.start({1, node, tests.ping(pings)});
      const std::optional<remote::StepResult> result = runner_.wait_any(kPatience);
      if (!result || result->outcome != remote::Outcome::succeeded) continue;
      const std::vector<platform::PingAnswer> answers = tests.ping_answers(pings, *result);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (answers[i].small == platform::Passage::untested) continue;
        ++replay.pings;
        if ((answers[i].small == platform::Passage::passed) == pairs[i].kept) continue;
        replay.different.push_back({wave, now_.network, pairs[i].pair, pairs[i].kept});
      }
    }
  }

 private:
  struct Expected {
    reach::AddressPair pair;
    bool kept = false;
  };

  void plan_pings() {
    const reach::Reachability reachability{now_.fabric, away_};
    for (reach::AddressPair& pair : reach::address_pairs(now_.fabric)) {
      if (is_silent(pair.a.node) || is_silent(pair.b.node)) continue;
      if (tests_of(pair.a.node) == nullptr) continue;
      const reach::State state = reachability.between(pair).state;
      if (state == reach::State::unknown) continue;
      const NodeName from = pair.a.node;
      pings_[from].push_back({std::move(pair), state == reach::State::kept});
      ++size_;
    }
  }

  bool is_silent(const NodeName& node) const {
    return away_.nodes.contains(node) || away_.unknown.contains(node) ||
           scene_.unreached.contains(node);
  }

  const platform::PingTests* tests_of(const NodeName& node) const {
    return scene_.registry.host(scene_.spec.nodes.at(node).platform.value).ping_tests();
  }

  const Scene& scene_;
  const reach::NetworkNow& now_;
  lab::Lab lab_;
  lab::Runner runner_;
  reach::Away away_;
  std::map<NodeName, std::vector<Expected>> pings_;
  std::size_t size_ = 0;
};

std::set<NodeName> hosts_among(const reach::NetworkNow& network, const std::set<NodeName>& away) {
  std::set<NodeName> found;
  for (const reach::Host& host : network.fabric.hosts)
    if (away.contains(host.node)) found.insert(host.node);
  return found;
}

}  // namespace

PathReplay replay_paths(
    const Scene& scene, const plans::Plan& plan, const std::vector<reach::NetworkNow>& now) {
  PathReplay replay;
  for (const auto& [wave, away] : plans::away_by_wave(plan.actions)) {
    bool counted = false;
    for (const reach::NetworkNow& network : now) {
      const std::set<NodeName> of_network = hosts_among(network, away);
      if (of_network.empty()) continue;
      // Checked before the first pair is made: for a large network not even a list of the pairs is.
      if (replay.pings + reach::address_pair_count(network.fabric) > kMostPings) {
        replay.waves_left_out += counted ? 0U : 1U;
        break;
      }
      Replay played{scene, network, of_network};
      if (played.size() == 0) continue;
      played.play(wave, replay);
      replay.waves += counted ? 0U : 1U;
      counted = true;
    }
  }
  return replay;
}

namespace {

std::string reading_text(const std::optional<Reading>& reading) {
  return reading ? reading->text() : "nothing";
}

bool same(const std::optional<Reading>& there, const std::optional<Reading>& copy) {
  if (!there || !copy) return there.has_value() == copy.has_value();
  return *there == *copy || (there->is_unknown() && copy->is_unknown());
}

// How the resource differs on the copy; "" = it does not.
std::string difference(
    const Resource& resource, const Observation& there, const Observation* copy) {
  for (const auto& [attribute, desired] : resource.desired) {
    const auto original = there.attributes.find(attribute);
    if (original == there.attributes.end()) continue;
    const LayeredReading nothing;
    const bool known = copy != nullptr && copy->attributes.contains(attribute);
    const LayeredReading& copied = known ? copy->attributes.find(attribute)->second : nothing;
    for (const Layer layer : {Layer::running, Layer::next_boot, Layer::persistent}) {
      const auto& expected = original->second.layer(layer);
      const auto& found = copied.layer(layer);
      if (same(expected, found)) continue;
      return fmt::format(
          "{} {} is {} there, {} on the copy",
          attribute,
          to_string(layer),
          reading_text(expected),
          reading_text(found));
    }
  }
  return {};
}

class Copying {
 public:
  explicit Copying(const Original& original)
      : original_{original},
        copy_{
            {original.spec,
             original.sources,
             original.resources,
             original.registry,
             original.simulated,
             {},
             original.files},
            {}} {}

  Copy run() && {
    copy_.scene.limit = original_.plan.limit;
    copy_.scene.undone = original_.undone;
    for (const std::string& name : original_.plan.permissions.no_rollback.nodes)
      if (const auto node = NodeName::parse(name)) copy_.scene.allow_no_rollback.insert(*node);
    for (const auto& [name, node] : original_.plan.nodes) {
      // Known only by its machine id, since copies have boots of their own.
      if (node.own) copy_.scene.own.machine_id = node.machine_id;
    }
    for (const auto& [name, node] : original_.snapshot.nodes)
      copy_node(name, node.facts);
    not_played();
    not_run();
    withheld();
    if (copy_.scene.lab.hosts.empty()) return std::move(copy_);
    catch_up();
    compare();
    return std::move(copy_);
  }

 private:
  void copy_node(const NodeName& name, const NodeFacts& facts) {
    const auto spec = original_.spec.nodes.find(name);
    if (spec == original_.spec.nodes.end()) return;
    lab::LabHost& host = copy_.scene.lab.hosts[name.str()];
    if (!facts.reachable()) {
      host.fault = lab::Fault::refused;
      copy_.scene.unreached.insert(name);
      copy_.missing.push_back(name.str() + " was not reached: its copy never answers");
      return;
    }
    const SimulatedPlatform* simulated = original_.simulated.find(spec->second.platform.value);
    if (simulated == nullptr) {
      host.fault = lab::Fault::refused;
      copy_.scene.unreached.insert(name);
      copy_.missing.push_back(fmt::format(
          "{}: the lab can't simulate platform {}, so the copy never answers",
          name.str(),
          to_string(spec->second.platform.value)));
      return;
    }
    host = simulated->copy(spec->second, facts, original_.all);
    if (!facts.host_key_fingerprint.empty())
      copy_.scene.host_keys[name] = facts.host_key_fingerprint;
  }

  // Nodes without facts: switches, ESXi, those that are offline, and those outside of --limit.
  void not_played() {
    std::vector<NodeName> dead;
    std::vector<NodeName> outside;
    std::vector<NodeName> others;
    for (const auto& [name, node] : original_.spec.nodes) {
      if (original_.snapshot.nodes.contains(name)) continue;
      const auto planned = original_.plan.nodes.find(name);
      const bool is_down =
          is_offline(node) || (planned != original_.plan.nodes.end() && !planned->second.reachable);
      if (is_down) {
        dead.push_back(name);
      } else {
        (is_reached(original_.spec, node) ? outside : others).push_back(name);
      }
    }
    if (!others.empty())
      copy_.missing.push_back(
          fold(others) +
          ": switches are not simulated; they only connect the others and never fail");
    if (!dead.empty()) copy_.missing.push_back(fold(dead) + ": down, so the copies never answer");
    for (const NodeName& name : dead) {
      copy_.scene.unreached.insert(name);
      copy_.scene.lab.hosts[name.str()].fault = lab::Fault::refused;
    }
    if (!outside.empty())
      copy_.missing.push_back(
          fold(outside) + ": outside of --limit, so the copies are up and have nothing");
    for (const NodeName& name : outside)
      copy_.scene.lab.hosts[name.str()];
  }

  void not_run() {
    const auto& actions = original_.plan.actions;
    const bool has_hooks = std::ranges::any_of(actions, [](const auto& action) {
      return action.draft.kind != methods::kReboot && !action.draft.steps.command_here().empty();
    });
    if (has_hooks) copy_.missing.emplace_back("hooks are not run: a stand-in always succeeds");
  }

  void withheld() {
    std::map<std::string, std::set<std::string>> nodes_of;
    for (const plans::PlannedChange& change : original_.plan.changes) {
      const ResourceAddress& address = change.address;
      if (!change.withheld || copy_.scene.unreached.contains(address.node)) continue;
      copy_.scene.left_out.insert(address);
      // Said once for all nodes.
      const std::string why = plans::withheld_text(*change.withheld, &address.node);
      nodes_of[fmt::format("{}/{} is withheld: {}", address.kind, address.name, why)].insert(
          address.node.str());
    }
    for (const auto& [what, nodes] : nodes_of)
      copy_.missing.push_back(
          fmt::format("{} {}", fold(std::vector<std::string>{nodes.begin(), nodes.end()}), what));
  }

  std::vector<NodeFacts> look() const {
    World world{copy_.scene, 0};
    return world.discover();
  }

  void catch_up() {
    for (const NodeFacts& copied : look()) {
      const auto node = original_.snapshot.nodes.find(copied.node);
      if (node == original_.snapshot.nodes.end() || !copied.reachable()) continue;
      const SimulatedPlatform* simulated = original_.simulated.find(copied.platform);
      if (simulated == nullptr) continue;
      for (std::string& command : simulated->catching_up(node->second.facts, copied))
        copy_.scene.lab.hosts[copied.node.str()].done_since_boot.push_back(std::move(command));
    }
  }

  void compare() {
    Diagnostics ignored;  // the findings about nodes have been printed
    const discovery::Snapshot copied =
        discovery::observe(original_.all, look(), original_.registry, ignored);
    std::map<std::string, std::vector<std::string>> kinds;  // how they differ: which
    for (const Resource& resource : original_.all) {
      const ResourceAddress& address = resource.address;
      const bool known =
          copy_.scene.unreached.contains(address.node) || copy_.scene.left_out.contains(address);
      if (known) continue;
      const Observation* there = original_.snapshot.find(address);
      if (there == nullptr) continue;
      const std::string differs = difference(resource, *there, copied.find(address));
      if (differs.empty()) continue;
      copy_.scene.left_out.insert(address);
      kinds[fmt::format("{}/{}: {}", address.kind, address.name, differs)].push_back(
          address.node.str());
    }
    for (auto& [what, nodes] : kinds)
      copy_.missing.push_back(fmt::format("{} {}", fold(std::move(nodes)), what));
  }

  const Original& original_;
  Copy copy_;
};

Duration lasted(const std::optional<Outage>& outage) {
  return outage ? outage->lasted : Duration{0};
}

auto badness(const SeedResult& result) {
  return std::tuple{
      result.violations.size(),
      severity(result.first.exit),
      lasted(result.service.ring_cut) + lasted(result.service.unmanaged),
      result.service.down_at_once.size(),
      result.until_done};
}

Scene with_luck(Scene scene, const RunFaults& run, std::uint64_t seed) {
  Random random{seed};
  CutOffDraws cuts{seed};
  ClockDraws clocks{seed};
  for (auto& [name, host] : scene.lab.hosts) {
    HostFaults faults = seed == 0 ? HostFaults{} : draw_host_faults(random);
    if (seed != 0) cuts.draw(faults);
    if (seed != 0) clocks.draw(faults);
    host.boot_time = faults.boot_time;
    host.clocks = faults.clocks;
    if (host.fault == lab::Fault::refused) continue;  // it was never reached
    host.fault = faults.fault;
    host.fault_after = faults.fault_after;
  }
  scene.lab.seed = seed;
  scene.lab.fault_percent = run.fault_percent;
  return scene;
}

}  // namespace

Copy copy_nodes(const Original& original) {
  return Copying{original}.run();
}

bool Rehearsal::kept_promises() const {
  return baseline.violations.empty() && std::ranges::all_of(results, [](const SeedResult& result) {
           return result.violations.empty();
         });
}

const SeedResult* Rehearsal::worst() const {
  const auto found = std::ranges::max_element(
      results, [](const SeedResult& a, const SeedResult& b) { return badness(a) < badness(b); });
  return found == results.end() ? nullptr : &*found;
}

std::vector<Duration> Rehearsal::durations() const {
  std::vector<Duration> all;
  for (const SeedResult& result : results)
    all.push_back(result.until_done);
  std::sort(all.begin(), all.end());
  return all;
}

SeedResult rehearse_seed(const Scene& scene, const plans::Plan& plan, std::uint64_t seed) {
  constexpr std::uint64_t kOfTheRun = 0x7275'6e00'0000'0000;
  Random random{seed ^ kOfTheRun};
  const RunFaults faults = seed == 0 ? RunFaults{} : draw_run_faults(random);
  World world{with_luck(scene, faults, seed), seed};
  const plans::Plan played = without(plan, scene.left_out, scene.unreached);
  return run_seed(world, seed, faults, &played);
}

Rehearsal rehearse(
    const Scene& scene,
    const plans::Plan& plan,
    const std::vector<reach::NetworkNow>& paths,
    std::uint64_t first,
    std::uint64_t seeds,
    const std::function<void(const SeedResult&)>& done) {
  Rehearsal rehearsal;
  {
    World world{scene, 0};
    rehearsal.has_rings = world.service().has_rings();
    rehearsal.has_managers = world.service().has_managers();
  }
  rehearsal.paths = replay_paths(scene, plan, paths);
  rehearsal.baseline = rehearse_seed(scene, plan, 0);
  for (std::uint64_t i = 0; i < seeds; ++i) {
    rehearsal.results.push_back(rehearse_seed(scene, plan, first + i));
    SeedResult& result = rehearsal.results.back();
    result.trace.clear();
    if (done) done(result);
  }
  return rehearsal;
}

}  // namespace fabric::rehearse
