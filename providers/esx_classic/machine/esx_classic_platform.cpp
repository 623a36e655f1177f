// SPDX-License-Identifier: Apache-2.0
#include "providers/esx_classic/machine/esx_classic_platform.hpp"

#include "engine/base/text.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/host_network.hpp"
#include "providers/esx_classic/machine/sh/scripts.hpp"
#include "providers/esxi/machine/esxi_platform.hpp"
#include "providers/linux/machine/identity.hpp"
#include "providers/linux/machine/linux_platform.hpp"
#include "providers/posix/machine/posix_platform.hpp"

namespace fabric::platform {

namespace {

remote::Argv script(const remote::Script& script, const char* name) {
  return {"sh", "-c", script, name};
}

class EsxClassicMaintenanceMode final : public MaintenanceMode {
 public:
  remote::Argv note() const override { return script(sh::esx_maintenance_note, "fabric-note"); }
  remote::Argv enter(Duration within) const override {
    remote::Argv argv = script(sh::esx_maintenance_enter, "fabric-enter");
    argv.push_back(std::to_string(within.count() / 1'000));
    return argv;
  }
  remote::Argv leave() const override { return script(sh::esx_maintenance_leave, "fabric-leave"); }
};

}  // namespace

const MaintenanceMode& esx_classic_maintenance_mode() {
  static const EsxClassicMaintenanceMode mode;
  return mode;
}

Probe esx_classic_maintenance_probe() {
  return {"esx-maintenance", std::string{sh::probe_esx_maintenance.text}};
}

namespace {

// The uplinks of an ESX host that carry the session, from the probe "session".

// The address of the session is that of an interface of the console, which is on a port group of a
// virtual switch with uplinks. Names of port groups may have single blanks: two blanks end a cell
// (E-esx-classic-tables). Port groups of distributed switches are not listed.
Probe esx_classic_session_probe() {
  return {"session", std::string{sh::probe_esx_session.text}};
}

// In the same words as for ESXi.
SessionPath esx_classic_session_path(const NodeFacts& facts) {
  return esxi_session_path(facts);
}

constexpr std::string_view kFolders = "/usr/sbin:/sbin:/usr/bin:/bin";
constexpr Duration kFlushTimeout{120'000};
constexpr const char* kIdentityProbe = "identity";

// systemd came later.
class ConsoleBootProof final : public BootProof {
 public:
  remote::Argv reboot_command() const override { return {"reboot"}; }
  remote::Step ask() const override { return linux_platform().boot_proof()->ask(); }
  std::optional<Boot> boot(const remote::StepResult& result) const override {
    return linux_platform().boot_proof()->boot(result);
  }
};

// "VMware ESX 4.0.0 build-164009", "VMware ESX Server 3.5.0 build-64607"
void read_version(Identity& identity, std::string_view text) {
  const std::vector<std::string_view> words = split_words(text);
  if (words.size() < 3 || words[0] != "VMware" || words[1] != "ESX") return;
  identity.os_id = "esx";
  identity.os_version = words[words[2] == "Server" && words.size() > 3 ? 3 : 2];
  identity.kernel = words.back();
}

class EsxClassicPlatform final : public PosixPlatform {
 public:
  EsxClassicPlatform() : PosixPlatform{kFolders} {}
  Platform id() const override { return Platform::esx_classic; }

  Probe identity_probe() const override {
    return {kIdentityProbe, std::string{sh::probe_esx_identity.text}};
  }

  Identity identity(const NodeFacts& facts) const override {
    Identity identity;
    const std::string* text = facts.output(kIdentityProbe);
    if (text == nullptr) return identity;
    for (const std::string_view line : split_lines(*text)) {
      const std::size_t blank = std::min(line.find(' '), line.size());
      const std::string_view word = line.substr(0, blank);
      const std::string_view rest = trim(line.substr(blank));
      if (word == "uuid") identity.machine_id = rest;
      if (word == "boot" && is_boot_id(rest)) identity.boot_id = rest;
      if (word == "hostname") identity.hostname = rest;
      if (word == "version") read_version(identity, rest);
    }
    return identity;
  }

  std::vector<Probe> own_probes() const override { return {esx_classic_session_probe()}; }
  SessionReader session_reader() const override { return &esx_classic_session_path; }

  bool has_exit_status() const override { return true; }
  // The configuration is files on the console's own disk.
  std::optional<remote::Step> flush_step() const override {
    return remote::step::Run{.command = {{"sync"}, {}, kFlushTimeout}};
  }
  const BootProof* boot_proof() const override { return &boot_proof_; }
  const MaintenanceMode* maintenance_mode() const override {
    return &esx_classic_maintenance_mode();
  }

 private:
  ConsoleBootProof boot_proof_;
};

}  // namespace

const HostPlatform& esx_classic_platform() {
  static const EsxClassicPlatform platform;
  return platform;
}

}  // namespace fabric::platform
