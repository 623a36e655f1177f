// SPDX-License-Identifier: Apache-2.0
// A single simulated host without a lab around it, for tests of shell and commands.
#pragma once

#include <string>
#include <vector>

#include "providers/linux/lab/linux_machine.hpp"
#include "providers/linux/lab/shell/process.hpp"
#include "providers/linux/lab/system/base_system.hpp"

namespace fabric::lab {

class NoNetwork final : public Network {
 public:
  bool carrier(const Machine&, std::size_t, std::uint32_t) const override { return false; }
  PingResult ping(const Machine&, const PingRequest&) const override {
    return {PingOutcome::no_route, "", 0, 0};
  }
};

struct Answer {
  int status = 0;
  std::string out;
  std::string err;
  bool operator==(const Answer&) const = default;
};

struct BenchHost {
  explicit BenchHost(
      MachineProfile profile = {.name = "node1", .address = "192.0.2.11", .users = {"admin"}})
      : machine{std::move(profile), 7} {
    install_base_system(machine);
    machine.state.files.install_directory("/tmp");
    machine.os_running = true;
  }

  Answer run(
      const std::string& script, const std::string& input = "", const std::string& user = "root") {
    Session session{machine, network};
    const Handle in = session.open_buffer(input);
    const Handle out = session.open_buffer("");
    const Handle err = session.open_buffer("");
    const std::string path = user == "root" ? "/usr/sbin:/usr/bin:/sbin:/bin" : "/usr/bin:/bin";
    Process process{
        session,
        {"sh"},
        {{"PATH", path}, {"HOME", "/root"}},
        {{0, in}, {1, out}, {2, err}},
        user,
        "/"};
    const int status = run_script(process, script, "sh", {});
    took = session.elapsed;
    return Answer{status, session.file(out).data, session.file(err).data};
  }

  NoNetwork network;
  LinuxMachine machine;
  Duration took{0};
};

}  // namespace fabric::lab
