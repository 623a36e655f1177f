// SPDX-License-Identifier: Apache-2.0
// lab::Runner: StepRunner in virtual time, one thread, no waiting. Same seed, same trace.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/base/result.hpp"
#include "engine/lab/lab.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::lab {

// The content of a file on the machine that fabric runs on, by its path.
using LocalFiles = std::function<Result<std::string>(const std::string& path)>;

class Runner final : public remote::StepRunner {
 public:
  // `lab` must outlive this. Without `files` a CopyFile finds no source.
  explicit Runner(Lab& lab, LocalFiles files = {});
  ~Runner() override;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void start(remote::StepRequest request) override;
  std::optional<remote::StepResult> wait_any(Duration patience) override;
  // The waiting machine pauses for `duration`, while the lab goes on: it was stopped, or it slept.
  // Whether its own clock shows the pause depends on the cause.
  void stand_still(Duration duration, bool clock_stands_still);
  // True time, whatever clock() shows.
  TimePoint time() const;
  // The work that a node does for a session at this moment; null = none.
  const remote::Step* at_work() const;
  // The waiting machine is gone: it gets no answer, and an unsent step is never sent.
  void forget();
  std::optional<remote::PeerIdentity> identity(const NodeName& node) const override;
  const Clock& clock() const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fabric::lab
