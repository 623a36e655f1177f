// SPDX-License-Identifier: Apache-2.0
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

}  // namespace fabric
