// SPDX-License-Identifier: Apache-2.0
#include "providers/nvue/machine/nvue_platforms.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/platform/rollback_timer.hpp"
#include "engine/value/json.hpp"
#include "providers/linux/machine/linux_platform.hpp"
#include "providers/nvue/machine/sh/scripts.hpp"
#include "providers/posix/machine/probe_script.hpp"

namespace fabric::platform {
namespace {

// `nv config apply --confirm`, which the switch itself rolls back unless it is confirmed. Beside it
// fabric keeps a record, one folder for each token: the owner of the timer, the time until which it
// may still apply, and the former configuration.
class NvueRollbackTimer final : public RollbackTimer {
 public:
  // `undo` is not used: NVUE restores the whole former revision.
  remote::Step arm(const GuardOrder& order, const WorkSteps& undo) const override;
  bool holds_back(const remote::Step& step) const override;
  // Adds `--confirm` with the remaining time to `nv config apply`.
  remote::Step while_armed(const std::string& token, remote::Step step) const override;
  // Confirms, then saves: a save before the confirmation would outlast the rollback.
  remote::Step disarm(const std::string& token) const override;
  remote::Step fire(const std::string& token) const override;
  remote::Step ask(const std::string& token) const override;
  remote::Step clear(const std::string& token) const override;
  GuardState state(const remote::StepResult& result) const override;
  // Also finds a confirmation that a foreign revision waits for.
  remote::Step find() const override;
  std::vector<FoundGuard> found(const remote::StepResult& result) const override;
};

constexpr const char* kGuards = "/var/lib/fabric/guard";
constexpr Duration kTimeout{60'000};
// For a revision that waits for a confirmation and is not of a run that fabric knows.
constexpr std::string_view kForeign = "0000000000000000";

std::string folder(const std::string& token) {
  return fmt::format("{}/{}", kGuards, token);
}

remote::step::Run shell(
    const remote::Script& script,
    const std::string& token,
    const remote::Argv& arguments,
    bool fresh) {
  remote::Argv argv{"sh", "-c", script, "fabric-guard", folder(token)};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return {remote::Command{std::move(argv), {}, kTimeout}, fresh};
}

bool is_apply(const remote::Argv& argv) {
  constexpr std::array<std::string_view, 3> kWords{"nv", "config", "apply"};
  return argv.size() >= kWords.size() && std::equal(kWords.begin(), kWords.end(), argv.begin());
}

remote::Step NvueRollbackTimer::arm(const GuardOrder& order, const WorkSteps& /*undo*/) const {
  return shell(
      sh::revision_arm,
      order.token,
      {std::to_string(order.timeout.count() / 1000), order.holder},
      false);
}

bool NvueRollbackTimer::holds_back(const remote::Step& step) const {
  return remote::has_gate(step) || !remote::is_sent(step);
}

remote::Step NvueRollbackTimer::while_armed(const std::string& token, remote::Step step) const {
  FABRIC_CHECK(holds_back(step), "a step that the rollback timer can't hold back");
  remote::set_gate(step, folder(token) + "/armed");
  auto* run = std::get_if<remote::step::Run>(&step);
  if (run == nullptr || !is_apply(run->command.argv)) return step;
  run->command.argv = shell(sh::revision_apply, token, run->command.argv, false).command.argv;
  return step;
}

remote::Step NvueRollbackTimer::disarm(const std::string& token) const {
  return shell(sh::revision_confirm, token, {}, true);
}

remote::Step NvueRollbackTimer::fire(const std::string& token) const {
  return shell(sh::revision_reject, token, {}, true);
}

remote::Step NvueRollbackTimer::ask(const std::string& token) const {
  remote::step::Run run = shell(sh::revision_ask, token, {}, true);
  run.reads_only = true;
  return run;
}

remote::Step NvueRollbackTimer::clear(const std::string& token) const {
  return shell(sh::revision_clear, token, {}, true);
}

GuardState NvueRollbackTimer::state(const remote::StepResult& result) const {
  const std::string_view word = trim(result.output.standard_output);
  if (word == "armed") return GuardState::armed;
  if (word == "firing") return GuardState::firing;
  if (word == "rolled-back") return GuardState::rolled_back;
  if (word == "disarmed") return GuardState::disarmed;
  return GuardState::unknown;
}

remote::Step NvueRollbackTimer::find() const {
  remote::step::Run run = shell(sh::revision_find, std::string{kForeign}, {}, false);
  run.reads_only = true;
  return run;
}

std::vector<FoundGuard> NvueRollbackTimer::found(const remote::StepResult& result) const {
  std::vector<FoundGuard> guards;
  for (const std::string_view line : split_lines(result.output.standard_output)) {
    const auto words = split_words(line);
    if (words.size() < 2) continue;
    if (words[0] == "foreign") {
      guards.push_back({std::string{kForeign}, fmt::format("revision {}", words[1]), true, true});
      continue;
    }
    // The token becomes part of commands.
    if (words[1].size() != kForeign.size() || !parse_unsigned(words[1], 16)) continue;
    const std::size_t at = line.find(words[1]) + words[1].size();
    guards.push_back(
        {std::string{words[1]}, std::string{trim(line.substr(at))}, words[0] == "firing"});
  }
  return guards;
}

struct Counter {
  std::string_view switches, kernels;
};
// Lost frames are no errors: a switch drops frames when a queue is full.
constexpr Counter kCounters[] = {
    {"carrier-down-count", "carrier_down_count"},
    {"carrier-transitions", "carrier_changes"},
    {"in-errors", "rx_errors"},
    {"out-errors", "tx_errors"},
    {"in-symbol-errors", "symbol_error"}};

void add_counters(Counters& counters, const Value* told) {
  for (const auto& [name, value] : or_null(told).members()) {
    const auto* known = std::ranges::find(kCounters, name, &Counter::switches);
    const std::int64_t* number = value.as_integer();
    if (known == std::end(kCounters) || number == nullptr || *number < 0) continue;
    counters.emplace(known->kernels, static_cast<std::uint64_t>(*number));
  }
}

class NvuePlatform final : public HostPlatform {
 public:
  explicit NvuePlatform(Platform id) : id_{id} {}

  Platform id() const override { return id_; }
  remote::Step probe_step(
      std::span<const Probe> probes,
      std::string_view nonce,
      Duration timeout,
      bool fresh_session) const override {
    return system().probe_step(probes, nonce, timeout, fresh_session);
  }
  Result<ProbeOutputs> probe_outputs(
      std::span<const Probe> probes,
      std::string_view nonce,
      const remote::StepResult& result,
      ProbeTexts& texts) const override {
    return split_probe_output(probes, nonce, result.output, texts, id_);
  }
  std::optional<Platform> other_platform(
      std::string_view nonce, const remote::StepResult& result) const override {
    return platform_that_answered(nonce, result.output, id_);
  }
  Probe identity_probe() const override { return system().identity_probe(); }
  Identity identity(const NodeFacts& facts) const override { return system().identity(facts); }
  std::vector<Probe> own_probes() const override { return system().own_probes(); }
  const std::vector<NetDevice>& devices(const NodeFacts& facts) const override {
    return system().devices(facts);
  }
  Result<std::vector<Neighbour>> neighbours(const NodeFacts& facts) const override {
    return system().neighbours(facts);
  }
  SessionReader session_reader() const override { return system().session_reader(); }

  remote::Step command_step(remote::Command command) const override {
    return system().command_step(std::move(command));
  }
  // NVUE's exit status (E-nvue-exec); the result is read back anyway.
  bool has_exit_status() const override { return true; }
  std::optional<remote::Step> flush_step() const override { return system().flush_step(); }
  std::string_view state_folder() const override { return system().state_folder(); }

  // Files are for our own records: what configures the switch is NVUE's.
  const BootProof* boot_proof() const override { return system().boot_proof(); }
  const NodeLock* node_lock() const override { return system().node_lock(); }
  const Fencing* fencing() const override { return system().fencing(); }
  const RollbackTimer* rollback_timer() const override { return &rollback_timer_; }
  const FileWriter* file_writer() const override { return system().file_writer(); }
  const PlanRecord* plan_record() const override { return system().plan_record(); }
  const PortCounters* port_counters() const override { return &port_counters_; }

 private:
  static const HostPlatform& system() { return linux_platform(); }

  Platform id_;
  NvueRollbackTimer rollback_timer_;
  NvuePortCounters port_counters_;
};

}  // namespace

remote::Step NvuePortCounters::read_ports() const {
  remote::Command command{{"sh", "-s"}, "nv show interface --operational -o json\n", kTimeout};
  return remote::step::Run{.command = std::move(command), .reads_only = true};
}

PortReadings NvuePortCounters::port_readings(const remote::StepResult& result) const {
  return parse_nvue_counters(result.output.standard_output);
}

PortReadings parse_nvue_counters(std::string_view text) {
  PortReadings readings;
  const Result<Value> told = parse_json(text);
  const Map* interfaces = told ? told->as_map() : nullptr;
  if (interfaces == nullptr) {
    readings.why_not = told ? "the switch listed no interfaces"
                            : "the switch's interfaces can't be read: " + told.error().message;
    return readings;
  }
  for (const auto& [name, interface] : *interfaces) {
    const Value* link = interface.find("link");
    if (link == nullptr) continue;
    Counters counters;
    add_counters(counters, link->find("stats"));
    add_counters(counters, link->find("counters"));
    if (!counters.empty()) readings.interfaces.emplace(name, std::move(counters));
  }
  return readings;
}

const HostPlatform& cumulus_platform() {
  static const NvuePlatform platform{Platform::cumulus};
  return platform;
}

const HostPlatform& nvos_platform() {
  static const NvuePlatform platform{Platform::nvos};
  return platform;
}

}  // namespace fabric::platform
