// SPDX-License-Identifier: Apache-2.0
// ContextListener: passes the events of a workflow to the terminal, to --json and to the log.
#pragma once

#include "engine/cli/terminal/context.hpp"
#include "engine/workflow/listener.hpp"

namespace fabric::cli {

class ContextListener : public workflow::Listener {
 public:
  // `context` must outlive this.
  explicit ContextListener(Context& context) : context_{context} {}

  void discover_started(std::size_t nodes) override;
  void discover_node(const NodeFacts& facts) override;
  void discover_waiting(const std::vector<NodeName>& nodes) override;
  void discover_ended() override;
  void tick() override;
  void phase(std::string_view what) override;
  void note(std::string_view text) override;
  void problem(std::string_view text) override;

  void run_started(const plans::Plan& plan, const std::string& run) override;
  void wave_started(const plans::Wave& wave) override;
  void action_started(const plans::Action& action) override;
  void action_phase(const plans::Action& action, const std::string& phase) override;
  void action_put_off(
      const plans::Action& action, const std::string& said, Duration waited) override;
  void action_ended(const plans::Action& action, const execute::ActionResult& result) override;
  void heartbeat(const std::vector<std::string>& running_actions) override;
  void run_ended(const std::vector<execute::ActionResult>& results) override;

 protected:
  Context& context() { return context_; }

 private:
  template <class Tell>
  void each(const Tell& tell);

  Context& context_;
};

}  // namespace fabric::cli
