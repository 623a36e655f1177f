// SPDX-License-Identifier: Apache-2.0
// The net file of ibsim: switches and adapters with their ports. An adapter is called as rdma-ndd
// calls it, so that `verify --level wire` knows it again in the simulated subnet.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/model/switch_port.hpp"
#include "engine/report/exports/cabling.hpp"
#include "engine/report/exports/exports.hpp"

namespace fabric::report {

namespace {

struct Record {
  bool is_switch = false;
  std::int64_t ports = 0;
  std::string guid{};                         // "" = ibsim gives one
  std::map<std::int64_t, std::string> lines;  // by port
};

struct Place {
  std::string record, guid;
  std::int64_t port = 0;
};

Result<Place> place_of(const FabricSpec& spec, const PortRef& port) {
  const NodeSpec* node = spec.find_node(port.node.str());
  if (port.adapter.empty()) {
    const auto written = SwitchPort::parse(port.port);
    const SwitchPorts ports = switch_ports(node == nullptr ? "" : node->model.value, 0);
    const auto number = written ? subnet_port_number(*written, ports, 0) : std::nullopt;
    if (!number) {
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "ibsim numbers its ports, and the number of {} is not known: give the `model` of the "
              "switch",
              port.str())};
    }
    return Place{port.node.str(), node == nullptr ? "" : node->node_guid.value, *number};
  }
  std::size_t index = 1;
  std::string guid;
  for (const AdapterSpec& adapter : *node->adapters) {
    guid = adapter.selector.node_guid.value;
    if (adapter.name == port.adapter) break;
    ++index;
  }
  return Place{fmt::format("{} HCA-{}", port.node.str(), index), guid, port.number()};
}

using Records = std::map<std::string, Record>;

void connect(Records& records, const PortRef& port, const Place& here, const Place& there) {
  constexpr std::int64_t kSmallestSwitch = 36;
  Record& record = records[here.record];
  record.is_switch = port.adapter.empty();
  record.guid = here.guid;
  record.ports = std::max({record.ports, here.port, record.is_switch ? kSmallestSwitch : 1});
  record.lines[here.port] = fmt::format("[{}]\t\"{}\"[{}]\n", here.port, there.record, there.port);
}

std::string record_text(const std::string& name, const Record& record) {
  std::string text = "\n";
  if (const Result<Guid> guid = Guid::parse(record.guid))
    text += fmt::format("{}={}\n", record.is_switch ? "switchguid" : "caguid", guid->str());
  text += fmt::format("{}\t{} \"{}\"\n", record.is_switch ? "Switch" : "Hca", record.ports, name);
  for (const auto& [port, line] : record.lines)
    text += line;
  return text;
}

}  // namespace

Result<std::string> ibsim_net(const FabricSpec& spec) {
  const auto cables = FABRIC_TRY(exported_cables(spec, Wire::infiniband, "ibsim"));
  Records records;
  for (const ExportedCable& each : cables) {
    const PortRef& a = each.cable->a.value;
    const PortRef& b = each.cable->b.value;
    const Place at_a = FABRIC_TRY(place_of(spec, a));
    const Place at_b = FABRIC_TRY(place_of(spec, b));
    connect(records, a, at_a, at_b);
    connect(records, b, at_b, at_a);
  }
  std::string hosts;
  std::string switches;
  for (const auto& [name, record] : records)
    (record.is_switch ? switches : hosts) += record_text(name, record);
  // The first port in the file is where the subnet manager runs: that of a host.
  return "# InfiniBand subnets, written by fabric export ibsim\n" + hosts + switches;
}

}  // namespace fabric::report
