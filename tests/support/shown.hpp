// SPDX-License-Identifier: Apache-2.0
// What this program shows of given texts, at each of its sinks, and what could deceive in that.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/printable.hpp"
#include "engine/base/text.hpp"
#include "engine/execute/journal/journal_read.hpp"
#include "engine/log/activity_log.hpp"
#include "engine/model/document/load.hpp"
#include "engine/report/diagnostics/explain.hpp"
#include "engine/report/discover_json.hpp"
#include "engine/report/formats.hpp"
#include "engine/report/plan/plan_text.hpp"
#include "engine/report/rehearse/rehearsals.hpp"
#include "engine/report/run/progress_json.hpp"
#include "engine/report/run/progress_text.hpp"
#include "engine/report/run/run_text.hpp"
#include "engine/report/verify/report_tables.hpp"
#include "engine/report/verify/verify_formats.hpp"
#include "engine/value/json.hpp"
#include "engine/workflow/planning.hpp"
#include "engine/workflow/resources.hpp"
#include "engine/workflow/verifying.hpp"
#include "engine/workflow/wanted.hpp"

#include "tests/unit/report/sample_plan.hpp"

namespace fabric::test {

struct Shown {
  std::string sink;
  std::string text;
};

// Looks at what is shown, one after the other: all of it together would be a hundred times the
// text.
using Look = std::function<void(Shown)>;

// For a colour terminal, and for a narrow one that wants all.
inline constexpr report::Style kColoured{true, 80, false};
inline constexpr report::Style kVerbose{false, 40, true};

// The colours of report::paint() left out; nothing else of the kind may be in a text.
inline std::string without_our_colours(std::string_view text, bool is_redrawn) {
  std::string rest;
  while (!text.empty()) {
    const std::size_t usual = std::min(text.find_first_of("\x1b\r"), text.size());
    rest += text.substr(0, usual);
    text.remove_prefix(usual);
    if (text.empty()) break;
    bool is_ours = false;
    for (const std::string_view ours :
         {"\x1b[0m",
          "\x1b[1m",
          "\x1b[2m",
          "\x1b[31m",
          "\x1b[32m",
          "\x1b[33m",
          "\x1b[36m",
          "\r\x1b[J",
          "\r\x1b[A",
          "\x1b[A",
          "\x1b[J"}) {
      if (!text.starts_with(ours) || (!ours.ends_with('m') && !is_redrawn)) continue;
      text.remove_prefix(ours.size());
      is_ours = true;
      break;
    }
    if (is_ours) continue;
    rest += text.front();
    text.remove_prefix(1);
  }
  return rest;
}

// Why the text must not reach a terminal or the log of a CI system; "" = it may.
inline std::string deception_in(const Shown& shown) {
  const bool is_coloured = shown.sink.ends_with("colour");
  const bool is_redrawn = shown.sink.starts_with("live display");
  const std::string text = is_coloured ? without_our_colours(shown.text, is_redrawn) : shown.text;
  for (std::string_view rest = text; !rest.empty();) {
    if (rest[0] >= ' ' && rest[0] <= '~' && rest[0] != '#') {
      rest.remove_prefix(1);
      continue;
    }
    const Character character = first_character(rest);
    if (!character.is_valid) return shown.sink + ": not UTF-8";
    // A tab of a file's content is shown as it is, among the commands that write it.
    const bool is_usual =
        character.code == '\n' ||
        (character.code == '\t' && shown.sink.find("as commands") != std::string::npos);
    if (!is_usual && is_deceptive(character.code))
      return fmt::format("{}: U+{:04X} is shown as it is", shown.sink, character.code);
    if (begins_log_command(rest)) {
      return fmt::format("{}: a command to a CI system: {}", shown.sink, rest.substr(0, 40));
    }
    rest.remove_prefix(character.length);
  }
  if (shown.sink.starts_with("github")) return {};
  for (const std::string_view line : split_lines(text)) {
    const std::string_view words = trim(line);
    // "::" and a name, up to a blank or "::", then "::" somewhere: what the runner of GitHub takes
    // for a command.
    const std::size_t name = words.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", 2);
    const bool is_name = name != std::string_view::npos && name > 2 &&
                         (words[name] == ' ' || words.substr(name).starts_with("::"));
    if (words.starts_with("::") && words.size() > 2 && is_name &&
        words.find("::", 2) != std::string_view::npos &&
        words.substr(2).find_first_not_of("0123456789abcdef:") < words.find("::", 2))
      return shown.sink + ": a command to GitHub";
  }
  return {};
}

template <class Document>
void show_formats(
    const Look& look,
    const std::string& what,
    report::Formats<Document> formats,
    const Document& document) {
  for (const report::Format<Document>& format : formats) {
    // Its here-documents hold the content of files as it is written, tabs too.
    const std::string name{format.name};
    const std::string sink = (name == "github" ? "github " : "") + what + " as " + name;
    look({sink, format.write(document, {{}, "0.1.0", "/somewhere"}).str()});
    look({sink + ", verbose", format.write(document, {kVerbose, "0.1.0", ""}).str()});
    look({sink + " in colour", format.write(document, {kColoured, "", ""}).str()});
  }
}

class StillClock final : public Clock {
 public:
  TimePoint now() const override { return {}; }
  std::int64_t unix_milliseconds() const override { return 0; }
};

// --- Of a plan, and of what an apply of it says.

inline void show_plan(const Look& look, const plans::Plan& plan, const FabricSpec* spec = nullptr) {
  SourceMap sources;
  const Diagnostics findings = report::plan_findings(plan, sources);
  show_formats(
      look, "plan", report::plan_formats(), {&plan, findings, sources, "fabric plan", {}, spec});
  show_formats(look, "action graph", report::action_graph_formats(), plan);
}

inline void show_findings(const Look& look, const Diagnostics& findings, const SourceMap& sources) {
  show_formats(
      look, "findings", report::findings_formats(), {findings, sources, "fabric validate"});
}

inline void show_verify(
    const Look& look,
    const verify::Report& report,
    const FabricSpec& spec,
    const SourceMap& sources) {
  show_formats(look, "topology", report::topology_formats(), spec);
  show_formats(look, "verify", report::verify_formats(), {report, spec, sources, "fabric verify"});
  look({"flows as CSV", report::flow_csv(report.flows)});
}

// A run in which everything that can be said of it says `text`.
inline void show_run(
    const Look& look, const plans::Plan& plan, const std::string& text, report::Style style) {
  const StillClock clock;
  const std::string colour = style.colour ? " in colour" : "";
  std::string lines, redrawn, events, log;
  report::TextProgress as_lines{
      [&](const report::Text& part) { lines += part.str(); }, clock, style, report::Display::lines};
  report::TextProgress as_display{
      [&](const report::Text& part) { redrawn += part.str(); },
      clock,
      style,
      report::Display::terminal};
  const report::JsonEvents json{[&](const report::Text& part) { events += part.str(); }, clock};
  report::JsonProgress as_events{json};
  const auto activity = log::ActivityLog::open(
      "", [&](std::string_view line) { log += line; }, clock);
  execute::RunResult run;
  for (workflow::Listener* listener : std::initializer_list<workflow::Listener*>{
           &as_lines, &as_display, &as_events, activity->get()}) {
    run.actions.clear();
    listener->discover_started(1);
    const Error failure{ErrorCode::unreachable, text};
    listener->discover_node({plan.actions.front().node, failure, {}, {}, {}});
    listener->discover_ended();
    listener->phase(text);
    listener->run_started(plan, text);
    for (const plans::Action& action : plan.actions) {
      listener->action_started(action);
      listener->action_phase(action, text);
      listener->heartbeat({action.id});
      execute::ActionResult result;
      result.id = action.id;
      result.state = run.actions.size() % 2 == 0 ? execute::ActionState::failed
                                                 : execute::ActionState::skipped;
      result.detail = result.cause = result.output = text;
      listener->action_ended(action, result);
      run.actions.push_back(result);
    }
    listener->problem(text);
    listener->run_ended(run.actions);
  }
  look({"progress" + colour, lines});
  look({"live display in colour", redrawn});
  look({"events", events});
  look({"log", log});
  look({"summary" + colour, report::run_summary(plan, run, text, style).str()});
  execute::RunRecord record;
  record.run = record.fabric = record.started = record.ended = text;
  record.actions.push_back(
      {text, text, text, text, true, execute::ActionState::failed, text, text, text, {}});
  look({"run" + colour, report::run_text(record, style).str()});
  look({"history", report::history_text({record}).str()});
  report::RehearsalContext about{plan, {text}, 0, text, text};
  rehearse::SeedResult seed;
  seed.seed = 1;
  seed.faults[text] = 1;
  seed.violations.push_back(text);
  seed.first.failure = text;
  seed.trace.push_back({});
  seed.trace.back().text = text;
  rehearse::Rehearsal rehearsal;
  rehearsal.results.push_back(seed);
  look({"rehearsal" + colour, report::rehearsal_text(rehearsal, about, style).str()});
  look({"story" + colour, report::story_text(seed, about, style).str()});
}

// A plan in which every text that a node, a document or a file gives is `text`.
inline plans::Plan plan_of(const std::string& text) {
  plans::Plan plan = report::test::two_nodes();
  plan.fabric = text;
  std::size_t number = 0;
  for (plans::PlannedChange& change : plan.changes) {
    change.attribute.desired = text;
    change.attribute.observed = {
        Reading::of(text), Reading::unknown(text), Reading::of(List{text, Map{{text, text}}})};
    change.attribute.reason = text;
    change.source.file = text;
    if (++number % 2 == 0) change.address.name = change.attribute.attribute = text;
  }
  for (plans::Action& action : plan.actions) {
    action.draft.title = action.draft.irreversible = text;
    action.draft.steps.run({"echo", text});
    action.draft.preconditions.push_back(
        {plan.changes.front().address, text, Layer::running, text});
    if (++number % 2 == 0) action.draft.by_hand = text;
    action.draft.steps.write({text, "content\n", 0644, "root:root"});
  }
  for (plans::Wave& wave : plan.waves)
    wave.why = text;
  plan.permissions.management_path.nodes = {text};
  plan.diagnostics.push_back({Severity::error, "some-rule", text, text, {text, 3, 1}});
  plan.diagnostics.push_back({Severity::warning, "some-rule", text + "2", text, {}});
  return plan;
}

// A document of two nodes and a cable in which every text that may be any is `text`.
inline FabricSpec spec_of(const std::string& text) {
  FabricSpec spec;
  spec.name.value = text;
  for (const char* name : {"pve1", "pve2"}) {
    NodeSpec node{report::test::name(name)};
    node.address.value = text;
    node.labels["rack"].value = node.labels[text].value = text;
    spec.nodes.emplace(node.name, std::move(node));
  }
  NetworkSpec& network = spec.networks[text];
  network.name = text;
  const PortRef host{report::test::name("pve1"), text, "1"};
  const PortRef stranger{report::test::name("stranger"), "", text};
  network.cables.push_back({{host, {}}, {stranger, {}}, {}, text, text, text, text});
  return spec;
}

inline verify::Report verify_report_of(const std::string& text) {
  const NodeName node = report::test::name("pve1");
  const PortRef port{node, text, "1"};
  verify::Report report;
  report.cables.push_back({port, port, text, verify::CableState::missing, text, {}});
  const PortRef other{port.node, "cx5", "2"};
  report.cables.push_back({port, other, text, verify::CableState::mis_wired, text, {}});
  report.cables.back().at_a = verify::SeenPeer{std::nullopt, text};
  report.unexpected.push_back({text, text});
  const verify::FlowEnd end{port, {text, text, text, 1, {}}};
  const verify::Flow flow{
      platform::Traffic::tcp, text, end, end, {}, {}, 100, text, text, {text, text}};
  report.flows.push_back({flow, verify::FlowState::failed, 0, text});
  report.managers.push_back({text, port, text, text, true, text, text, text});
  verify::FailoverReport failover{
      {text, text, text, port, text, {text}, {text}},
      verify::FailoverState::untested,
      0,
      0,
      0,
      {text},
      text};
  report.failovers.push_back(failover);
  failover.state = verify::FailoverState::failed;
  report.failovers.push_back(failover);
  report.findings.push_back({Severity::error, "some-rule", {}, text, text, {{{}, text}}});
  return report;
}

// All that is shown where the texts of nodes, documents and files are `text`.
inline void show_text(const Look& look, const std::string& text) {
  const plans::Plan plan = plan_of(text);
  const FabricSpec spec = spec_of(text);
  show_plan(look, plan, &spec);
  show_run(look, plan, text, {});
  show_run(look, plan, text, kColoured);
  show_run(look, plan, text, kVerbose);
  SourceMap sources;
  const FileId file = sources.add(text, text + "\n" + text);
  Diagnostics findings;
  const auto end = static_cast<std::uint32_t>(text.size());
  findings.error("some-rule", {file, 0, end}, text)
      .with_help(text)
      .with_note({file, end, end}, text);
  findings.warning("other-rule", {file, end / 2, end}, text).with_note({}, text);
  show_findings(look, findings, sources);
  show_verify(look, verify_report_of(text), spec, sources);
  for (const report::Style& style : {kColoured, kVerbose})
    look(
        {"explanation in colour",
         report::provenance_text({{text, text, text, {file, 0, end}}}, sources, style).str()});
}

inline std::vector<Shown> shown_of_text(const std::string& text) {
  std::vector<Shown> all;
  show_text([&](Shown shown) { all.push_back(std::move(shown)); }, text);
  return all;
}

// --- Of facts, by the whole way that they take through the program.

inline std::string file_text(const std::string& path) {
  std::ifstream stream{std::filesystem::path{FABRIC_SOURCE_DIR} / path, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

// A document with all kinds of networks, and the facts of its nodes.
class FactsBench {
 public:
  FactsBench() : wanted_{read(kText)} {
    for (const char* node : {"pve1", "pve2"}) {
      const Result<Value> value =
          parse_json(file_text(fmt::format("tests/facts/converged/{}.json", node)));
      FABRIC_CHECK(value.has_value(), "saved facts are JSON");
      Result<NodeFacts> facts = facts_from_value(*value);
      FABRIC_CHECK(facts.has_value(), "saved facts are facts");
      facts_.push_back(std::move(*facts));
    }
  }

  std::vector<std::string> probes() const {
    std::vector<std::string> names;
    for (const auto& [name, output] : facts_.front().probes)
      names.push_back(name);
    return names;
  }
  const std::string& printed(const std::string& probe) const {
    return facts_.front().probes.find(probe)->second.standard_output;
  }

  // What is shown if the probe of the first node prints this. Live facts are UTF-8 by the reader of
  // probes, saved ones by JSON; here any bytes may come.
  void show(const Look& look, const std::string& probe, const std::string& printed) const {
    std::vector<NodeFacts> facts = facts_;
    facts.front().probes[probe].standard_output = printed;
    facts.front().probes[probe].standard_error = printed;
    const workflow::Planned planned = workflow::make_plan(wanted_.desired(), facts, {});
    show_plan(look, planned.plan, &wanted_.document->spec());
    show_findings(look, planned.diagnostics, wanted_.document->sources);
    look({"discover", to_json_pretty(report::discover_json(planned.snapshot, wanted_.registry))});
    workflow::Listener nobody;
    Random random{1};
    const verify::Report report = workflow::verify_fabric(
        nobody, wanted_.desired(), {facts}, {workflow::VerifyLevel::link}, nullptr, random);
    show_verify(look, report, wanted_.document->spec(), wanted_.document->sources);
  }
  std::vector<Shown> shown(const std::string& probe, const std::string& printed) const {
    std::vector<Shown> all;
    show([&](Shown each) { all.push_back(std::move(each)); }, probe, printed);
    return all;
  }

 private:
  static constexpr const char* kText =
      "apiVersion: fabric/v1\nname: pair\n"
      "nodes:\n"
      "  pve[1-2]:\n"
      "    adapters: {cx5: {model: connectx-5-vpi}}\n"
      "    adopt: true\n    sysctl: {vm.swappiness: 10}\n    packages: [lldpd]\n"
      "    modules: {mlx5_core: {prof_sel: 3}}\n"
      "networks:\n"
      "  storage:\n    mode: ethernet\n    mtu: 9000\n    ipv4: {subnet: 10.30.0.0/24}\n"
      "    cables: [[pve1/1, pve2/1]]\n"
      "  ib:\n    mode: infiniband\n    cables: [[pve1/2, pve2/2]]\n"
      "    subnet_managers: [{node: pve1}]\n    subnet_manager: {virtualization: true}\n";

  static workflow::Wanted read(const std::string& text) {
    auto document = std::make_unique<workflow::Document>();
    document->files.push_back(document->sources.add("fabric.yaml", text));
    document->inputs.push_back({"fabric.yaml", "sha256:0"});
    document->loaded = load_document(document->sources, document->files);
    FABRIC_CHECK(document->valid(), "the document is valid");
    Result<workflow::Wanted> wanted = workflow::want(std::move(document), workflow::NodeChoice{});
    FABRIC_CHECK(wanted.has_value(), "the document can be expanded");
    return std::move(wanted).value();
  }

  workflow::Wanted wanted_;
  std::vector<NodeFacts> facts_;
};

}  // namespace fabric::test
