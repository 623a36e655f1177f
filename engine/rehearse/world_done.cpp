// Of a simulated fabric: what is said to be done is there.
#include <fmt/format.h>

#include "engine/discovery/probe_script.hpp"
#include "engine/rehearse/world.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::rehearse {

namespace {

constexpr std::string_view kNonce = "monitor";
constexpr Duration kNoTimeout{0};  // no time passes

}  // namespace

void World::check_done(const plans::Action& action, const execute::ConditionJudge& judge) {
  const std::vector<Condition>& wanted = action.draft.postconditions;
  // Of a host that is down nothing can be seen; it was right while it was up.
  if (wanted.empty() || lab_.power(action.node) != lab::Power::up) return;
  const std::vector<Probe> probes = judge.probes_for(wanted);
  const remote::Command command = discovery::probe_command(probes, kNonce, kNoTimeout);
  const lab::ExecResult seen =
      lab_.look(action.node, remote::command_line(command.argv), command.standard_input);
  auto sections = discovery::split_probe_output(
      probes, kNonce, {seen.exit_status, seen.standard_output, seen.standard_error});
  if (!sections) {
    violation(
        fmt::format("{} can't be looked at: {}", action.node.str(), sections.error().message));
    return;
  }
  NodeFacts facts{action.node, std::nullopt, {}, {}, {}};
  facts.probes = std::move(sections).value();
  for (const execute::Mismatch& mismatch : judge.mismatches(wanted, facts)) {
    violation(
        fmt::format("{} is said to be done, and is not: {}", action.draft.title, mismatch.text()));
  }
}

}  // namespace fabric::rehearse
