#include "engine/cli/verifying.hpp"

#include <map>

#include <fmt/format.h>

#include "engine/report/node_set_text.hpp"
#include "engine/report/verify_text.hpp"

namespace fabric::cli {

namespace {

constexpr Duration kHeartbeat{5'000};

std::map<NodeName, std::vector<verify::Path>> by_node(std::vector<verify::Path> paths) {
  std::map<NodeName, std::vector<verify::Path>> nodes;
  for (verify::Path& path : paths)
    nodes[path.from.node].push_back(std::move(path));
  return nodes;
}

std::vector<verify::PathReport> not_run(
    const std::vector<verify::Path>& paths, const Error& error) {
  std::vector<verify::PathReport> reports;
  for (const verify::Path& path : paths) {
    reports.push_back({path, verify::Passage::untested, verify::Passage::untested, error.message});
  }
  return reports;
}

// In order of node, whatever order the answers come in.
std::vector<verify::PathReport> run_pings(
    Context& context,
    const std::map<NodeName, std::vector<verify::Path>>& nodes,
    remote::StepRunner& runner) {
  std::map<remote::Ticket, NodeName> running;
  remote::Ticket next = 1;
  for (const auto& [node, paths] : nodes) {
    running.emplace(next, node);
    runner.start({next, node, remote::step::Run{verify::ping_command(paths), false}});
    ++next;
  }
  std::map<NodeName, std::vector<verify::PathReport>> answers;
  while (!running.empty()) {
    const std::optional<remote::StepResult> result = runner.wait_any(kHeartbeat);
    if (!result) {
      std::vector<NodeName> waiting;
      for (const auto& [ticket, node] : running)
        waiting.push_back(node);
      context.note("still pinging from " + report::fold(waiting));
      continue;
    }
    const auto found = running.find(result->ticket);
    if (found == running.end()) continue;
    const std::vector<verify::Path>& paths = nodes.at(found->second);
    answers[found->second] = result->outcome == remote::Outcome::succeeded
                                 ? verify::parse_pings(paths, result->output)
                                 : not_run(paths, result->error);
    running.erase(found);
  }
  std::vector<verify::PathReport> reports;
  for (auto& [node, some] : answers)
    reports.insert(reports.end(), some.begin(), some.end());
  return reports;
}

}  // namespace

verify::Report verify_now(
    Context& context,
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    remote::StepRunner& runner,
    VerifyLevel level) {
  std::vector<verify::PathReport> paths;
  if (level == VerifyLevel::path) {
    std::vector<verify::Path> wanted = verify::paths_to_test(spec, snapshot);
    if (!wanted.empty()) context.note(fmt::format("pinging {} paths", wanted.size()));
    paths = run_pings(context, by_node(std::move(wanted)), runner);
  }
  return verify::judge(spec, snapshot, paths);
}

ExitCode exit_code_of(const verify::Report& report) {
  ExitCode code = ExitCode::done;
  for (const verify::Finding& finding : report.findings) {
    if (finding.severity != Severity::error) continue;
    code = worse(
        code, finding.rule == "not-reachable" ? ExitCode::unreachable : ExitCode::not_verified);
  }
  return code;
}

void show(const Context& context, const verify::Report& report, const SourceMap& sources) {
  if (context.json()) {
    report::emit_verify(context.events(), report);
  } else {
    context.result(report::verify_text(report, sources, context.output_style()));
  }
}

}  // namespace fabric::cli
