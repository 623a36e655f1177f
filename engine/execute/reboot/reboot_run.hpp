// RebootRun: the reboot of a node. Read, send, prove by boot_id, then the postconditions.
#pragma once

#include <vector>

#include "engine/execute/action/action_run.hpp"
#include "engine/execute/action/facts_reader.hpp"
#include "engine/execute/reboot/reboot.hpp"

namespace fabric::execute {

class RebootRun final : public ActionRun {
 public:
  RebootRun(const plans::Action& action, ActionContext context);
  remote::Step begin() override;
  std::optional<remote::Step> next(const remote::StepResult& result) override;
  const ActionResult& result() const override { return result_; }
  bool node_lost() const override { return lost_; }
  // What a person does may come at any moment from the first question on.
  bool changes_node() const override {
    return state_ == State::sending || (by_hand() && protocol_.has_value());
  }

 private:
  using Next = std::optional<remote::Step>;
  enum class State : std::uint8_t {
    reading_before,
    pausing,
    sending,
    asking,
    settling,
    reading_back
  };

  Next before(const NodeFacts& facts, TimePoint now);
  Next follow(BootProtocol::Request request);
  Next perform(BootProtocol::Want want);
  Next sent(const remote::StepResult& result);
  Next booted();
  Next back(const NodeFacts& facts, TimePoint now);
  Next end(ActionState state, ErrorCode code, std::string detail);
  void tell_phase();
  bool by_hand() const { return !action_.draft.by_hand.empty(); }

  const plans::Action& action_;
  ActionContext context_;
  const platform::BootProof* proof_;  // null: a reboot is never begun
  FactsReader reader_;
  State state_ = State::reading_before;
  std::optional<BootProtocol> protocol_;
  BootProtocol::Want after_pause_ = BootProtocol::Want::end;
  std::string told_phase_;
  std::optional<TimePoint> settle_by_;
  bool lost_ = false;
  ActionResult result_;
};

}  // namespace fabric::execute
