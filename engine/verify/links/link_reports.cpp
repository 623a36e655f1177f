// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "engine/verify/links/links.hpp"

namespace fabric::verify {

namespace {

const platform::LinkReading* reading_of(
    const platform::LinkReadings& all, const std::string& interface) {
  const auto found = std::ranges::find_if(
      all.links, [&](const auto& link) { return link.interface == interface; });
  return found == all.links.end() ? nullptr : &*found;
}

std::string serial_at(const std::vector<LinkReport>& links, const PortRef& port) {
  const auto found =
      std::ranges::find_if(links, [&](const LinkReport& link) { return link.port == port; });
  const bool is_known = found != links.end() && found->reading.module;
  return is_known ? found->reading.module->serial : std::string{};
}

}  // namespace

void prove_by_serials(const std::vector<LinkReport>& links, std::vector<CableReport>& cables) {
  for (CableReport& cable : cables) {
    if (!cable.lldp_is_ambiguous || cable.state != CableState::no_data) continue;
    const std::string serial = serial_at(links, cable.a);
    if (serial.empty() || serial != serial_at(links, cable.b)) continue;
    cable.state = CableState::ok;
    cable.proof = Proof::serial;
    cable.detail.clear();
  }
}

std::vector<LinkReport> link_reports(
    const FabricSpec& spec, const discovery::Snapshot& snapshot, const LinksByNode& readings) {
  const discovery::Evidence evidence{spec, snapshot};
  std::set<PortRef> ports;
  for (const auto& [name, network] : spec.networks) {
    for (const PortRef& port : network.member_ports())
      ports.insert(port);
  }
  std::vector<LinkReport> reports;
  for (const PortRef& port : ports) {
    const discovery::PortEvidence found = evidence.port(port);
    if (port.adapter.empty()) {
      // For a switch: the readings in its own list of ports.
      if (!found.device || found.device->fec.empty()) continue;
      LinkReport& report =
          reports.emplace_back(LinkReport{port, found.device->name, {}, {}, {}, {}, {}});
      report.reading.interface = found.device->name;
      report.reading.has_link = found.device->carrier;
      if (found.device->speed_mbps)
        report.reading.speed_mbps = static_cast<std::uint64_t>(*found.device->speed_mbps);
      report.reading.fec.active = found.device->fec;
      continue;
    }
    const auto of_node = readings.find(port.node);
    if (!found.device || of_node == readings.end()) continue;
    LinkReport report{port, found.device->name, {}, of_node->second.why_not, {}, {}, {}};
    if (const auto* reading = reading_of(of_node->second, report.interface)) {
      report.reading = *reading;
    } else if (report.why_unknown.empty()) {
      report.why_unknown = "its node does not report " + report.interface;
    }
    report.firmware = evidence.firmware(port.node, port.adapter);
    report.psid = evidence.adapter_text(port.node, port.adapter, "psid");
    const auto node = spec.nodes.find(port.node);
    const AdapterSpec* adapter =
        node == spec.nodes.end() ? nullptr : node->second.find_adapter(port.adapter);
    if (adapter != nullptr) report.model = adapter->model.value;
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace fabric::verify
