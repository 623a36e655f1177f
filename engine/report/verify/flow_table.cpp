// SPDX-License-Identifier: Apache-2.0
#include "engine/report/verify/flow_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/report/tables/csv.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/value/lists.hpp"

namespace fabric::report {

namespace {

using verify::Flow;
using verify::FlowReport;
using verify::FlowState;

std::string gbps_text(double gbps) {
  return gbps > 0 ? fmt::format("{:.2f}", gbps) : std::string{};
}

std::string measured_text(const FlowReport& report) {
  return report.state == FlowState::measured ? gbps_text(report.gbps) : std::string{};
}

// Cards that forward between the ends.
std::string cards_text(const Flow& flow) {
  return std::to_string(flow.transit.size());
}

// More rows can't be read: the CSV and the JSON have them all.
constexpr std::size_t kMostRows = 40;

// Flows that could not be measured first, then the slowest; in the order of `flows` if all fit.
std::vector<const FlowReport*> shown(const std::vector<FlowReport>& flows) {
  std::vector<const FlowReport*> all;
  all.reserve(flows.size());
  for (const FlowReport& report : flows)
    all.push_back(&report);
  if (all.size() <= kMostRows) return all;
  std::stable_sort(all.begin(), all.end(), [](const FlowReport* a, const FlowReport* b) {
    const bool measured = a->state == FlowState::measured;
    if (measured != (b->state == FlowState::measured)) return !measured;
    return a->gbps < b->gbps;
  });
  all.resize(kMostRows);
  return all;
}

}  // namespace

Text flow_table(const std::vector<FlowReport>& flows) {
  if (flows.empty()) return {};
  std::vector<std::vector<Text>> rows{{"tool", "from", "to", "through", "Gb/s", "least", "limit"}};
  for (const FlowReport* each : shown(flows)) {
    const FlowReport& report = *each;
    const Flow& flow = report.flow;
    const bool measured = report.state == FlowState::measured;
    rows.push_back(
        {flow.tool.program,
         flow.client.port.str(),
         flow.server.port.str(),
         cards_text(flow),
         measured ? measured_text(report) : std::string{to_string(report.state)},
         gbps_text(least_gbps(flow)),
         gbps_text(flow.limit_gbps)});
  }
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const std::vector<Text>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns(row[i]));
  }
  constexpr std::size_t kFirstNumber = 3;
  Text text = "Flows\n";
  for (const std::vector<Text>& row : rows) {
    // The column after the last text of the row, so that no line ends with blanks.
    std::size_t end = row.size();
    while (row[end - 1].empty())
      --end;
    for (std::size_t i = 0; i < end; ++i) {
      const Text blanks = Text::blanks(widths[i] - columns(row[i]));
      const bool is_last = i + 1 == end;
      text += "  ";
      text += i < kFirstNumber ? (is_last ? row[i] : row[i] + blanks) : blanks + row[i];
    }
    text += "\n";
  }
  if (flows.size() > kMostRows)
    text += compose("  the slowest of {} flows; --csv and --json have them all\n", flows.size());
  return text;
}

Value flow_value(const FlowReport& report) {
  const Flow& flow = report.flow;
  Map value{
      {"tool", flow.tool.program},
      {"network", flow.network},
      {"from", flow.client.port.str()},
      {"to", flow.server.port.str()},
      {"through", to_list(flow.transit)},
      {"state", to_string(report.state)}};
  if (report.state == FlowState::measured) value.emplace("gbps", report.gbps);
  if (flow.limit_gbps > 0) {
    value.emplace("limit_gbps", flow.limit_gbps);
    value.emplace("least_gbps", least_gbps(flow));
    value.emplace("limited_by", flow.limited_by);
  }
  if (!flow.client.at.rdma_device.empty()) {
    value.emplace("from_device", flow.client.at.rdma_device);
    value.emplace("to_device", flow.server.at.rdma_device);
  }
  if (!report.detail.empty()) value.emplace("detail", report.detail);
  return value;
}

std::string flow_csv(const std::vector<FlowReport>& flows) {
  std::string text =
      "tool,network,from,to,forwarding_cards,state,gbps,least_gbps,limit_gbps,limited_by,detail\n";
  for (const FlowReport& report : flows) {
    const Flow& flow = report.flow;
    const std::vector<std::string> fields{
        flow.tool.program,
        flow.network,
        flow.client.port.str(),
        flow.server.port.str(),
        cards_text(flow),
        std::string{to_string(report.state)},
        measured_text(report),
        gbps_text(least_gbps(flow)),
        gbps_text(flow.limit_gbps),
        flow.limited_by,
        report.detail};
    text += csv_row(fields);
  }
  return text;
}

}  // namespace fabric::report
