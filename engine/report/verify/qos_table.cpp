// SPDX-License-Identifier: Apache-2.0
#include "engine/report/verify/qos_table.hpp"

#include <algorithm>

namespace fabric::report {

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
