// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/paths/pings.hpp"

namespace fabric::platform {

namespace {

constexpr int kAnswerSeconds = 1;

class LinuxPing final : public PingTool {
 public:
  remote::Argv command(const Ping& ping, bool full) const override {
    remote::Argv argv{"ping"};
    if (is_ipv6(ping)) argv.emplace_back("-6");
    argv.insert(
        argv.end(),
        {"-n", "-c", "1", "-W", std::to_string(kAnswerSeconds), "-I", ping.from_interface});
    if (full)
      argv.insert(argv.end(), {"-M", "do", "-s", std::to_string(ping.mtu - header_bytes(ping))});
    argv.push_back(ping.to_address);
    return argv;
  }
  bool has_exit_status() const override { return true; }

  PingJudgement judge(const PingOutput& output) const override {
    if (*output.exit_status == 0) return {Passage::passed, {}};
    constexpr int kNotFound = 127;
    if (*output.exit_status == kNotFound) return {Passage::untested, "ping is not installed"};
    // BusyBox knows no -M; iputils says "invalid option" for what it lacks.
    if (contains(output, "invalid option") || contains(output, "unrecognized option")) {
      return {
          Passage::untested,
          "this ping has no -M (BusyBox), so whether the full MTU passes is unknown"};
    }
    if (contains(output, "operation not permitted") || contains(output, "permission denied")) {
      return {Passage::untested, complaint(output)};
    }
    return {Passage::lost, complaint(output)};
  }
};

}  // namespace

const PingTool& linux_ping() {
  static const LinuxPing ping;
  return ping;
}

}  // namespace fabric::platform
