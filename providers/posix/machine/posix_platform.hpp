// SPDX-License-Identifier: Apache-2.0
// PosixPlatform: the common part of platforms with a POSIX shell. All probes of a node are one
// script, and commands run as they are.
#pragma once

#include "engine/platform/host_platform.hpp"
#include "providers/posix/machine/probe_script.hpp"

namespace fabric::platform {

class PosixPlatform : public HostPlatform {
 public:
  remote::Step probe_step(
      std::span<const Probe> probes,
      std::string_view nonce,
      Duration timeout,
      bool fresh_session) const final {
    return remote::step::Run{
        .command = probe_command(probes, nonce, timeout, folders_),
        .fresh_session = fresh_session,
        .reads_only = true};
  }
  Result<ProbeOutputs> probe_outputs(
      std::span<const Probe> probes,
      std::string_view nonce,
      const remote::StepResult& result,
      ProbeTexts& texts) const final {
    return split_probe_output(probes, nonce, result.output, texts, id());
  }
  std::optional<Platform> other_platform(
      std::string_view nonce, const remote::StepResult& result) const final {
    return platform_that_answered(nonce, result.output, id());
  }
  remote::Step command_step(remote::Command command) const final {
    return remote::step::Run{std::move(command), false};
  }

 protected:
  // `folders`: the path in which programs are searched after that of the login; must outlive this.
  explicit PosixPlatform(std::string_view folders) : folders_{folders} {}

 private:
  std::string_view folders_;
};

}  // namespace fabric::platform
