#include "engine/platform/linux/linux_platform.hpp"

#include "engine/platform/linux/identity.hpp"
#include "engine/platform/linux/link_probes.hpp"
#include "engine/platform/linux/node_lock.hpp"
#include "engine/platform/linux/probe_script.hpp"
#include "engine/platform/linux/rollback_timer.hpp"
#include "engine/platform/linux/session_path.hpp"

namespace fabric::platform {

namespace {

constexpr Duration kAskTimeout{10'000};

class LinuxBootProof final : public BootProof {
 public:
  remote::Argv reboot_command() const override { return {"systemctl", "reboot"}; }

  remote::Step ask() const override {
    return remote::step::Run{
        remote::Command{{"cat", "/proc/sys/kernel/random/boot_id"}, {}, kAskTimeout}, true};
  }

  // Strict: a banner or a wall message beside the id is no answer.
  std::optional<std::string> boot_id(const remote::StepResult& result) const override {
    if (result.outcome != remote::Outcome::succeeded || result.output.exit_status != 0)
      return std::nullopt;
    std::string text = result.output.standard_output;
    if (text.ends_with('\n')) text.pop_back();
    if (!is_boot_id(text)) return std::nullopt;
    return text;
  }
};

class LinuxPlatform final : public HostPlatform {
 public:
  Platform id() const override { return Platform::linux; }

  remote::Step probe_step(
      std::span<const Probe> probes,
      std::string_view nonce,
      Duration timeout,
      bool fresh_session) const override {
    return remote::step::Run{probe_command(probes, nonce, timeout), fresh_session};
  }
  Result<ProbeOutputs> probe_outputs(
      std::span<const Probe> probes,
      std::string_view nonce,
      const remote::StepResult& result) const override {
    return split_probe_output(probes, nonce, result.output);
  }

  Probe identity_probe() const override { return platform::identity_probe(); }
  Identity identity(const NodeFacts& facts) const override { return identity_of(facts); }
  std::vector<Probe> own_probes() const override {
    return {link_state_probe(), lldp_probe(), session_probe()};
  }
  SessionPath session_path(const NodeFacts& facts) const override { return session_path_of(facts); }

  remote::Step command_step(remote::Command command) const override {
    return remote::step::Run{std::move(command), false};
  }
  bool has_exit_status() const override { return true; }
  bool has_files() const override { return true; }
  std::string_view state_folder() const override { return "/var/lib/fabric"; }

  const BootProof* boot_proof() const override { return &boot_proof_; }
  const NodeLock* node_lock() const override { return &node_lock_; }
  const RollbackTimer* rollback_timer() const override { return &rollback_timer_; }

 private:
  LinuxBootProof boot_proof_;
  LinuxNodeLock node_lock_;
  LinuxRollbackTimer rollback_timer_;
};

}  // namespace

const HostPlatform& linux_platform() {
  static const LinuxPlatform kPlatform;
  return kPlatform;
}

}  // namespace fabric::platform
