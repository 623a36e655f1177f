// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/machine/esxi_platform.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/platform/identity.hpp"
#include "engine/platform/path_tests.hpp"
#include "providers/esxi/machine/sh/scripts.hpp"
#include "providers/posix/machine/ping_script.hpp"
#include "providers/posix/machine/posix_platform.hpp"

namespace fabric::platform {

namespace {

constexpr std::string_view kSessionPathProbe = "session";

}  // namespace

// The address that the session came in by is that of an interface of the kernel, that is on a port
// group, that on a virtual switch, and that has uplinks. Fields come in ASCII order
// (E-esxcli-keyvalue). A distributed switch is not among the standard ones.
Probe esxi_session_probe() {
  return {std::string{kSessionPathProbe}, std::string{sh::probe_esxi_session.text}};
}

SessionPath esxi_session_path(const NodeFacts& facts) {
  SessionPath path;
  path.unknown = "it was not asked";
  const std::string* text = facts.output(kSessionPathProbe);
  if (text == nullptr) return path;
  path.unknown = "nothing on the node shows the session's origin";
  for (const std::string_view line : split_lines(*text)) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    const std::string_view word = line.substr(0, blank);
    const std::string rest{trim(line.substr(blank))};
    if (word == "client") path.client = rest;
    if (word == "unknown") path.unknown = rest;
    if (word == "device") path.device = rest;
    if (word == "device" || word == "uplink") path.devices.insert(rest);
    if (word == "uplink") path.unknown.clear();
  }
  return path;
}

namespace {

constexpr int kLeaveSeconds = 300;

remote::Argv script(const remote::Script& script, const char* name) {
  return {"sh", "-c", script, name};
}

class EsxiMaintenanceMode final : public MaintenanceMode {
 public:
  remote::Argv note() const override { return script(sh::esxi_maintenance_note, "fabric-note"); }
  remote::Argv enter(Duration within) const override {
    remote::Argv argv = script(sh::esxi_maintenance_enter, "fabric-enter");
    argv.push_back(std::to_string(within.count() / 1'000));
    return argv;
  }
  remote::Argv leave() const override {
    remote::Argv argv = script(sh::esxi_maintenance_leave, "fabric-leave");
    argv.push_back(std::to_string(kLeaveSeconds));
    return argv;
  }
};

}  // namespace

const MaintenanceMode& esxi_maintenance_mode() {
  static const EsxiMaintenanceMode mode;
  return mode;
}

namespace {

// Pings from the interfaces of an ESXi host's kernel, by vmkping.

class EsxiPings final : public PingTests {
 public:
  remote::Step ping(std::span<const Ping> pings) const override;
  std::vector<PingAnswer> ping_answers(
      std::span<const Ping> pings, const remote::StepResult& result) const override;
};

constexpr int kAnswerSeconds = 1;

// "1 packets transmitted, 1 packets received, 0% packet loss": how many were received.
std::optional<std::uint64_t> received(const PingOutput& output) {
  for (const std::string_view line : output.lines) {
    if (line.find("packets transmitted") == std::string_view::npos) continue;
    const std::vector<std::string_view> words = split_words(line);
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].starts_with("received")) {
        const bool has_noun = words[i - 1] == "packets" && i >= 2;
        return parse_unsigned(words[has_noun ? i - 2 : i - 1], 10);
      }
    }
  }
  return std::nullopt;
}

// Judged by its output: its exit status is not documented (E-esxi-vmkping).
class Vmkping final : public PingTool {
 public:
  remote::Argv command(const Ping& ping, bool full) const override {
    remote::Argv argv{"vmkping"};
    if (is_ipv6(ping)) argv.emplace_back("-6");
    argv.insert(
        argv.end(), {"-I", ping.from_interface, "-c", "1", "-W", std::to_string(kAnswerSeconds)});
    if (full) argv.insert(argv.end(), {"-d", "-s", std::to_string(ping.mtu - header_bytes(ping))});
    argv.push_back(ping.to_address);
    return argv;
  }
  bool has_exit_status() const override { return false; }

  PingJudgement judge(const PingOutput& output) const override {
    const std::optional<std::uint64_t> answers = received(output);
    if (answers && *answers > 0) return {Passage::passed, {}};
    if (answers || contains(output, "message too long")) return {Passage::lost, complaint(output)};
    const std::string said = complaint(output);
    return {Passage::untested, said.empty() ? "vmkping said nothing" : said};
  }
};

const PingTool& vmkping() {
  static const Vmkping ping;
  return ping;
}

remote::Step EsxiPings::ping(std::span<const Ping> pings) const {
  return remote::step::Run{
      .command = ping_command(vmkping(), pings, "/bin:/sbin"), .reads_only = true};
}

std::vector<PingAnswer> EsxiPings::ping_answers(
    std::span<const Ping> pings, const remote::StepResult& result) const {
  return platform::ping_answers(vmkping(), pings, result.output);
}

// The identity of an ESXi host and its release, from the probe "identity".

constexpr std::string_view kEsxiPlatformProbe = "identity";
constexpr std::string_view kUuid = "uuid ";
constexpr std::string_view kHostname = "hostname ";

