// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/machine/esxi_platform.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/text.hpp"
#include "providers/esxi/machine/identity.hpp"
#include "providers/esxi/machine/maintenance_mode.hpp"
#include "providers/esxi/machine/pings.hpp"
#include "providers/esxi/machine/session_path.hpp"
#include "providers/esxi/machine/sh/scripts.hpp"
#include "providers/posix/machine/link_state.hpp"
#include "providers/posix/machine/probe_script.hpp"

namespace fabric::platform {

namespace {

// A session that is no login lacks some of them (E-esxi-path); the vendor's tools are in none.
constexpr std::string_view kFolders = "/bin:/sbin:/usr/lib/vmware/bin:/opt/mellanox/bin";

// Of a host that is busy with something else.
constexpr Duration kFlushTimeout{120'000};
constexpr Duration kAskTimeout{30'000};

class EsxiBootProof final : public BootProof {
 public:
  bool has_boot_id() const override { return false; }

  // Refused outside of maintenance mode, by its text alone (E-esxi-reboot).
  remote::Argv reboot_command() const override {
    return {"esxcli", "system", "shutdown", "reboot", "-d", "10", "-r", "fabric apply"};
  }

  remote::Step ask() const override {
    // It writes the mark where none is: not `reads_only`.
    return remote::step::Run{
        .command = {{"sh", "-c", sh::esxi_boot}, {}, kAskTimeout}, .fresh_session = true};
  }

  // Strict: what stands beside the two lines makes them no answer.
  std::optional<Boot> boot(const remote::StepResult& result) const override {
    constexpr std::string_view kMark = "mark ";
    constexpr std::string_view kUptime = "uptime ";
    if (result.outcome != remote::Outcome::succeeded || result.output.exit_status != 0)
      return std::nullopt;
    const auto lines = split_lines(std::string_view{result.output.standard_output});
    if (lines.size() != 2 || !lines[0].starts_with(kMark) || !lines[1].starts_with(kUptime))
      return std::nullopt;
    const std::string_view mark = lines[0].substr(kMark.size());
    const std::size_t dash = std::min(mark.find('-'), mark.size());
    const auto made_at = parse_unsigned(mark.substr(0, dash), 10);
    const bool has_day = dash < mark.size() && parse_unsigned(mark.substr(dash + 1), 10);
    const auto microseconds = parse_unsigned(lines[1].substr(kUptime.size()), 10);
    if (!made_at || !has_day || !microseconds || *made_at > *microseconds) return std::nullopt;
    return Boot{std::string{mark}, Duration{static_cast<std::int64_t>(*microseconds / 1'000)}};
  }
};

class EsxiPlatform final : public HostPlatform {
 public:
  Platform id() const override { return Platform::esxi; }

  // Text piped to sh runs where files that no package brought do not (E-esxi-installed-only).
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

  Probe identity_probe() const override { return esxi_identity_probe(); }
  Identity identity(const NodeFacts& facts) const override { return esxi_identity_of(facts); }

  std::vector<Probe> own_probes() const override {
    return {esxi_session_probe(), {kLinkStateProbe, std::string{sh::probe_esxi_link_state.text}}};
  }
  const std::vector<NetDevice>& devices(const NodeFacts& facts) const override {
    return devices_of(facts);
  }
  SessionReader session_reader() const override { return &esxi_session_path; }

  remote::Step command_step(remote::Command command) const override {
    return remote::step::Run{std::move(command), false};
  }
  // esxcli prints its errors as output and ends with 0 or 1 (E-esxcli-errors).
  bool has_exit_status() const override { return false; }
  // The configuration lives in memory and is saved once an hour, and at a shutdown (E-esxi-backup).
  std::optional<remote::Step> flush_step() const override {
    return remote::step::Run{
        .command = {{"sh", "-c", "PATH=$PATH:/bin:/sbin\nauto-backup.sh"}, {}, kFlushTimeout}};
  }
  const BootProof* boot_proof() const override { return &boot_proof_; }
  const MaintenanceMode* maintenance_mode() const override { return &esxi_maintenance_mode(); }
  const PingTests* ping_tests() const override { return &pings_; }

 private:
  EsxiPings pings_;
  EsxiBootProof boot_proof_;
};

}  // namespace

const HostPlatform& esxi_platform() {
  static const EsxiPlatform platform;
  return platform;
}

}  // namespace fabric::platform
