// lab::Runner: StepRunner in virtual time, one thread, no waiting. Same seed, same trace.
#pragma once

#include <memory>

#include "engine/lab/lab.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::lab {

class Runner final : public remote::StepRunner {
 public:
  // `lab` must outlive this.
  explicit Runner(Lab& lab);
  ~Runner() override;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void start(remote::StepRequest request) override;
  std::optional<remote::StepResult> wait_any(Duration patience) override;
  std::optional<remote::PeerIdentity> identity(const NodeName& node) const override;
  const Clock& clock() const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fabric::lab
