// SPDX-License-Identifier: Apache-2.0
// ObservedRunner: a StepRunner that reports every step to an observer, and changes nothing.
#pragma once

#include <memory>
#include <string_view>

#include "engine/remote/runner.hpp"

namespace fabric::remote {

class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void step_started(const StepRequest& request) = 0;
  virtual void step_ended(const StepResult& result) = 0;
};

// Sessions of a transport. Called by its threads, by several at once.
class SessionObserver {
 public:
  virtual ~SessionObserver() = default;
  // `to`: the way of the session, jump hosts first: "jump@192.0.2.1:22 > root@pve1:22".
  virtual void session_opened(const NodeName& node, std::string_view to, Duration took) = 0;
  virtual void session_refused(const NodeName& node, const Error& why, Duration took) = 0;
  // A kept session had died before anything was sent over it, so the step is sent over a new one.
  virtual void session_replaced(const NodeName& node, const Error& why) = 0;
};

class ObservedRunner final : public StepRunner {
 public:
  // `observer`, and a runner that this does not own, must outlive this.
  ObservedRunner(std::unique_ptr<StepRunner> runner, StepObserver& observer)
      : owned_{std::move(runner)}, runner_{*owned_}, observer_{observer} {}
  ObservedRunner(StepRunner& runner, StepObserver& observer)
      : runner_{runner}, observer_{observer} {}

  void start(StepRequest request) override {
    observer_.step_started(request);
    runner_.start(std::move(request));
  }
  std::optional<StepResult> wait_any(Duration patience) override {
    std::optional<StepResult> result = runner_.wait_any(patience);
    if (result) observer_.step_ended(*result);
    return result;
  }
  std::optional<PeerIdentity> identity(const NodeName& node) const override {
    return runner_.identity(node);
  }
  const Clock& clock() const override { return runner_.clock(); }

 private:
  std::unique_ptr<StepRunner> owned_;
  StepRunner& runner_;
  StepObserver& observer_;
};

}  // namespace fabric::remote
