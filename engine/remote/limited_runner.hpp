// SPDX-License-Identifier: Apache-2.0
// LimitedRunner: a StepRunner that waits for no step longer than a given time (`--timeout`).
#pragma once

#include <utility>

#include "engine/remote/runner.hpp"

namespace fabric::remote {

// Lowers the timeout of a command or a conversation to `most`.
void limit(Step& step, Duration most);

class LimitedRunner final : public StepRunner {
 public:
  // `runner` must outlive this.
  LimitedRunner(StepRunner& runner, Duration most) : runner_{runner}, most_{most} {}

  void start(StepRequest request) override {
    limit(request.step, most_);
    runner_.start(std::move(request));
  }
  std::optional<StepResult> wait_any(Duration patience) override {
    return runner_.wait_any(patience);
  }
  std::optional<PeerIdentity> identity(const NodeName& node) const override {
    return runner_.identity(node);
  }
  const Clock& clock() const override { return runner_.clock(); }

 private:
  StepRunner& runner_;
  Duration most_;
};

}  // namespace fabric::remote
