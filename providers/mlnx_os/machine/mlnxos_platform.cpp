// SPDX-License-Identifier: Apache-2.0
#include "providers/mlnx_os/machine/mlnxos_platform.hpp"

#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::platform {

namespace {

constexpr const char* kIdentity = "identity";
constexpr const char* kManagementPort = "mgmt0";

// "Product release:   3.9.1014"
std::string_view value_of(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return {};
  return trim(line.substr(key.size()));
}

// A line that gives an address to any but the management ports: "interface vlan 10 ip address
// 10.0.0.1 255.255.255.0"; "" = there is none. The address of a link between a pair is only for the
// two switches.
std::string address_at_ports(std::string_view configuration) {
  std::set<std::string_view> of_pairs;
  std::vector<std::string_view> addresses;
  constexpr std::size_t kInterface = 3;  // "interface vlan 10"
  for (const std::string_view each : split_lines(configuration)) {
    const std::string_view line = trim(each);
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() <= kInterface || words[0] != "interface") continue;
    if (words[1] == "vlan" && words[kInterface] == "ipl") of_pairs.insert(words[2]);
    const bool management = words[1].starts_with("mgmt") || words[1] == "lo";
    const bool has_address = line.find(" ip address ") != std::string_view::npos ||
                             line.find(" ipv6 address ") != std::string_view::npos ||
                             line.ends_with(" dhcp") ||
                             line.find(" ip dhcp") != std::string_view::npos;
    if (!management && has_address) addresses.push_back(line);
  }
  for (const std::string_view line : addresses)
    if (!of_pairs.contains(split_words(line)[2])) return std::string{line};
  return {};
}

// No line tells by which port a session came. Without an address at any other port it came by the
// management port, which carries no fabric traffic.
SessionPath session_path_of_switch(const NodeFacts& facts) {
  SessionPath path;
  const std::string* running = facts.output(kOnyxRunningProbe);
  if (running == nullptr || running->find("## Running database") == std::string::npos) return path;
  if (const std::string line = address_at_ports(*running); !line.empty()) {
    path.unknown = fmt::format("a port that carries traffic has an address (`{}`)", line);
    return path;
  }
  path.unknown.clear();
  path.device = kManagementPort;
  path.devices = {kManagementPort};
  return path;
}

// True for a line that only names a place: later lines then apply there (E-onyx-modes).
bool enters_mode(std::string_view line) {
  constexpr std::size_t kInterface = 3, kVlan = 2;
  const std::vector<std::string_view> words = split_words(line);
  if (words.empty()) return false;
  return (words[0] == "interface" && words.size() == kInterface) ||
         (words[0] == "vlan" && words.size() == kVlan);
}

class MlnxosPlatform final : public HostPlatform {
 public:
  Platform id() const override { return Platform::mlnx_os; }

  remote::Step probe_step(
      std::span<const Probe> probes,
      std::string_view /*nonce*/,
      Duration timeout,
      bool fresh_session) const override {
    remote::step::Converse talk;
    talk.dialect = mlnxos_dialect();
    for (const Probe& probe : probes)
      talk.lines.emplace_back(trim(probe.script));
    talk.timeout = timeout;
    talk.fresh_session = fresh_session;
    talk.each_alone = true;
    talk.reads_only = true;
    return talk;
  }

  // A line that is refused is an answer too: a release may not know it.
  Result<ProbeOutputs> probe_outputs(
      std::span<const Probe> probes,
      std::string_view /*nonce*/,
      const remote::StepResult& result,
      ProbeTexts& texts) const override {
    ProbeOutputs outputs;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      if (i >= result.replies.size()) {
        const std::string_view said = trim(result.output.standard_error);
        return Error{
            ErrorCode::invalid,
            fmt::format(
                "probe {} was not answered{}{}", probes[i].id, said.empty() ? "" : ": ", said)};
      }
      const remote::Reply& reply = result.replies[i];
      outputs[probes[i].id] = {
          texts.script(probes[i]), reply.refused ? 1 : 0, texts.kept(reply.text), ""};
    }
    return outputs;
  }

  Probe identity_probe() const override { return {kIdentity, "show version"}; }
  Identity identity(const NodeFacts& facts) const override {
    Identity identity;
    const std::string* text = facts.output(kIdentity);
    if (text == nullptr) return identity;
    for (const std::string_view line : split_lines(*text)) {
      if (const auto host = value_of(line, "Host ID:"); !host.empty()) identity.machine_id = host;
      if (const auto name = value_of(line, "Product name:"); !name.empty())
        identity.os_id = to_lower(name);
      if (const auto release = value_of(line, "Product release:"); !release.empty())
        identity.os_version = release;
    }
    return identity;
  }

  std::vector<Probe> own_probes() const override {
    return {{kOnyxRunningProbe, "show running-config"}};
  }
  SessionReader session_reader() const override { return &session_path_of_switch; }

  // The words of a command are those of one line in configuration mode.
  remote::Step command_step(remote::Command command) const override {
    const std::string line =
        join(std::vector<std::string>{command.argv.begin(), command.argv.end()}, " ");
    return conversations(std::span{&line, 1}, command.timeout).front();
  }
  std::vector<remote::Step> conversations(
      std::span<const std::string> lines, Duration timeout) const override {
    std::vector<remote::Step> steps;
    remote::step::Converse talk;
    const auto end_session = [&] {
      if (talk.lines.empty()) return;
      talk.timeout = timeout * static_cast<Duration::rep>(talk.lines.size());
      steps.emplace_back(std::exchange(talk, {}));
    };
    for (const std::string& line : lines) {
      if (talk.lines.empty()) {
        talk.dialect = mlnxos_dialect();
        talk.dialect.entry.emplace_back("configure terminal");
      }
      talk.lines.push_back(line);
      // No mode outlasts a session, so that each line means the same wherever it stands.
      if (enters_mode(line)) end_session();
    }
    end_session();
    return steps;
  }
  // The exit status is always 0; an error is a line that begins with "%", and silence proves
  // nothing (E-onyx-errors).
  bool has_exit_status() const override { return false; }
};

}  // namespace

remote::step::Dialect mlnxos_dialect() {
  remote::step::Dialect talk;
  talk.prompts = {"] > ", "] # ", ") # "};
  // The command that switches the pager off differs between releases (E-onyx-pager).
  talk.preparation = {"no cli session paging enable", "terminal length 999"};
  talk.entry = {"enable"};
  talk.pauses = {{"lines ", " "}, {"--More--", " "}};
  // After a reset the first login starts a wizard, which would set values that the document does
  // not have.
  talk.questions = {
      {"use the wizard for initial configuration?", "no"}, {"Type 'yes' to continue:", "yes"}};
  talk.refusals = {"%"};
  talk.own_name = kOnyxOwnName;
  return talk;
}

const HostPlatform& mlnxos_platform() {
  static const MlnxosPlatform platform;
  return platform;
}

}  // namespace fabric::platform
