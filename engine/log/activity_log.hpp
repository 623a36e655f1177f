// SPDX-License-Identifier: Apache-2.0
// ActivityLog: one line for each activity on a node: what, when, for how long and with which
// result. Of a command's standard input and output only the size is logged, never the text.
// Arguments of commands are shown if they are in the plan; of any other command only the program.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/remote/observed_runner.hpp"
#include "engine/workflow/listener.hpp"

namespace fabric::log {

class ActivityLog final : public workflow::Listener,
                          public remote::StepObserver,
                          public remote::SessionObserver {
 public:
  using Line = std::function<void(std::string_view)>;  // with its end; called by several threads

  // Appends to `path` (made with mode 0600; an older file gets that mode), "" = no file. `line`,
  // which may be empty, is called with each line too. `clock` must outlive this. Fails with
  // ErrorCode::denied if the file can't be opened.
  static Result<std::unique_ptr<ActivityLog>> open(
      const std::string& path, Line line, const Clock& clock);
  ~ActivityLog() override;
  ActivityLog(const ActivityLog&) = delete;
  ActivityLog& operator=(const ActivityLog&) = delete;

  void step_started(const remote::StepRequest& request) override;
  void step_ended(const remote::StepResult& result) override;
  void session_opened(const NodeName& node, std::string_view to, Duration took) override;
  void session_refused(const NodeName& node, const Error& why, Duration took) override;
  void session_replaced(const NodeName& node, const Error& why) override;

  void phase(std::string_view what) override;
  void run_started(const plans::Plan& plan, const std::string& run) override;
  void action_started(const plans::Action& action) override;
  void action_phase(const plans::Action& action, const std::string& phase) override;
  void action_ended(const plans::Action& action, const execute::ActionResult& result) override;
  void problem(std::string_view text) override;

 private:
  struct Impl;
  explicit ActivityLog(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fabric::log
