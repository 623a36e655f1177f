// SPDX-License-Identifier: Apache-2.0
// ssh::Runner: StepRunner over SSH. The only file of fabric with threads is runner.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.hpp"
#include "engine/remote/runner.hpp"
#include "engine/ssh/config/target.hpp"

namespace fabric::ssh {

class Runner final : public remote::StepRunner {
 public:
  // One session per node, kept between steps (Options::session_life) and made again when it is
  // lost.
  Runner(const std::map<NodeName, Target>& targets, Options options, const Clock& clock);
  // Closes all sessions; steps still running are abandoned.
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

// Returns the whole content. Fails with ErrorCode::not_found, denied, or stale if it has not
// exactly `bytes` or another digest (64 lower-case hex digits): only planned content leaves this
// machine.
Result<std::string> read_local_file(
    const std::string& path, std::uint64_t bytes, std::string_view sha256);

}  // namespace fabric::ssh
