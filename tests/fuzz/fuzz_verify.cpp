// SPDX-License-Identifier: Apache-2.0
// The first line says whose output follows: `ports` of the script that reads counters, `groups` of
// saquery, `wire` of the one that looks at subnets, `descriptions` and `switch-ports` of what nodes
// of a subnet and ports of switches are called, a line each, `ib_send_bw` or `iperf3` of a client.
// Any bytes give a judgement, and a measured rate is a number.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/model/switch_port.hpp"
#include "engine/subnet/node_description.hpp"
#include "engine/verify/flows/flow_findings.hpp"
#include "providers/linux/machine/paths/flows.hpp"
#include "providers/linux/machine/paths/path_tests.hpp"
#include "providers/linux/machine/paths/subnet_records.hpp"

namespace fabric::verify {
namespace {

FlowEnd end_of(const NodeName& node) {
  return {{node, "cx5", "1"}, {"enp1s0f0np0", "10.30.0.1", "rocep1s0f0", 1, 3}};
}

void read_flow(Traffic traffic, std::string_view text) {
  const Result<NodeName> node = NodeName::parse("pve1");
  FABRIC_CHECK(node.has_value(), "the name is one");
  const Flow flow{traffic, "storage", end_of(*node), end_of(*node)};
  const remote::CommandOutput output{0, std::string{text}, {}};
  const FlowReport report =
      report_of(flow, platform::parse_client(traffic, output), platform::parse_server(output));
  if (report.state == FlowState::measured) {
    FABRIC_CHECK(std::isfinite(report.gbps) && report.gbps > 0, "a measured rate is a number");
  } else {
    FABRIC_CHECK(!report.detail.empty(), "what was not measured has a reason");
  }
}

void read_ports(std::string_view text) {
  const platform::PortReadings readings = platform::parse_port_readings(text);
  const Result<PciAddress> card = PciAddress::parse("0000:01:00.0");
  FABRIC_CHECK(card.has_value(), "the address is one");
  for (const platform::RdmaPort& port : readings.rdma) {
    FABRIC_CHECK(!port.device.empty() && port.number > 0, "a port of a device has its number");
    const platform::RdmaPort* found = readings.rdma_of("enp1s0f0np0", *card, port.number);
    FABRIC_CHECK(found == nullptr || !found->str().empty(), "what is found has a name");
  }
}

void read_groups(std::string_view text) {
  for (const platform::IpoibGroup& group :
       platform::parse_ipoib_groups(text).value_or(std::vector<platform::IpoibGroup>{}))
    FABRIC_CHECK(group.mtu <= 4096 && group.pkey <= 0x7fff, "a group is one of the standard");
}

void read_managers(std::string_view text) {
  const auto managers =
      platform::parse_manager_records(text).value_or(std::vector<platform::ManagerRecord>{});
  FABRIC_CHECK(managers.size() <= text.size(), "a manager is more than nothing");
}

void read_wire(std::string_view text) {
  const Result<NodeName> node = NodeName::parse("pve1");
  FABRIC_CHECK(node.has_value(), "the name is one");
  const platform::SubnetLooks answer =
      platform::parse_subnet_looks(*node, {0, std::string{text}, std::string{text}});
  FABRIC_CHECK(!answer.looks.empty(), "who was asked saw something or says why not");
}

void read_descriptions(std::string_view text) {
  for (const std::string_view line : split_lines(text)) {
    const AdapterDescription adapter = describe_adapter(line);
    FABRIC_CHECK(adapter.device.empty() || !adapter.host.empty(), "a device is in a host");
    FABRIC_CHECK(adapter.host == to_lower(adapter.host), "hosts are told without case");
    FABRIC_CHECK(host_label(adapter.host).size() <= adapter.host.size(), "a label is a part");
    const SwitchDescription described = describe_switch(line);
    FABRIC_CHECK(described.module >= 0 && described.asic >= 0, "modules are counted");
    FABRIC_CHECK(
        describe_switch(line).name == described.name && described.name == to_lower(described.name),
        "switches are told without case");
  }
}

void read_switch_ports(std::string_view text) {
  for (const std::string_view line : split_lines(text)) {
    const std::optional<SwitchPort> port = SwitchPort::parse(line);
    if (!port) continue;
    const std::optional<SwitchPort> again = SwitchPort::parse(port->str());
    FABRIC_CHECK(again && again->str() == port->str(), "a port has one way to be written");
    for (const char* model : {"MQM8700", "MQM9700", "MCS8500", "Q3400", ""}) {
      for (const std::int64_t count : {0, 36, 41, 65, 81, 129}) {
        const auto number = subnet_port_number(*port, switch_ports(model, count), count);
        FABRIC_CHECK(!number || (*number >= 1 && *number <= 254), "a number is one of a subnet");
        if (!number || port->form == SwitchPort::Form::module) continue;
        const auto native =
            SwitchPort::parse(native_port_name(*number, *port, switch_ports(model, count)));
        FABRIC_CHECK(native.has_value(), "what a port is called can be written");
      }
    }
  }
}

void read_output(std::string_view input) {
  const std::size_t end = input.find('\n');
  if (end == std::string_view::npos) return;
  const std::string_view kind = input.substr(0, end);
  const std::string_view text = input.substr(end + 1);
  if (kind == "wire") read_wire(text);
  if (kind == "ports") read_ports(text);
  if (kind == "descriptions") read_descriptions(text);
  if (kind == "switch-ports") read_switch_ports(text);
  if (kind == "groups") read_groups(text);
  if (kind == "managers") read_managers(text);
  if (kind == "ib_send_bw") read_flow(Traffic::rdma, text);
  if (kind == "iperf3") read_flow(Traffic::tcp, text);
}

}  // namespace
}  // namespace fabric::verify

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{data, data + size};
  fabric::verify::read_output(text);
  return 0;
}
