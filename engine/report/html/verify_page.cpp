// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/report/html/page.hpp"
#include "engine/report/html/pages.hpp"
#include "engine/report/verify/verify_formats.hpp"
#include "engine/report/verify/work_order_formats.hpp"

namespace fabric::report {

namespace {

using verify::CableState;
using verify::Passage;

constexpr std::size_t kWidth = 100;
// The most entries of one kind at one node: a node that reaches no other has a path to each.
constexpr std::size_t kMostEntries = 40;

DrawnState drawn_state(CableState state) {
  switch (state) {
    case CableState::ok:
      return DrawnState::fine;
    case CableState::offline:
      return DrawnState::unasked;
    case CableState::degraded:
      return DrawnState::doubtful;
    case CableState::no_data:
      return DrawnState::unknown;
    case CableState::mis_wired:
    case CableState::missing:
    case CableState::one_sided:
    case CableState::loopback:
    case CableState::shut:
      return DrawnState::wrong;
  }
  return DrawnState::unknown;
}

DrawnState drawn_state(const Diagnostic& finding) {
  if (verify::is_incomplete(finding)) return DrawnState::unknown;
  if (finding.severity == Severity::error) return DrawnState::wrong;
  return finding.severity == Severity::warning ? DrawnState::doubtful : DrawnState::fine;
}

void add_entry(Drawing& drawing, const NodeName& node, const char* title, DrawnEntry entry) {
  DrawnNode* drawn = drawing.find(node.str());
  if (drawn == nullptr) return;
  auto section = std::ranges::find_if(
      drawn->sections, [&](const DrawnSection& each) { return each.title == title; });
  if (section == drawn->sections.end())
    section = drawn->sections.insert(drawn->sections.end(), {title, {}});
  if (section->entries.size() < kMostEntries) {
    section->entries.push_back(std::move(entry));
  } else if (section->entries.size() == kMostEntries) {
    section->entries.push_back({"and more, which the text below counts", "", ""});
  }
}

void tell_cables(Drawing& drawing, const verify::Report& report) {
  std::map<std::pair<std::string, std::string>, const verify::CableReport*> judged;
  for (const verify::CableReport& cable : report.cables) {
    judged.emplace(std::pair{cable.a.str(), cable.b.str()}, &cable);
    judged.emplace(std::pair{cable.b.str(), cable.a.str()}, &cable);
  }
  for (DrawnCable& cable : drawing.cables) {
    const auto found = judged.find(
        {drawing.nodes[cable.a].name + "/" + cable.a_port,
         drawing.nodes[cable.b].name + "/" + cable.b_port});
    if (found == judged.end()) {
      cable.state = DrawnState::unasked;
      cable.words = "not judged";
      continue;
    }
    cable.state = drawn_state(found->second->state);
    cable.words = to_string(found->second->state);
    if (!found->second->detail.empty()) cable.words += ": " + found->second->detail;
  }
}

// "pve1/cx5/1" as node and port.
std::pair<std::string, std::string> node_and_port(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return {text, ""};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

void tell_unexpected(Drawing& drawing, const verify::Report& report) {
  for (const verify::UnexpectedCable& cable : report.unexpected) {
    const auto [a, a_port] = node_and_port(cable.a);
    const auto [b, b_port] = node_and_port(cable.b);
    DrawnNode* first = drawing.find(a);
    const DrawnNode* second = drawing.find(b);
    if (first != nullptr && second != nullptr) {
      const auto index = [&](const DrawnNode* node) {
        return static_cast<std::size_t>(node - drawing.nodes.data());
      };
      drawing.cables.push_back({index(first), index(second), a_port, b_port, "", ""});
      drawing.cables.back().state = DrawnState::wrong;
      drawing.cables.back().words = "unexpected: the document has no such cable";
    } else if (first != nullptr) {
      first->notes.push_back(fmt::format("An unexpected cable leads to {}.", cable.b));
      Drawing::worsen(first->state, DrawnState::wrong);
    }
  }
}

void tell_paths(Drawing& drawing, const verify::Report& report) {
  for (const verify::PathReport& path : report.paths) {
    if (path.full == Passage::passed) continue;
    const std::string what =
        path.small == Passage::lost ? std::string{"lost"}
        : path.small == Passage::passed && path.full == Passage::lost
            ? fmt::format("only small frames pass, and none of {} bytes", path.path.mtu)
            : std::string{"untested"};
    DrawnEntry entry{fmt::format("to {}", path.path.to.str()), "", ""};
    entry.lines.push_back({path.path.network, what, path.detail});
    add_entry(drawing, path.path.from.node, "Paths that do not pass", std::move(entry));
  }
}

void tell_counters(Drawing& drawing, const verify::Report& report) {
  for (const verify::CounterReport& counter : report.counters) {
    if (counter.moved.empty() && counter.saturated.empty()) continue;
    DrawnEntry entry{counter.port.str(), "", ""};
    for (const verify::MovedCounter& moved : counter.moved)
      entry.lines.push_back({moved.name, fmt::format("{} -> {}", moved.before, moved.after), ""});
    for (const auto& [name, top] : counter.saturated)
      entry.lines.push_back({name, fmt::format("stands at its top, {}", top), ""});
    add_entry(drawing, counter.port.node, "Error counters", std::move(entry));
  }
}

void tell_failovers(Drawing& drawing, const verify::Report& report) {
  for (const verify::FailoverReport& each : report.failovers) {
    if (each.state == verify::FailoverState::passed) continue;
    DrawnEntry entry{each.failover.port.str(), "", ""};
    entry.lines.push_back({each.failover.bond, std::string{to_string(each.state)}, each.detail});
    add_entry(drawing, each.failover.port.node, "Fail-over", std::move(entry));
  }
}

std::string spot_text(const verify::Spot& spot) {
  std::string text = spot.rack.empty() ? std::string{} : "rack " + spot.rack;
  if (!spot.unit.empty()) text += (text.empty() ? "unit " : ", unit ") + spot.unit;
  if (!text.empty()) text += ": ";
  return text + (spot.node.empty() ? spot.port : spot.node + " " + spot.port);
}

void tell_orders(Drawing& drawing, const std::vector<verify::WorkOrder>& orders) {
  if (orders.empty()) return;
  DrawnTable table{
      "What to do at the racks", {"number", "do", "plug", "to", "other end", "known by"}, {}};
  for (const verify::WorkOrder& order : orders) {
    table.rows.push_back(
        {order.number,
         std::string{task_words(order.task)},
         spot_text(order.plug),
         spot_text(order.to),
         spot_text(order.other),
         std::string{to_string(order.proof)}});
  }
  drawing.tables.push_back(std::move(table));
}

}  // namespace

Drawing verify_drawing(const VerifiedFabric& verified) {
  const verify::Report& report = verified.report;
  Drawing drawing{verified.spec};
  drawing.kind = "verify";
  drawing.title = fmt::format("fabric verify: {}", verified.spec.name.value);
  drawing.verdict = verify_verdict(report, causes(report));
  drawing.text = verify_text(report, verified.sources, {false, kWidth, false}).str();
  drawing.legend = {
      {DrawnState::fine, "nothing is wrong"},
      {DrawnState::unasked, "not judged"},
      {DrawnState::doubtful, "a warning"},
      {DrawnState::unknown, "could not be judged"},
      {DrawnState::wrong, "wrong"}};
  Diagnostics findings;
  for (std::size_t index = 0; index < report.findings.size(); ++index) {
    const Diagnostic& finding = report.findings[index];
    findings.add(finding);
    for (const std::size_t node : drawing.named_in(finding.message))
      Drawing::worsen(drawing.nodes[node].state, drawn_state(finding));
  }
  drawing.set_findings(findings, verified.sources);
  tell_cables(drawing, report);
  tell_unexpected(drawing, report);
  tell_paths(drawing, report);
  tell_counters(drawing, report);
  tell_failovers(drawing, report);
  tell_orders(drawing, verified.orders);
  return drawing;
}

std::string verify_page(const VerifiedFabric& verified) {
  return html_page(verify_drawing(verified).value());
}

}  // namespace fabric::report