// "5f8c1d2e-7a30-4b6c-9d41-0c42a18c51a8": the installer made it.
bool is_uuid(std::string_view text) {
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::equal(text.begin(), text.end(), kShape.begin(), kShape.end(), [](char c, char shape) {
    if (shape == '-') return c == '-';
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

// "VersionGet.Version.string=8.0.3", "VersionGet.Build.string=Releasebuild-24022510"
void read_version(Identity& identity, std::string_view line) {
  constexpr std::string_view kVersion = "VersionGet.Version.string=";
  constexpr std::string_view kBuild = "VersionGet.Build.string=";
  if (line.starts_with(kVersion)) {
    identity.os_id = "esxi";
    identity.os_version = trim(line.substr(kVersion.size()));
  }
  if (line.starts_with(kBuild)) identity.kernel = trim(line.substr(kBuild.size()));
}

Probe esxi_identity_probe() {
  return {std::string{kEsxiPlatformProbe}, std::string{sh::probe_esxi_identity.text}};
}

// Without a boot_id: ESXi has none (E-esxi-no-boot-id), and an uptime differs with each look.
Identity esxi_identity_of(const NodeFacts& facts) {
  Identity identity;
  const std::string* text = facts.output(kEsxiPlatformProbe);
  if (text == nullptr) return identity;
  for (const std::string_view line : split_lines(*text)) {
    if (line.starts_with(kUuid)) {
      // esxcli may print an error in place of the UUID (E-esxcli-errors).
      const std::string_view uuid = trim(line.substr(kUuid.size()));
      if (is_uuid(uuid)) identity.machine_id = uuid;
    } else if (line.starts_with(kHostname)) {
      identity.hostname = trim(line.substr(kHostname.size()));
    } else {
      read_version(identity, line);
    }
  }
  return identity;
}

// A session that is no login may lack these (E-esxi-path), and always the vendor's tools.
constexpr std::string_view kFolders = "/bin:/sbin:/usr/lib/vmware/bin:/opt/mellanox/bin";

// The deadline on a host that is busy with other work.
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
    // The step writes the mark if there is none: it is not `reads_only`.
    return remote::step::Run{
        .command = {{"sh", "-c", sh::esxi_boot}, {}, kAskTimeout}, .fresh_session = true};
  }

  // Strict: an answer with anything besides the two lines counts as none.
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

// Fields of a NIC come in ASCII order (E-esxcli-keyvalue); a NIC that is down may show a speed,
// too.
void read_nic(NetDevice& nic, std::string_view field, std::string_view value) {
  if (field == "AdminStatus") {
    if (value == "Down") nic.operstate = "down";
  } else if (field == "LinkStatus") {
    if (nic.operstate.empty()) nic.carrier = value == "Up";
    nic.operstate = nic.carrier.value_or(false) ? "up" : "down";
  } else if (field == "MACAddress") {
    if (const Result<MacAddress> mac = MacAddress::parse(value)) nic.mac = *mac;
  } else if (field == "MTU") {
    nic.mtu = parse_integer(value);
  } else if (field == "Name") {
    nic.name = value;
  } else if (field == "PCIDevice") {
    if (const Result<PciAddress> address = PciAddress::parse(value)) nic.pci = *address;
  } else if (field == "Speed" && nic.carrier.value_or(false)) {
    const std::optional<std::int64_t> speed = parse_integer(value);
    if (speed && *speed > 0) nic.speed_mbps = speed;
  }
}

// "structure[0].Nic.MTU.integer=1500"
std::vector<NetDevice> read_nics(std::string_view text) {
  std::vector<NetDevice> nics;
  std::string_view of;
  for (const std::string_view line : split_lines(text)) {
    const std::size_t equals = line.find('=');
    const std::vector<std::string_view> key = split(line.substr(0, equals), '.');
    if (equals == std::string_view::npos || key.size() != 4) continue;
    if (key[0] != of) nics.emplace_back();
    of = key[0];
    read_nic(nics.back(), key[2], trim(line.substr(equals + 1)));
  }
  return nics;
}

constexpr std::string_view kNicProbe = "esxi-nics";

class EsxiPlatform final : public PosixPlatform {
 public:
  // Text piped to sh runs where files that no package brought do not (E-esxi-installed-only).
  EsxiPlatform() : PosixPlatform{kFolders} {}
  Platform id() const override { return Platform::esxi; }

  Probe identity_probe() const override { return esxi_identity_probe(); }
  Identity identity(const NodeFacts& facts) const override { return esxi_identity_of(facts); }

  std::vector<Probe> own_probes() const override {
    return {esxi_session_probe(), esxi_nic_probe()};
  }
  const std::vector<NetDevice>& devices(const NodeFacts& facts) const override {
    return facts.parsed_or_none(kNicProbe, read_nics);
  }
  SessionReader session_reader() const override { return &esxi_session_path; }

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

Probe esxi_nic_probe() {
  return {std::string{kNicProbe}, "esxcli --formatter=keyvalue network nic list\n"};
}

const HostPlatform& esxi_platform() {
  static const EsxiPlatform platform;
  return platform;
}

}  // namespace fabric::platform
