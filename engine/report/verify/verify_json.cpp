// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/json.hpp"
#include "engine/report/verify/report_tables.hpp"
#include "engine/report/verify/verify_formats.hpp"
#include "engine/value/lists.hpp"

namespace fabric::report {

Value cable_value(const verify::CableReport& cable) {
  Map value{
      {"ends", List{cable.a.str(), cable.b.str()}},
      {"network", cable.network},
      {"state", to_string(cable.state)}};
  if (!cable.detail.empty()) value.emplace("detail", cable.detail);
  return value;
}

Value cable_value(const verify::UnexpectedCable& cable) {
  return Map{{"ends", List{cable.a, cable.b}}, {"state", "unexpected"}};
}

Value path_value(const verify::PathReport& path) {
  Map value{
      {"from", path.path.from.str()},
      {"to", path.path.to.str()},
      {"network", path.path.network},
      {"interface", path.path.from_interface},
      {"address", path.path.to_address},
      {"mtu", path.path.mtu},
      {"small", to_string(path.small)},
      {"full", to_string(path.full)}};
  if (!path.path.vlan.empty()) value.emplace("vlan", path.path.vlan);
  if (!path.detail.empty()) value.emplace("detail", path.detail);
  return value;
}

Value counter_value(const verify::CounterReport& counter) {
  List moved;
  for (const verify::MovedCounter& one : counter.moved) {
    moved.push_back(
        Map{{"name", one.name},
            {"before", static_cast<std::int64_t>(one.before)},
            {"after", static_cast<std::int64_t>(one.after)}});
  }
  Map value{
      {"port", counter.port.str()},
      {"interface", counter.interface},
      {"state", to_string(counter.state)},
      {"moved", std::move(moved)}};
  if (!counter.rdma.empty()) value.emplace("rdma", counter.rdma);
  Map saturated;
  for (const auto& [name, top] : counter.saturated)
    saturated.emplace(name, static_cast<std::int64_t>(top));
  if (!saturated.empty()) value.emplace("saturated", std::move(saturated));
  if (!counter.why_unknown.empty()) value.emplace("detail", counter.why_unknown);
  return value;
}

Value finding_value(const verify::Report& report, std::size_t index, const SourceMap& sources) {
  Value value = diagnostic_value(report.findings[index], sources);
  if (const auto cause = report.cause_of.find(index); cause != report.cause_of.end()) {
    const Diagnostic& finding = report.findings[cause->second];
    value.as_map()->emplace("cause", Map{{"rule", finding.rule}, {"message", finding.message}});
  }
  return value;
}

Value failover_value(const verify::FailoverReport& report) {
  return Map{
      {"port", report.failover.place()},
      {"network", report.failover.network},
      {"bond", report.failover.bond},
      {"policy", report.failover.policy},
      {"state", std::string{to_string(report.state)}},
      {"sent", static_cast<std::int64_t>(report.sent)},
      {"received", static_cast<std::int64_t>(report.received)},
      {"longest_gap_seconds", report.longest_gap},
      {"silent", to_list(report.silent)},
      {"detail", report.detail}};
}

Value manager_value(const verify::ManagerReport& manager) {
  Map value{{"network", manager.network}, {"port", manager.port.str()}};
  if (!manager.state.empty()) value.emplace("state", manager.state);
  if (!manager.master.empty()) value.emplace("master", manager.master);
  if (!manager.since.empty()) value.emplace("since", manager.since);
  if (!manager.routed_by.empty()) value.emplace("routed_by", manager.routed_by);
  return value;
}

Value roce_value(const verify::RoceAddressReport& report) {
  Map value{{"port", report.port.str()}, {"address", report.address}, {"rdma", report.rdma}};
  if (report.index) value.emplace("gid_index", static_cast<std::int64_t>(*report.index));
  return value;
}

Value verify_json(const verify::Report& report, const SourceMap& sources) {
  List cables;
  List paths;
  List counters;
  List flows;
  List failovers;
  List links;
  List addresses;
  List findings;
  for (const verify::CableReport& cable : report.cables)
    cables.push_back(cable_value(cable));
  for (const verify::UnexpectedCable& cable : report.unexpected)
    cables.push_back(cable_value(cable));
  for (const verify::PathReport& path : report.paths)
    paths.push_back(path_value(path));
  for (const verify::CounterReport& counter : report.counters)
    counters.push_back(counter_value(counter));
  for (const verify::FlowReport& flow : report.flows)
    flows.push_back(flow_value(flow));
  for (const verify::FailoverReport& failover : report.failovers)
    failovers.push_back(failover_value(failover));
  for (const verify::RoceAddressReport& address : report.roce_addresses)
    addresses.push_back(roce_value(address));
  for (const verify::LinkReport& link : report.links)
    links.push_back(link_value(link));
  for (std::size_t index = 0; index < report.findings.size(); ++index)
    findings.push_back(finding_value(report, index, sources));
  Map value{
      {"ok", report.ok()},
      {"cables", std::move(cables)},
      {"paths", std::move(paths)},
      {"counters", std::move(counters)},
      {"flows", std::move(flows)},
      {"links", std::move(links)},
      {"roce_addresses", std::move(addresses)},
      {"failovers", std::move(failovers)},
      {"managers", to_list(report.managers, manager_value)},
      {"findings", std::move(findings)}};
  if (!report.apart.empty()) {
    List isolated;
    for (const verify::ApartReport& each : report.apart) {
      isolated.emplace_back(
          Map{{"a", each.a},
              {"b", each.b},
              {"state", to_string(each.state)},
              {"lost", static_cast<std::int64_t>(each.lost)},
              {"detail", each.detail}});
    }
    value.emplace("isolated", std::move(isolated));
  }
  if (!report.qos.empty()) {
    value.emplace("qos", to_list(report.qos, qos_value));
  }
  return value;
}

}  // namespace fabric::report
