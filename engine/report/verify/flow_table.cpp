#include "engine/report/verify/flow_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"

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

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string{"\"\""} : std::string{c};
  return quoted + '"';
}

}  // namespace

std::string flow_table(const std::vector<FlowReport>& flows) {
  if (flows.empty()) return {};
  std::vector<std::vector<std::string>> rows{
      {"tool", "from", "to", "through", "Gb/s", "least", "limit"}};
  for (const FlowReport& report : flows) {
    const Flow& flow = report.flow;
    const bool measured = report.state == FlowState::measured;
    rows.push_back(
        {std::string{to_string(flow.tool)},
         flow.client.port.str(),
         flow.server.port.str(),
         cards_text(flow),
         measured ? measured_text(report) : std::string{to_string(report.state)},
         gbps_text(least_gbps(flow)),
         gbps_text(flow.limit_gbps)});
  }
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  constexpr std::size_t kFirstNumber = 3;
  std::string text = "Flows\n";
  for (const std::vector<std::string>& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += ' ';
      line += i < kFirstNumber ? fmt::format("{:<{}}", row[i], widths[i])
                               : fmt::format("{:>{}}", row[i], widths[i]);
      line += ' ';
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

Value flow_value(const FlowReport& report) {
  const Flow& flow = report.flow;
  List through;
  for (const NodeName& node : flow.transit)
    through.push_back(node.str());
  Map value{
      {"tool", to_string(flow.tool)},
      {"network", flow.network},
      {"from", flow.client.port.str()},
      {"to", flow.server.port.str()},
      {"through", std::move(through)},
      {"state", to_string(report.state)}};
  if (report.state == FlowState::measured) value.emplace("gbps", report.gbps);
  if (flow.limit_gbps > 0) {
    value.emplace("limit_gbps", flow.limit_gbps);
    value.emplace("least_gbps", least_gbps(flow));
    value.emplace("limited_by", flow.limited_by);
  }
  if (!flow.client.rdma_device.empty()) {
    value.emplace("from_device", flow.client.rdma_device);
    value.emplace("to_device", flow.server.rdma_device);
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
        std::string{to_string(flow.tool)},
        csv_field(flow.network),
        csv_field(flow.client.port.str()),
        csv_field(flow.server.port.str()),
        cards_text(flow),
        std::string{to_string(report.state)},
        measured_text(report),
        gbps_text(least_gbps(flow)),
        gbps_text(flow.limit_gbps),
        csv_field(flow.limited_by),
        csv_field(report.detail)};
    text += join(fields, ",") + '\n';
  }
  return text;
}

}  // namespace fabric::report
