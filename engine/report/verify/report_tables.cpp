// SPDX-License-Identifier: Apache-2.0
#include "engine/report/verify/report_tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/report/tables/tables.hpp"
#include "engine/value/lists.hpp"
#include "engine/verify/cables/speed_text.hpp"

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

namespace {

using platform::LinkReading;
using platform::ModuleReading;
using verify::LinkReport;
using verify::speed_text;

// The common values of equal links.
std::string kind_text(const LinkReading& reading) {
  std::string text = reading.speed_mbps            ? speed_text(*reading.speed_mbps)
                     : !reading.card_speed.empty() ? reading.card_speed
                     : reading.has_link == false   ? std::string{"no link"}
                                                   : std::string{"speed unknown"};
  if (!reading.fec.active.empty()) text += ", FEC " + reading.fec.active;
  if (reading.module) {
    text += ", " + reading.module->identifier;
    for (const std::string* part : {&reading.module->vendor, &reading.module->part_number}) {
      if (!part->empty()) text += " " + *part;
    }
  }
  if (reading.pcie.generation && reading.pcie.width)
    text += fmt::format(", PCIe {}.0 x{}", *reading.pcie.generation, *reading.pcie.width);
  return text;
}

// The values of one link: its module's serial number and temperature, and the received power.
std::string own_text(const LinkReading& reading) {
  std::string text;
  if (!reading.module) return text;
  if (!reading.module->serial.empty()) text += ", serial number " + reading.module->serial;
  if (reading.module->temperature)
    text += fmt::format(", {:.0f} degrees Celsius", *reading.module->temperature);
  for (const double power : reading.module->received_dbm)
    text += fmt::format(", {:.2f} dBm", power);
  return text;
}

template <class Number>
void put_number(Map& map, std::string_view key, const std::optional<Number>& number) {
  if (number) map.emplace(key, static_cast<std::int64_t>(*number));
}

Value module_value(const ModuleReading& module) {
  Map value;
  put(value, "identifier", module.identifier);
  put(value, "vendor", module.vendor);
  put(value, "part_number", module.part_number);
  put(value, "serial", module.serial);
  if (module.temperature) value.emplace("temperature", *module.temperature);
  List received;
  for (const double power : module.received_dbm) {
    // JSON has no infinity: a dark lane is null.
    received.push_back(std::isinf(power) ? Value{} : Value{power});
  }
  if (!received.empty()) value.emplace("received_dbm", std::move(received));
  return value;
}

Value pcie_value(const platform::PcieReading& pcie) {
  Map value;
  put_number(value, "generation", pcie.generation);
  put_number(value, "width", pcie.width);
  put_number(value, "most_generation", pcie.most_generation);
  put_number(value, "most_width", pcie.most_width);
  put_number(value, "slot_generation", pcie.slot_generation);
  put_number(value, "slot_width", pcie.slot_width);
  put_number(value, "numa_node", pcie.numa_node);
  put_number(value, "correctable", pcie.correctable);
  put_number(value, "uncorrectable", pcie.uncorrectable);
  return value;
}

}  // namespace

Text link_table(const std::vector<LinkReport>& links, const Style& style) {
  if (links.empty()) return {};
  std::map<std::string, std::size_t> kinds;
  std::size_t unknown = 0;
  Text rows;
  for (const LinkReport& link : links) {
    if (!link.why_unknown.empty()) {
      ++unknown;
      rows +=
          compose("  {} ({}): unknown: {}\n", link.port.str(), link.interface, link.why_unknown);
      continue;
    }
    const std::string kind = kind_text(link.reading);
    ++kinds[kind];
    if (style.verbose) {
      rows += compose(
          "  {} ({}): {}{}\n", link.port.str(), link.interface, kind, own_text(link.reading));
    }
  }
  if (!style.verbose) {
    for (const auto& [kind, number] : kinds)
      rows += compose("  {} {}: {}\n", number, number == 1 ? "port" : "ports", kind);
  }
  return compose("Links   {} of {} ports were read\n", links.size() - unknown, links.size()) + rows;
}

Value link_value(const LinkReport& link) {
  const LinkReading& reading = link.reading;
  Map value{{"port", link.port.str()}, {"interface", link.interface}};
  put(value, "why_unknown", link.why_unknown);
  put_number(value, "speed_mbps", reading.speed_mbps);
  put(value, "card_speed", reading.card_speed);
  put_number(value, "capable_mbps", reading.capable_mbps);
  if (reading.auto_negotiation) value.emplace("auto_negotiation", *reading.auto_negotiation);
  put(value, "fec", reading.fec.active);
  put_number(value, "uncorrectable_blocks", reading.fec.uncorrectable_blocks);
  if (reading.module) value.emplace("module", module_value(*reading.module));
  Value pcie = pcie_value(reading.pcie);
  if (!pcie.as_map()->empty()) value.emplace("pcie", std::move(pcie));
  if (reading.raw_ber) value.emplace("raw_ber", *reading.raw_ber);
  if (reading.effective_ber) value.emplace("effective_ber", *reading.effective_ber);
  put(value, "why_down", reading.why_down);
  return value;
}

namespace {

using verify::QosPart;
using verify::QosReport;

Text row(const QosReport& report) {
  Text text = compose("  {:16}", report.where);
  for (const QosPart& part : report.parts) {
    text += compose("  {} {}", part.name, part.found.empty() ? "unknown" : part.found);
    if (!part.is_right()) text += compose(" (wanted {})", part.wanted);
  }
  for (const verify::MovedCounter& counter : report.moved)
    text += compose("  {} +{}", counter.name, counter.after - counter.before);
  return text + "\n";
}

}  // namespace

Text qos_table(const std::vector<QosReport>& reports, const Style& style) {
  if (reports.empty()) return {};
  const auto right = static_cast<std::size_t>(std::count_if(
      reports.begin(), reports.end(), [](const QosReport& each) { return each.is_right(); }));
  Text text = compose(
      "QoS     lossless as the document says at {} of {} ports and switches\n",
      right,
      reports.size());
  for (const QosReport& each : reports) {
    if (style.verbose || !each.is_right() || !each.lost.empty()) text += row(each);
  }
  return text;
}

Value qos_value(const QosReport& report) {
  List parts;
  for (const QosPart& part : report.parts) {
    Map value{{"part", part.name}, {"wanted", part.wanted}};
    if (!part.found.empty()) value.emplace("found", part.found);
    if (!part.why_unknown.empty()) value.emplace("why_unknown", part.why_unknown);
    parts.emplace_back(std::move(value));
  }
  Map value{
      {"where", report.where},
      {"network", report.network},
      {"ok", report.is_right()},
      {"parts", std::move(parts)}};
  Map counted;
  for (const verify::MovedCounter& counter : report.moved)
    counted.emplace(counter.name, static_cast<std::int64_t>(counter.after - counter.before));
  if (!counted.empty()) value.emplace("counted", std::move(counted));
  return value;
}

}  // namespace fabric::report
