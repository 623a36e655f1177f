// SPDX-License-Identifier: Apache-2.0
// Machine: one simulated machine of any platform: its clock and power, the work of a user who is
// logged in, and what faults must save and restore. The cables' view of it is in wire_end.hpp;
// LabSpec::makers makes one for a node of the document.
//
// A new platform derives from Machine and overrides the functions without a default, its users'
// work (exec, open_prompt), and its ports.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/random.hpp"
#include "engine/lab/machine/lab_host.hpp"
#include "engine/lab/machine/network.hpp"
#include "engine/lab/machine/wire_end.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::lab {

// 1767225600000 = 2026-01-01T00:00:00Z: the lab's clock starts there in every run.
inline constexpr std::int64_t kEpochMilliseconds = 1'767'225'600'000;

// The output of a command.
struct MachineReply {
  int exit_status = 0;
  std::string standard_output;
  std::string standard_error;
  Duration took{0};
};

// A session at a prompt, over a PTY: bytes in, bytes out, with echo and escape sequences of the
// system. Its modes end with it. It must not outlive its machine, nor a boot.
class PromptSession {
 public:
  struct Shown {
    std::string text;
    Duration took{0};
  };
  virtual ~PromptSession() = default;
  // Called once, before any key: banner and prompt.
  virtual Shown greet() = 0;
  // The output after these keys; "\n" ends a line.
  virtual Shown type(std::string_view keys) = 0;
  // True after a logout.
  virtual bool ended() const = 0;
};

// All state that a change can touch, for Machine::restore() of the same machine.
class SavedState {
 public:
  virtual ~SavedState() = default;
};

class Machine : public WireEnd {
 public:
  Machine(NodeName name, std::uint64_t seed) : random{seed}, name_{std::move(name)} {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() override = default;

  // Clock and power. The machine advances `now` while it works, the lab in between.
  Random random;
  TimePoint now{};
  TimePoint booted{};
  std::int64_t epoch = 0;   // unix milliseconds at TimePoint{}
  int clock_rate = 1000;    // LabClocks::rate
  Duration stood_still{0};  // all its clocks, since the boot
  bool os_running = false;
  // The time of a shutdown that a command asked for; the lab carries it out.
  std::optional<TimePoint> shutdown_at;
  // The power fails right after this many further changes().
  std::optional<std::uint64_t> power_fails_after;
  bool power_failed = false;

  const NodeName& name() const final { return name_; }
  bool powered() const final { return os_running; }
  // The time since the boot, by the machine's own clock.
  Duration uptime() const { return (now - booted - stood_still) * clock_rate / 1000; }
  std::int64_t unix_milliseconds() const { return epoch + now.time_since_epoch().count(); }
  // True if nothing runs any more: the power failed, or the shutdown is killing processes. Code
  // that does several things checks it before each.
  bool stopped() const;
  // From power on until a login works.
  virtual Duration boot_time() const { return Duration{2000}; }

  // Changes of the persistent or running state since the start: a fault strikes where they
  // increase.
  virtual std::uint64_t changes() const = 0;
  virtual std::unique_ptr<SavedState> save() const = 0;
  virtual void restore(std::unique_ptr<SavedState> saved) = 0;
  // Everything that persists or runs except time, counters and logs; equal bytes for equal states.
  virtual std::string state_text() const = 0;
  // A stand-in for a host key: stable for a machine, different between machines.
  virtual std::string identity() const = 0;

  // The system starts: the persistent state becomes the running state. Overrides call start_clock()
  // first.
  virtual void boot(const Network& network) = 0;
  // After the very first boot: makes the changes that lab.yaml leaves for the next boot.
  virtual void prepare(const LabHost& /*host*/) {}
  // Updates the machine from the other ends of its cables.
  virtual void settle(const Network& /*network*/, std::int64_t /*unix_milliseconds*/) {}
  // The time of the next event by itself while it is up (a timer, a job); and its work.
  virtual std::optional<TimePoint> next_event() const { return std::nullopt; }
  virtual void on_event(const Network& /*network*/) {}

  // A session over SSH. A machine without a shell refuses commands in its own words.
  virtual MachineReply exec(
      const Network& network, std::string_view user, std::string_view line, std::string_view input);
  // True if the command reads its input, which a client may send after the command.
  virtual bool reads_input(std::string_view /*line*/) const { return false; }
  // False: a request for an interactive session is refused, and open_prompt() returns null.
  virtual bool has_prompt() const { return false; }
  virtual std::unique_ptr<PromptSession> open_prompt(
      const Network& /*network*/, std::string_view /*user*/) {
    return nullptr;
  }
  // An external program orders a reboot: a cluster manager.
  virtual void order_reboot(const Network& network) = 0;

  // For a machine with a disk: a shutdown writes back all unsynced changes; a power loss may lose
  // or tear each of them. The last function returns the files that could be lost now.
  virtual void write_back() {}
  virtual void lose_unsynced() {}
  virtual std::vector<std::string> unsynced_files() const { return {}; }

  // Faults that only some machines can have.
  virtual void set_disk_full(bool /*full*/) {}
  // The configuration that its management network depends on; a change of it may cut it off.
  virtual std::string network_in_force() const { return ""; }

  // For a machine with files.
  virtual std::optional<std::string> read_file(std::string_view /*path*/) const {
    return std::nullopt;
  }
  virtual std::vector<std::string> touched_files() const { return {}; }

 protected:
  void start_clock();

 private:
  NodeName name_;
};

// FNV-1a: what a machine draws from its names.
std::uint64_t hash_of(std::string_view text);

}  // namespace fabric::lab
