// SPDX-License-Identifier: Apache-2.0
// The pings of one host as one script of sh, and the parser of its output. The name of ping and the
// meaning of its output differ from system to system.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/abstract.hpp"
#include "engine/platform/path_tests.hpp"
#include "engine/remote/command.hpp"

namespace fabric::platform {

// Headers that stand between the IP MTU and ping's payload, in bytes.
std::uint32_t header_bytes(const Ping& ping);
bool is_ipv6(const Ping& ping);

// The output of one ping.
struct PingOutput {
  std::vector<std::string_view> lines;
  std::optional<std::int64_t> exit_status;  // nullopt: the answer was cut short
};
// True if one of the lines has `needle`, in any case. `needle` is in small letters.
bool contains(const PingOutput& output, std::string_view needle);
// The line to report: the last one that is neither empty nor ping's usual output.
std::string complaint(const PingOutput& output);

struct PingJudgement {
  Passage passage = Passage::untested;
  std::string detail;
};

// The ping program of one system.
class PingTool : public Abstract {
 public:
  // `full`: sends packets of the whole MTU, with fragmentation forbidden.
  virtual remote::Argv command(const Ping& ping, bool full) const = 0;
  // True if exit status 0 means an answer: a full ping follows only an answer.
  virtual bool has_exit_status() const = 0;
  // REQUIRES: the output has an exit status.
  virtual PingJudgement judge(const PingOutput& output) const = 0;
};

remote::Command ping_command(
    const PingTool& tool, std::span<const Ping> pings, std::string_view path);
std::vector<PingAnswer> ping_answers(
    const PingTool& tool, std::span<const Ping> pings, const remote::CommandOutput& output);

}  // namespace fabric::platform
