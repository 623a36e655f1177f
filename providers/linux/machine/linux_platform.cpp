// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/linux_platform.hpp"

#include <utility>

#include <fmt/format.h>

#include "providers/linux/machine/fencing.hpp"
#include "providers/linux/machine/host_routing.hpp"
#include "providers/linux/machine/identity.hpp"
#include "providers/linux/machine/link_probes.hpp"
#include "providers/linux/machine/node_lock.hpp"
#include "providers/linux/machine/paths/path_tests.hpp"
#include "providers/linux/machine/pending_boot_probe.hpp"
#include "providers/linux/machine/plan_record.hpp"
#include "providers/linux/machine/rollback_timer.hpp"
#include "providers/linux/machine/session_path.hpp"
#include "providers/linux/machine/sh/scripts.hpp"
#include "providers/posix/machine/link_state.hpp"
#include "providers/posix/machine/probe_script.hpp"

namespace fabric::platform {

namespace {

// Non-login shells on Debian lack the sbin folders.
constexpr std::string_view kFolders =
    "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin";
constexpr Duration kAskTimeout{10'000};
// Of a disk that is busy with something else.
constexpr Duration kFlushTimeout{120'000};

class LinuxBootProof final : public BootProof {
 public:
  remote::Argv reboot_command() const override { return {"systemctl", "reboot"}; }

  remote::Step ask() const override {
    return remote::step::Run{
        .command = {{"cat", "/proc/sys/kernel/random/boot_id"}, {}, kAskTimeout},
        .fresh_session = true,
        .reads_only = true};
  }

  // Strict: a banner or a wall message beside the id is no answer.
  std::optional<Boot> boot(const remote::StepResult& result) const override {
    if (result.outcome != remote::Outcome::succeeded || result.output.exit_status != 0)
      return std::nullopt;
    std::string text = result.output.standard_output;
    if (text.ends_with('\n')) text.pop_back();
    if (!is_boot_id(text)) return std::nullopt;
    return Boot{std::move(text)};
  }
};

// A transport with a POSIX shell does these steps by scripts of its own (engine/remote/perform).
class LinuxFileWriter final : public FileWriter {
 public:
  remote::Step write(const remote::step::WriteFile& file) const override { return file; }
  remote::Step copy(const remote::step::CopyFile& file) const override { return file; }
  remote::Step remove(const remote::step::RemoveFile& file) const override { return file; }
};

class LinuxPlatform final : public HostPlatform {
 public:
  Platform id() const override { return Platform::linux; }

  remote::Step probe_step(
      std::span<const Probe> probes,
      std::string_view nonce,
      Duration timeout,
      bool fresh_session) const override {
    return remote::step::Run{
        .command = probe_command(probes, nonce, timeout, kFolders),
        .fresh_session = fresh_session,
        .reads_only = true};
  }
  Result<ProbeOutputs> probe_outputs(
      std::span<const Probe> probes,
      std::string_view nonce,
      const remote::StepResult& result,
      ProbeTexts& texts) const override {
    return split_probe_output(probes, nonce, result.output, texts);
  }

  Probe identity_probe() const override { return platform::identity_probe(); }
  Identity identity(const NodeFacts& facts) const override { return identity_of(facts); }
  std::vector<Probe> own_probes() const override {
    return {link_state_probe(), lldp_probe(), session_probe(), pending_boot_probe()};
  }
  const std::vector<NetDevice>& devices(const NodeFacts& facts) const override {
    return devices_of(facts);
  }
  Result<std::vector<Neighbour>> neighbours(const NodeFacts& facts) const override {
    return lldp_neighbours(facts);
  }
  RoutingReader routing_reader() const override { return &host_routing_of; }
  SessionReader session_reader() const override { return &session_path_of; }

  remote::Step command_step(remote::Command command) const override {
    return remote::step::Run{std::move(command), false};
  }
  std::optional<remote::Step> flush_step() const override {
    return remote::step::Run{
        remote::Command{{"sh", "-c", sh::system_flush}, {}, kFlushTimeout}, false};
  }
  bool has_exit_status() const override { return true; }
  std::string_view state_folder() const override { return "/var/lib/fabric"; }

  const FileWriter* file_writer() const override { return &file_writer_; }
  const BootProof* boot_proof() const override { return &boot_proof_; }
  const NodeLock* node_lock() const override { return &node_lock_; }
  const Fencing* fencing() const override { return &fencing_; }
  const RollbackTimer* rollback_timer() const override { return &rollback_timer_; }
  const PlanRecord* plan_record() const override { return &plan_record_; }
  const PathTests* path_tests() const override { return &path_tests_; }

 private:
  LinuxFileWriter file_writer_;
  LinuxBootProof boot_proof_;
  LinuxNodeLock node_lock_;
  LinuxFencing fencing_;
  LinuxRollbackTimer rollback_timer_;
  LinuxPlanRecord plan_record_;
  LinuxPathTests path_tests_;
};

}  // namespace

const HostPlatform& linux_platform() {
  static const LinuxPlatform platform;
  return platform;
}

}  // namespace fabric::platform
