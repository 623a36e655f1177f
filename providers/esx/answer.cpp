// SPDX-License-Identifier: Apache-2.0
#include "providers/esx/answer.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr std::string_view kMaintenanceProbe = "esxi-maintenance";

// "Error: Invalid option --test", "ERROR: Device is not supported!"
bool is_error(std::string_view line) {
  return line.starts_with("Error:") || line.starts_with("ERROR:");
}

}  // namespace

Result<std::string_view> answer(const NodeFacts& facts, std::string_view probe) {
  const auto found = facts.probes.find(probe);
  if (found == facts.probes.end())
    return Error{ErrorCode::invalid, fmt::format("{} was not asked", probe)};
  const ProbeOutput& output = found->second;
  const std::string_view text = output.standard_output;
  const std::string_view begin = trim(text);
  const std::string_view first = begin.substr(0, begin.find('\n'));
  if (is_error(first)) return Error{ErrorCode::invalid, fmt::format("the host says: {}", first)};
  if (output.exit_status != 0) {
    const std::string said = last_line(output.standard_error);
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "{} failed (exit {}){}{}", probe, output.exit_status, said.empty() ? "" : ": ", said)};
  }
  return text;
}

Value unknown(const Error& error) {
  return Map{{"unknown", error.message}};
}

Probe maintenance_probe() {
  return {std::string{kMaintenanceProbe}, "esxcli system maintenanceMode get\n"};
}

Result<bool> maintenance_mode(const NodeFacts& facts) {
  const std::string_view word = trim(FABRIC_TRY(answer(facts, kMaintenanceProbe)));
  if (word == "Enabled" || word == "Disabled") return word == "Enabled";
  return Error{
      ErrorCode::invalid, fmt::format("line 1: expected Enabled or Disabled, found '{}'", word)};
}

Result<Work> no_change(const Change& change, const WorkContext& /*context*/) {
  return impossible(
      change.resource,
      "fabric reads this on ESXi hosts and does not change it; change it there, or set the "
      "node to `state: observe`");
}

}  // namespace fabric::providers::esxi
