// SPDX-License-Identifier: Apache-2.0
// The first line says what was asked: `lock`, `timer`, `timers`, `boot` or `probes`; the second one
// is the exit status; any bytes are the node's answer. A lock that is not understood is held, a
// timer that is not understood is unknown, and what is told of another run can be told.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "providers/linux/machine/linux_platform.hpp"

namespace fabric::platform {
namespace {

remote::StepResult result_of(std::string_view status, std::string_view answer) {
  remote::StepResult result;
  result.output.exit_status = static_cast<int>(parse_integer(status).value_or(0) & 0xff);
  const std::size_t half = answer.find("\n%%\n");
  result.output.standard_output = answer.substr(0, half);
  if (half != std::string_view::npos) result.output.standard_error = answer.substr(half + 4);
  return result;
}

void read_answer(std::string_view asked, const remote::StepResult& result) {
  const HostPlatform& host = linux_platform();
  if (asked == "lock") {
    const Result<LeaseAnswer> answer = host.node_lock()->answer(result);
    if (!answer) FABRIC_CHECK(!answer.error().message.empty(), "a refusal says why");
    if (answer && answer->found)
      FABRIC_CHECK(!answer->found->holder.run.empty(), "a lease is of a run");
  } else if (asked == "timer") {
    static_cast<void>(host.rollback_timer()->state(result));
  } else if (asked == "timers") {
    for (const FoundGuard& found : host.rollback_timer()->found(result))
      FABRIC_CHECK(!found.token.empty(), "a timer has a token");
  } else if (asked == "boot") {
    const std::optional<Boot> boot = host.boot_proof()->boot(result);
    FABRIC_CHECK(!boot || !boot->mark.empty(), "a boot has a mark or none is known");
  } else if (asked == "probes") {
    const std::vector<Probe> probes{host.identity_probe()};
    platform::ProbeTexts texts;
    const Result<ProbeOutputs> outputs =
        host.probe_outputs(probes, "0123456789abcdef", result, texts);
    FABRIC_CHECK(!outputs || outputs->size() <= probes.size(), "only what was asked is answered");
  }
}

}  // namespace
}  // namespace fabric::platform

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{data, data + size};
  const std::string_view all = text;
  const std::size_t first = all.find('\n');
  if (first == std::string_view::npos) return 0;
  const std::size_t second = all.find('\n', first + 1);
  if (second == std::string_view::npos) return 0;
  fabric::platform::read_answer(
      all.substr(0, first),
      fabric::platform::result_of(
          all.substr(first + 1, second - first - 1), all.substr(second + 1)));
  return 0;
}
