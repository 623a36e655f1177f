// SPDX-License-Identifier: Apache-2.0
// HostPlatform: one kind of machine, and its abilities. Pure: it names steps and reads their
// results; it never holds a connection. A part that a platform does not have is null, and the
// planner refuses by it (engine/platform/capabilities).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/abstract.hpp"
#include "engine/base/result.hpp"
#include "engine/model/spec.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/host_network.hpp"
#include "engine/platform/host_parts.hpp"
#include "engine/platform/identity.hpp"
#include "engine/platform/neighbour.hpp"
#include "engine/platform/path_tests.hpp"
#include "engine/platform/probe.hpp"
#include "engine/platform/probe_texts.hpp"
#include "engine/platform/rollback_timer.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::platform {

using ProbeOutputs = std::map<std::string, ProbeOutput, std::less<>>;  // by probe id

class HostPlatform : public Abstract {
 public:
  // The name of the platform in a document.
  virtual Platform id() const = 0;

  // Reading. Probe::script is in the platform's own language: sh, lines at a prompt, a path of an
  // interface. All probes of a node are one step. `nonce` is a word that no tool knows, to separate
  // the answers.
  virtual remote::Step probe_step(
      std::span<const Probe> probes,
      std::string_view nonce,
      Duration timeout,
      bool fresh_session) const = 0;
  // REQUIRES: the outcome is `succeeded`. Fails with ErrorCode::invalid, naming the probe, if an
  // answer is missing or cut short.
  virtual Result<ProbeOutputs> probe_outputs(
      std::span<const Probe> probes,
      std::string_view nonce,
      const remote::StepResult& result,
      ProbeTexts& texts) const = 0;
  // The platform that answered if it was another one, as far as its answer shows.
  virtual std::optional<Platform> other_platform(
      std::string_view /*nonce*/, const remote::StepResult& /*result*/) const {
    return std::nullopt;
  }

  // The identity of the node. Its probe is asked with every reading.
  virtual Probe identity_probe() const = 0;
  virtual Identity identity(const NodeFacts& facts) const = 0;
  // The probes of discovery besides those of providers: the session, and readings that `verify`
  // needs.
  virtual std::vector<Probe> own_probes() const { return {}; }
  // The network devices with hardware, by the platform's own probes; valid as long as the facts.
  virtual const std::vector<NetDevice>& devices(const NodeFacts& /*facts*/) const {
    static const std::vector<NetDevice> none;
    return none;
  }
  // The neighbours of its ports, by its own probes. Fails with the reason why they are unknown.
  virtual Result<std::vector<Neighbour>> neighbours(const NodeFacts& /*facts*/) const {
    return Error{ErrorCode::invalid, "LLDP is not read on " + std::string{to_string(id())}};
  }
  // The interfaces that carry our own session. Unknown on a platform that can't tell: then work on
  // any interface counts as touching it.
  SessionPath session_path(const NodeFacts& facts) const {
    const SessionReader read = session_reader();
    return read == nullptr ? SessionPath{} : read(facts);
  }

  // Writing. A command as a step, in the platform's way to run its words.
  virtual remote::Step command_step(remote::Command command) const = 0;
  // Lines of a plan (WorkSteps::converse) as sessions of configuration, each line with `timeout`.
  // Empty where the platform has no prompt.
  virtual std::vector<remote::Step> conversations(
      std::span<const std::string> /*lines*/, Duration /*timeout*/) const {
    return {};
  }
  // True if a command ends with a status that shows success. Without, silence proves nothing and
  // only the read-back decides.
  virtual bool has_exit_status() const = 0;
  // True if the output of a command says that a warm reboot does not activate its settings: the
  // tools of the cards have the same words everywhere (E-mlxconfig-power-cycle).
  virtual bool asks_for_power_cycle(const remote::CommandOutput& output) const {
    return output.standard_output.find("Please power cycle machine") != std::string::npos;
  }
  // Puts files that commands have written on the disk, so that they survive a power cut; a step of
  // files does that by itself. Nullopt: commands write nothing that could be lost.
  virtual std::optional<remote::Step> flush_step() const { return std::nullopt; }
  // The folder of fabric's own records there, absolute, without a slash at its end; "" = none.
  // REQUIRES for one: file_writer().
  virtual std::string_view state_folder() const { return {}; }

  virtual SessionReader session_reader() const { return nullptr; }
  virtual RoutingReader routing_reader() const { return nullptr; }
  virtual const FileWriter* file_writer() const { return nullptr; }
  virtual const BootProof* boot_proof() const { return nullptr; }
  virtual const NodeLock* node_lock() const { return nullptr; }
  // A node whose platform has it is only disrupted while in that mode.
  virtual const MaintenanceMode* maintenance_mode() const { return nullptr; }
  // REQUIRES for one: node_lock().
  virtual const Fencing* fencing() const { return nullptr; }
  virtual const RollbackTimer* rollback_timer() const { return nullptr; }
  virtual const PlanRecord* plan_record() const { return nullptr; }
  virtual const PathTests* path_tests() const { return nullptr; }
  // Also for a platform that can ping but has no other path tests.
  virtual const PingTests* ping_tests() const { return path_tests(); }
  // For a machine with port counters and without path tests: a switch.
  virtual const PortCounters* port_counters() const { return path_tests(); }
};

}  // namespace fabric::platform
