// Of a simulated fabric: what is said to be done is there.
#include <fmt/format.h>

#include "engine/platform/host_platform.hpp"
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
  const Platform platform = scene_.spec.nodes.at(action.node).platform.value;
  const platform::HostPlatform& host = scene_.registry.host(platform);
  const std::vector<Probe> probes = judge.probes_for(platform, wanted);
  const remote::Step step = host.probe_step(probes, kNonce, kNoTimeout, false);
  const auto* run = std::get_if<remote::step::Run>(&step);
  if (run == nullptr) return;  // the lab shows only what a shell prints without time passing
  const lab::ExecResult seen =
      lab_.look(action.node, remote::command_line(run->command.argv), run->command.standard_input);
  remote::StepResult result;
  result.output = {seen.exit_status, seen.standard_output, seen.standard_error};
  auto sections = host.probe_outputs(probes, kNonce, result);
  if (!sections) {
    violation(
        fmt::format("{} can't be looked at: {}", action.node.str(), sections.error().message));
    return;
  }
  NodeFacts facts{action.node, std::nullopt, {}, {}, {}};
  facts.platform = platform;
  facts.probes = std::move(sections).value();
  for (const execute::Mismatch& mismatch : judge.mismatches(wanted, facts)) {
    violation(
        fmt::format("{} is said to be done, and is not: {}", action.draft.title, mismatch.text()));
  }
}

}  // namespace fabric::rehearse
