// SPDX-License-Identifier: Apache-2.0
#include "engine/discovery/discover.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/platform/probe_texts.hpp"

namespace fabric::discovery {

namespace {

constexpr Duration kReportInterval{5'000};
// A runner ends every step by its deadline; this is for one that doesn't.
constexpr Duration kGrace{15'000};

std::vector<Probe> with_identity(std::vector<Probe> probes, Probe identity) {
  const bool has_it = std::any_of(
      probes.begin(), probes.end(), [&](const Probe& probe) { return probe.id == identity.id; });
  if (!has_it) probes.insert(probes.begin(), std::move(identity));
  return probes;
}

class Discovery {
 public:
  Discovery(
      const platform::NodePlatforms& nodes,
      const ProbesByPlatform& probes,
      remote::StepRunner& runner,
      Random& random,
      const DiscoverOptions& options)
      : runner_{runner}, options_{options} {
    // An answer that comes after its node was given up must not be taken for another step's.
    first_ticket_ = random.next() >> 1U;
    for (const auto& [node, platform] : nodes) {
      if (!probes_.contains(platform->id())) {
        const auto asked = probes.find(platform->id());
        probes_.emplace(
            platform->id(),
            with_identity(
                asked == probes.end() ? std::vector<Probe>{} : asked->second,
                platform->identity_probe()));
      }
      jobs_.push_back(
          {node, *platform, fmt::format("{:016x}{:016x}", random.next(), random.next())});
    }
  }

  std::vector<NodeFacts> run() {
    next_report_ = runner_.clock().now() + kReportInterval;
    while (done_ < jobs_.size()) {
      start_some();
      if (std::optional<remote::StepResult> result = runner_.wait_any(patience()))
        finish(*std::move(result));
      give_up_overdue();
      report_waiting();
    }
    std::vector<NodeFacts> facts;
    for (Job& job : jobs_)
      facts.push_back(*std::move(job.facts));
    return facts;
  }

 private:
  struct Job {
    NodeName node;
    const platform::HostPlatform& platform;
    std::string nonce;
    std::optional<TimePoint> started{};
    std::optional<NodeFacts> facts{};
    bool in_flight() const { return started && !facts; }
  };

  void start_some() {
    while (started_ < jobs_.size() &&
           started_ - done_ < std::max<std::size_t>(options_.parallelism, 1) + options_.ahead) {
      Job& job = jobs_[started_];
      job.started = runner_.clock().now();
      runner_.start(
          {first_ticket_ + started_,
           job.node,
           job.platform.probe_step(probes_of(job), job.nonce, options_.timeout, false)});
      ++started_;
    }
  }

  // Until the next thing this loop has to do by itself.
  Duration patience() const {
    TimePoint until = next_report_;
    if (oldest_ < started_) until = std::min(until, given_up_at(jobs_[oldest_]));
    return std::max(until - runner_.clock().now(), Duration{1});
  }

  TimePoint given_up_at(const Job& job) const {
    const int turns = options_.ahead > 0 ? 2 : 1;
    return *job.started + turns * (options_.timeout + kGrace);
  }

  void finish(remote::StepResult result) {
    const std::uint64_t index = result.ticket - first_ticket_;
    if (index >= jobs_.size() || !jobs_[index].in_flight()) return;
    Job& job = jobs_[index];
    NodeFacts facts{job.node, {}, {}, {}, {}};
    if (const auto identity = runner_.identity(job.node)) {
      facts.host_key_fingerprint = identity->host_key_fingerprint;
    }
    if (result.outcome != remote::Outcome::succeeded) {
      facts.failure = std::move(result.error);
    } else if (auto outputs = job.platform.probe_outputs(probes_of(job), job.nonce, result, texts_);
               !outputs) {
      facts.failure = with_context(std::move(outputs).error(), job.node.str());
      facts.answers_as = job.platform.other_platform(job.nonce, result);
    } else {
      facts.probes = std::move(*outputs);
    }
    settle(job, std::move(facts));
  }

  void settle(Job& job, NodeFacts facts) {
    facts.platform = job.platform.id();
    facts.taken_at = format_utc(runner_.clock().unix_milliseconds());
    job.facts = std::move(facts);
    ++done_;
    while (oldest_ < started_ && !jobs_[oldest_].in_flight())
      ++oldest_;
    if (options_.node_done) options_.node_done(*job.facts);
  }

  void give_up_overdue() {
    const TimePoint now = runner_.clock().now();
    while (oldest_ < started_ && now >= given_up_at(jobs_[oldest_])) {
      Job& job = jobs_[oldest_];
      NodeFacts facts{job.node, {}, {}, {}, {}};
      facts.failure = Error{
          ErrorCode::timed_out,
          fmt::format(
              "{}: the probes did not end within {}",
              job.node.str(),
              format_duration(options_.timeout))};
      settle(job, std::move(facts));
    }
  }

  void report_waiting() {
    const TimePoint now = runner_.clock().now();
    if (now < next_report_) return;
    next_report_ = now + kReportInterval;
    if (!options_.still_waiting) return;
    std::vector<NodeName> waiting;
    for (std::size_t index = oldest_; index < started_; ++index) {
      if (jobs_[index].in_flight()) waiting.push_back(jobs_[index].node);
    }
    if (!waiting.empty()) options_.still_waiting(waiting);
  }

  const std::vector<Probe>& probes_of(const Job& job) const {
    return probes_.at(job.platform.id());
  }

  ProbesByPlatform probes_;
  platform::ProbeTexts texts_;
  remote::StepRunner& runner_;
  const DiscoverOptions& options_;
  std::vector<Job> jobs_;
  remote::Ticket first_ticket_ = 0;
  // Jobs are started in order: those before `started_` were, those before `oldest_` are done, and
  // the one at `oldest_` has waited longest.
  std::size_t started_ = 0;
  std::size_t oldest_ = 0;
  std::size_t done_ = 0;
  TimePoint next_report_;
};

}  // namespace

std::vector<NodeFacts> discover(
    const platform::NodePlatforms& nodes,
    const ProbesByPlatform& probes,
    remote::StepRunner& runner,
    Random& random,
    const DiscoverOptions& options) {
  return Discovery{nodes, probes, runner, random, options}.run();
}

}  // namespace fabric::discovery
