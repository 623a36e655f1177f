// SPDX-License-Identifier: Apache-2.0
#include "providers/nvue/machine/nvue_platforms.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/value/json.hpp"
#include "providers/linux/machine/linux_platform.hpp"
#include "providers/nvue/machine/rollback_timer.hpp"
#include "providers/posix/machine/probe_script.hpp"

namespace fabric::platform {

namespace {

constexpr Duration kTimeout{60'000};

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
  const Map* map = told == nullptr ? nullptr : told->as_map();
  if (map == nullptr) return;
  for (const auto& [name, value] : *map) {
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
