// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/path_replay.hpp"

#include <map>
#include <set>
#include <utility>

#include "engine/lab/runner.hpp"
#include "engine/platform/host_platform.hpp"

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

}  // namespace fabric::rehearse
