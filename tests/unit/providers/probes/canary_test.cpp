// SPDX-License-Identifier: Apache-2.0
// A secret in everything that any probe reads, files and tools, and none in what becomes of it.
// Which files and tools those are is found from the scripts of the probes: a new probe is covered.
#include <map>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/platform/owned_file.hpp"

#include "tests/unit/providers/fixture.hpp"
#include "tests/unit/providers/probes/probe_tree.hpp"

namespace fabric::providers {
namespace {

using namespace test;

constexpr const char* kCanary = "Canary9";
constexpr const char* kNonce = "00c0ffee";

// Under every key that can hold one, in the words of each kind of file. {} is the secret.
constexpr const char* kIni =
    "[WireGuard]\nPrivateKey={}\n[WireGuardPeer]\nPublicKey=harmless\nPresharedKey = {}\n"
    "[MACsecTransmitAssociation]\nKeyId=1\nKey={}\n; Key={}\n[Match]\nName=harmless\n";
constexpr const char* kKeyfile =
    "[wifi-security]\npsk={} and more\nwep-key0={}\nleap-password={}\nkey-mgmt=harmless\n"
    "[802-1x]\npassword={}\npassword-raw={}\nprivate-key-password={}\npin={}\n[macsec]\nmka-cak={}"
    "\n"
    "[wireguard]\nprivate-key={}\n[vpn-secrets]\nanything={}\n[ipv4]\nmethod=harmless\n";
constexpr const char* kNetplan =
    "network:\n  version: 2\n  tunnels:\n    wg0:\n      key: {}\n      keys:\n        private: "
    "{}\n"
    "      peers:\n      - keys: {{public: harmless, shared: {}}}\n  wifis:\n    w:\n"
    "      access-points:\n        x: {{password: {}}}\n        y:\n          auth:\n"
    "            key-management: harmless\n            password: |\n              {}\n"
    "            client-key-password: \"{}\n              {}\"\n      mtu: 1500\n";
constexpr const char* kIfcfg =
    "DEVICE=harmless\nKEY={}\nKEY_PASSPHRASE1='{}'\nWPA_PSK=\"{} {}\"\nIEEE_8021X_PASSWORD={}\n"
    "IEEE_8021X_PRIVATE_KEY_PASSWORD={}\nMACSEC_PSK={}\nKEY_MGMT=WPA-PSK\nPKEY_ID=0x8001\n";
constexpr const char* kInterfaces =
    "auto harmless\niface harmless inet dhcp\n  wpa-psk {}\n  wpa-password {} {}\n"
    "  wpa-private-key-passwd {}\n  wireless-key {}\n  wireless-key1 s:{}\n"
    "  up ip link set x type macsec key 01 {}\n  up ip xfrm state add src a enc aes {}\n"
    "  up curl --password {} https://me:{}@h/\n  mtu 1500\n";
constexpr const char* kOpensm =
    "# harmless\nm_key {}\nsm_key {}\nsa_key\t{}\nvs_key {}\ncc_key {}\nkey_mgr_seed {}\n#m_key "
    "{}\n"
    "m_key_lease_period 60\n";
constexpr const char* kParameters =
    "quiet rd.iscsi.password={} x.psk=\"{} {}\" netroot=iscsi:me:{}@192.0.2.1::3260 "
    "systemd.set_credential=a:{} root=cifs://me:{}@h/x harmless=1\n";
constexpr const char* kModprobe =
    "options harmless psk={} mtu=1\noptions x auth_key=\"{} {}\"\n# password={}\n"
    "install x /bin/x --passphrase {}\n";
constexpr const char* kSysctl =
    "net.ipv4.tcp_fastopen_key = {}\n-net/ipv6/conf/all/stable_secret={}\nnet.harmless = 1\n";
constexpr const char* kUnit =
    "[Service]\nEnvironment=A=harmless \"SM_KEY={} {}\" API_TOKEN={}\nSetCredential=a:{}\n"
    "ExecStart=/bin/x --password={} --token {}\n";
// Names of modules, and no text of anybody.
constexpr const char* kModules = "harmless 1 0 - Live 0x0\n";
// What may stand in any of them, or in what a tool prints.
constexpr const char* kAnything =
    "password={}\nsecret: {}\ntoken = \"{}\"\ncommunity {}\n"
    "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE "
    "KEY-----\n{}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=\n";
constexpr const char* kPrinted =
    "[{{\"ifname\": \"harmless\", \"psk\": \"{}\", \"secrets\": {{\"a\": \"{}\"}}}}]\n"
    "x: invalid psk '{}'\nx: m_key 0x{} is wrong\npassword: {}\nwpa-psk={} harmless=1\n"
    "{}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=\n";

std::string planted(std::string_view text) {
  std::string filled;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("{}")) {
      filled += kCanary;
      ++i;
    } else {
      filled += text[i];
      if (text.substr(i).starts_with("{{") || text.substr(i).starts_with("}}")) ++i;
    }
  }
  return filled;
}

std::string content_of(const std::string& path) {
  const std::pair<const char*, const char*> kinds[] = {
      {"/proc/cmdline", kParameters},
      {"/proc/modules", kModules},
      {".yaml", kNetplan},
      {"/ifcfg-", kIfcfg},
      {"/etc/network/interfaces", kInterfaces},
      {"/etc/systemd/network/", kIni},
      {"/run/systemd/network/", kIni},
      {"system-connections", kKeyfile},
      {"/etc/opensm/", kOpensm},
      {"/systemd/system/", kUnit},
      {"modprobe.d", kModprobe},
      {"sysctl", kSysctl}};
  for (const auto& [part, text] : kinds) {
    if (path.find(part) == std::string::npos) continue;
    const bool is_kernels = path.starts_with("/proc/");
    return planted(text) + (is_kernels ? "" : planted(kAnything));
  }
  return planted(kAnything);
}

