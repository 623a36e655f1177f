// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/model/switch_port.hpp"
#include "engine/report/exports/cabling.hpp"
#include "engine/report/exports/exports.hpp"
#include "engine/verify/cables/speed_text.hpp"

namespace fabric::report {

// The net file of ibsim: switches and adapters with their ports. An adapter is called as rdma-ndd
// calls it, so that `verify --level wire` knows it again in the simulated subnet.

namespace {

struct Record {
  bool is_switch = false;
  std::int64_t ports = 0;
  std::string guid{};                         // "" = ibsim gives one
  std::map<std::int64_t, std::string> lines;  // by port
};

struct PortPlace {
  std::string record, guid;
  std::int64_t port = 0;
};

Result<PortPlace> place_of(const FabricSpec& spec, const PortRef& port) {
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
    return PortPlace{port.node.str(), node == nullptr ? "" : node->node_guid.value, *number};
  }
  std::size_t index = 1;
  std::string guid;
  for (const AdapterSpec& adapter : *node->adapters) {
    guid = adapter.selector.node_guid.value;
    if (adapter.name == port.adapter) break;
    ++index;
  }
  return PortPlace{fmt::format("{} HCA-{}", port.node.str(), index), guid, port.number()};
}

using Records = std::map<std::string, Record>;

void connect(Records& records, const PortRef& port, const PortPlace& here, const PortPlace& there) {
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
    const PortPlace at_a = FABRIC_TRY(place_of(spec, a));
    const PortPlace at_b = FABRIC_TRY(place_of(spec, b));
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

// The node name map of infiniband-diags and OpenSM: the document's names of nodes with known GUIDs.

Result<std::string> node_name_map(const FabricSpec& spec) {
  std::string lines;
  for (const auto& [name, node] : spec.nodes) {
    if (!is_exported(node)) continue;
    if (!node.node_guid.value.empty())
      lines += fmt::format("{} \"{}\"\n", node.node_guid.value, name.str());
    for (const AdapterSpec& adapter : *node.adapters) {
      const std::string& guid = adapter.selector.node_guid.value;
      if (!guid.empty()) lines += fmt::format("{} \"{} {}\"\n", guid, name.str(), adapter.name);
    }
  }
  if (lines.empty())
    return Error{ErrorCode::invalid, "no switch and no adapter of the document has a node_guid"};
  return "# written by fabric export ib-node-name-map\n" + lines;
}

// ibdm's .topo: a system and its type, below it its ports and what each is cabled to. Which ports a
// type has is told by files of ibdm; a port is written "P7" where the document has a plain number.

namespace {

// A type is one word; other text could be read as several.
std::string type_of(const FabricSpec& spec, const PortRef& port) {
  if (!port.adapter.empty()) return "HCA";
  const NodeSpec* node = spec.find_node(port.node.str());
  std::string type;
  for (const char c : node == nullptr ? std::string{} : node->model.value) {
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                         (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '.';
    if (is_word) type += c;
  }
  return type.empty() ? "SWITCH" : type;
}

std::string port_text(const FabricSpec& spec, const PortRef& port) {
  if (!port.adapter.empty()) return host_port_text(spec, port, true);
  const bool is_number = port.port.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "P" + port.port : port.port;
}

// Four lanes, as cables of InfiniBand have them: "-4x-50G->" for 200 Gb/s.
std::string arrow(const CableSpec& cable) {
  constexpr std::int64_t kFourLanes = 4'000;
  const auto speed = verify::declared_speed_mbps(cable.speed);
  if (!speed || *speed == 0 || *speed % kFourLanes != 0) return "->";
  return fmt::format("-4x-{}G->", *speed / kFourLanes);
}

}  // namespace

Result<std::string> topo_file(const FabricSpec& spec) {
  const auto cables = FABRIC_TRY(exported_cables(spec, Wire::infiniband, "topo"));
  // A cable once, below the switch of the two; systems in order of name.
  std::map<NodeName, std::string> systems;
  std::map<NodeName, std::string> types;
  for (const ExportedCable& each : cables) {
    const bool turned = !each.cable->a.value.adapter.empty();
    const PortRef& here = turned ? each.cable->b.value : each.cable->a.value;
    const PortRef& there = turned ? each.cable->a.value : each.cable->b.value;
    types.emplace(here.node, type_of(spec, here));
    systems[here.node] += fmt::format(
        "  {} {} {} {} {}\n",
        port_text(spec, here),
        arrow(*each.cable),
        type_of(spec, there),
        there.node.str(),
        port_text(spec, there));
  }
  std::string text = "# InfiniBand cables, written by fabric export topo\n";
  for (const auto& [name, lines] : systems)
    text += fmt::format("\n{} {}\n{}", types.at(name), name.str(), lines);
  return text;
}

}  // namespace fabric::report
