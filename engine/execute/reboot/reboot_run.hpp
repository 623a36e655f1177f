// SPDX-License-Identifier: Apache-2.0
// RebootRun: the reboot of a node. Read, send, prove that it is another boot, then the
// postconditions.
#pragma once

#include "engine/execute/action/reading_run.hpp"
#include "engine/execute/reboot/reboot.hpp"

namespace fabric::execute {

class RebootRun final : public ReadingRun {
 public:
  RebootRun(const plans::Action& action, ActionContext context);
  std::optional<remote::Step> next(const remote::StepResult& result) override;
  bool node_lost() const override { return lost_; }
  // A person may act at any moment from the first question on.
  bool changes_node() const override {
    return state_ == State::sending || (by_hand() && protocol_.has_value());
  }

 private:
  enum class State : std::uint8_t {
    reading_before,
    asking_before,
    pausing,
    sending,
    asking,
    settling,
    reading_back
  };

  Next before(const NodeFacts& facts, TimePoint now);
  Next asked_before(const remote::StepResult& result);
  Next unprovable();
  Next start(platform::Boot boot, TimePoint now);
  Next follow(BootProtocol::Request request);
  remote::Argv command_of_reboot() const;
  Next perform(BootProtocol::Want want);
  Next sent(const remote::StepResult& result);
  Next booted();
  Next back(const NodeFacts& facts, TimePoint now);
  void tell_phase();
  bool by_hand() const { return !action_.draft.by_hand.empty(); }

  const platform::BootProof* proof_;  // null: a reboot is never begun
  State state_ = State::reading_before;
  std::optional<BootProtocol> protocol_;
  BootProtocol::Want after_pause_ = BootProtocol::Want::end;
  std::string told_phase_;
  std::optional<TimePoint> settle_by_;
  bool lost_ = false;
};

}  // namespace fabric::execute