// "/etc/netplan/*.yaml" of a script is /etc/netplan/canary.yaml; a folder of a kernel's values gets
// one for each of its secrets.
std::set<std::string> files_read(const std::vector<Probe>& probes) {
  const std::regex path{R"(/(etc|run|var|proc|usr/lib|sys/module|boot)/[A-Za-z0-9_.$*/\[\]-]+)"};
  std::set<std::string> files;
  for (const Probe& probe : probes) {
    const std::string& script = probe.script;
    for (std::sregex_iterator found{script.begin(), script.end(), path}, end; found != end;
         ++found) {
      for (const char* kind : {"modprobe", "modules-load"}) {
        std::string file = found->str();
        replace_all(file, "$kind", kind);
        if (file.find('$') != std::string::npos || file.find('[') != std::string::npos) continue;
        if (file.ends_with('/')) continue;
        if (file.starts_with("/proc/sys/") && file.ends_with("/*")) {
          file.resize(file.size() - 1);
          for (const char* name : {"tcp_fastopen_key", "stable_secret", "harmless"}) {
            std::string value = file + name;
            replace_all(value, "*", "all");
            files.insert(value);
          }
        } else {
          replace_all(file, "*", "canary");
          files.insert(file);
        }
      }
    }
  }
  return files;
}

// Each word of a script that may be a program of this name: whatever it is asked, it tells.
std::set<std::string> tools_asked(const std::vector<Probe>& probes) {
  const std::set<std::string> known{
      "ip",        "nmcli",   "networkctl", "systemctl", "ethtool",   "mstconfig",  "mlxconfig",
      "mstflint",  "flint",   "lldpcli",    "opensm",    "sminfo",    "dpkg-query", "rpm",
      "ofed_info", "modinfo", "mst",        "wg",        "ovs-vsctl", "lldpctl"};
  std::set<std::string> tools;
  const std::regex word{"[a-z][a-z0-9_-]+"};
  for (const Probe& probe : probes) {
    const std::string& script = probe.script;
    for (std::sregex_iterator found{script.begin(), script.end(), word}, end; found != end;
         ++found) {
      if (known.contains(found->str())) tools.insert(found->str());
    }
  }
  return tools;
}

std::vector<Probe> all_probes() {
  Registry registry;
  add_builtin_providers(registry);
  return registry.all_probes(Platform::linux);
}

TEST_CASE("no secret that any probe reads is in its answer", "[providers]") {
  const std::vector<Probe> probes = all_probes();
  const std::set<std::string> files = files_read(probes);
  // The search for them has found what is known to be read.
  for (const char* known :
       {"/etc/netplan/canary.yaml",
        "/etc/systemd/network/canary.netdev",
        "/etc/opensm/opensm.conf",
        "/etc/modprobe.d/canary.conf",
        "/etc/network/interfaces",
        "/proc/cmdline",
        "/proc/sys/net/ipv4/tcp_fastopen_key"})
    CHECK(files.contains(known));
  CHECK(tools_asked(probes).size() > 12);

  for (const auto& shell : remote::test::shells()) {
    Tree tree;
    for (const std::string& file : files) {
      const bool is_above = std::any_of(files.begin(), files.end(), [&](const std::string& other) {
        return other.starts_with(file + "/");
      });
      if (is_above || file.ends_with("canary")) {
        tree.file(file + (is_above ? "/canary-file" : ""), content_of(file));
      } else {
        tree.file(file, content_of(file));
      }
    }
    for (const std::string& tool : tools_asked(probes)) {
      // A list of units is columns of systemd's own words, and of these alone what a probe prints.
      const std::string says = tool == "systemctl"
                                   ? "opensm.service loaded active running password=Canary9\n"
                                   : planted(kPrinted);
      tree.program(tool, "cat <<'END'\n" + says + "END\ncat >&2 <<'END'\n" + says + "END\n");
    }
    const remote::CommandOutput output = tree.run_at_once(shell, probes, kNonce);
    platform::ProbeTexts kept;
    const auto answers =
        platform::split_probe_output(probes, kNonce, output, kept, Platform::linux);
    INFO(shell.name);
    REQUIRE(answers);
    // Without that the test would show nothing.
    CHECK(output.standard_output.find(kCanary) != std::string::npos);
    CHECK(output.standard_error.find(kCanary) != std::string::npos);
    std::size_t telling = 0;
    for (const auto& [id, answer] : *answers) {
      for (const std::string* stream :
           {&answer.standard_output.str(), &answer.standard_error.str()}) {
        const std::size_t found = stream->find(kCanary);
        const std::size_t begin = found == std::string::npos ? 0 : stream->rfind('\n', found) + 1;
        INFO(id << ": " << stream->substr(begin, stream->find('\n', begin) - begin));
        CHECK(found == std::string::npos);
        if (stream->find("harmless") != std::string::npos) ++telling;
      }
    }
    CHECK(telling > 8);
    // What is no secret is still read.
    const FileTexts texts = file_texts(answers->at("network-files").standard_output);
    CHECK(
        texts.at("/etc/systemd/network/canary.netdev").find("PublicKey=harmless\n") !=
        std::string::npos);
    CHECK(
        texts.at("/etc/systemd/network/canary.network").find("Name=harmless\n") !=
        std::string::npos);
    CHECK(
        file_texts(answers->at("opensm-files").standard_output)
            .at("/etc/opensm/opensm.conf")
            .find("m_key_lease_period 60\n") != std::string::npos);
  }
}

}  // namespace
}  // namespace fabric::providers
