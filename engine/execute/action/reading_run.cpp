// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/action/reading_run.hpp"

#include <utility>

#include <fmt/format.h>

namespace fabric::execute {

namespace {

constexpr int kAttempts = 4;
// Pauses of 1, 2 and 4 s and up to a second more, so that many nodes don't come back in step.
constexpr std::int64_t kFirstPause = 1'000;
constexpr std::uint64_t kMostJitter = 1'000;
// A full discovery of a node with eight cards takes a few seconds.
constexpr Duration kTimeout{30'000};

}  // namespace

remote::Step FactsRequest::start(std::vector<Probe> probes, bool fresh) {
  probes_ = std::move(probes);
  fresh_ = fresh;
  attempts_ = 0;
  return ask();
}

remote::Step FactsRequest::ask() {
  ++attempts_;
  pausing_ = false;
  nonce_ = fmt::format("{:016x}", random_.next());
  return host_.probe_step(probes_, nonce_, kTimeout, fresh_);
}

FactsRequest::Progress FactsRequest::again(Error error) {
  if (attempts_ >= kAttempts) return {std::nullopt, std::nullopt, std::move(error)};
  pausing_ = true;
  fresh_ = true;  // whatever state the old connection is in
  const auto jitter = static_cast<std::int64_t>(random_.below(kMostJitter));
  return {
      remote::step::Pause{Duration{(kFirstPause << (attempts_ - 1)) + jitter}},
      std::nullopt,
      std::nullopt};
}

FactsRequest::Progress FactsRequest::next(const remote::StepResult& result) {
  if (pausing_) return {ask(), std::nullopt, std::nullopt};
  if (result.outcome != remote::Outcome::succeeded) return again(result.error);
  platform::ProbeTexts texts;
  auto sections = host_.probe_outputs(probes_, nonce_, result, texts);
  if (!sections) return again(std::move(sections).error());
  NodeFacts facts{node_, std::nullopt, {}, {}, {}};
  facts.platform = host_.id();
  facts.probes = std::move(sections).value();
  return {std::nullopt, std::move(facts), std::nullopt};
}

ReadingRun::ReadingRun(const plans::Action& action, ActionContext context)
    : action_{action},
      context_{std::move(context)},
      request_{action.node, context_.host(), context_.random} {
  result_.id = action.id;
}

remote::Step ReadingRun::begin() {
  return read(action_.draft.preconditions, action_.draft.postconditions, false);
}

remote::Step ReadingRun::read(
    std::vector<Condition> conditions, const std::vector<Condition>& more, bool fresh_session) {
  conditions.insert(conditions.end(), more.begin(), more.end());
  return request_.start(context_.probes_for(conditions), fresh_session);
}

ReadingRun::Next ReadingRun::end(ActionState state, ErrorCode code, std::string detail) {
  result_.state = state;
  result_.code = code;
  result_.detail = std::move(detail);
  return std::nullopt;
}

}  // namespace fabric::execute
