// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.hpp"
#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/read.hpp"

namespace fabric {

HooksSpec decode_hooks(const Layers& section) {
  return {
      read_command(section, "before_disruption"),
      read_command(section, "after_disruption"),
      read_duration(section, "timeout", std::chrono::minutes{10}),
      read_flag(section, "hosts_only")};
}

RolloutSpec decode_rollout(const yaml::Node& document, Findings& findings) {
  using std::chrono::hours;
  using std::chrono::minutes;
  const Layers rollout = Layers{document}.section("rollout");
  RolloutSpec result;
  if (!rollout.empty()) result.range = rollout.all().back().node->range;
  result.max_unavailable = read_number(rollout, "max_unavailable", 1);
  result.per = read_text(rollout, "per");
  result.canary = read_names(rollout, "canary", findings);
  result.allow_no_rollback = read_names(rollout, "allow_no_rollback", findings);
  result.allow_mgmt_path = read_names(rollout, "allow_mgmt_path", findings);
  result.max_failures = read_number(rollout, "max_failures", 0);
  result.reboot_timeout = read_duration(rollout, "reboot_timeout", minutes{15});
  result.confirm_timeout = read_duration(rollout, "confirm_timeout", minutes{2});
  result.patience = read_duration(rollout, "patience", hours{1});
  result.paths_lost =
      read_choice(rollout, "paths_lost", {PathsLost::report, PathsLost::ask, PathsLost::refuse});
  result.redundancy = read_choice(rollout, "redundancy", {Redundancy::report, Redundancy::keep});
  result.reboot_command = read_command(rollout.section("reboot"), "command");
  return result;
}

namespace {

std::optional<PasswordSource> decode_password(const Layers& ssh, Findings& findings) {
  const Layers password = ssh.section("password");
  if (password.empty()) return std::nullopt;
  check_exclusive(password, {"env", "command"}, findings, true);
  PasswordSource source;
  const Sourced<std::string> variable = read_zipped(password, "env", findings);
  // A command may have brackets of its own: plain text.
  const Sourced<std::vector<std::string>> command = read_command(password, "command");
  source.environment_variable = variable.value;
  source.command = command.value;
  source.range = command.value.empty() ? variable.range : command.range;
  return source;
}

Sourced<std::uint32_t> decode_port(const Layers& ssh, Findings& findings) {
  constexpr std::uint64_t kMostPort = 65535;
  const Sourced<std::string> text = read_zipped(ssh, "port", findings);
  const auto port = parse_unsigned(text.value, 10);
  if (!port || *port == 0 || *port > kMostPort) {
    const Layer written = ssh.value("port");
    const bool is_set = written && written.node->quoted && !text.value.empty();
    if (is_set) {
      findings.error("out-of-range", text.range, "'" + text.value + "' is not a port, 1 to 65535");
    }
    return {0, text.range};
  }
  return {static_cast<std::uint32_t>(*port), text.range};
}

}  // namespace

SshSpec decode_ssh(const Layers& node, Findings& findings) {
  const Layers ssh = node.section("ssh");
  SshSpec spec;
  if (ssh.empty()) return spec;
  spec.user = read_zipped(ssh, "user", findings);
  spec.port = decode_port(ssh, findings);
  spec.identity_file = read_zipped(ssh, "identity_file", findings);
  spec.password = decode_password(ssh, findings);
  spec.jump = read_zipped(ssh, "jump", findings);
  spec.via = read_zipped(ssh, "via", findings);
  spec.become = read_zipped(ssh, "become", findings);
  if (spec.become.value == "none") spec.become.value.clear();
  spec.host_key = read_zipped(ssh, "host_key", findings);
  spec.legacy_algorithms = read_flag(ssh, "legacy_algorithms");
  return spec;
}

}  // namespace fabric
