// The first line says whose output follows: `ports` of the script that reads counters, `groups` of
// saquery, `wire` of the one that looks at subnets, `ib_send_bw` or `iperf3` of a client. Any bytes
// give a judgement, and a measured rate is a number. What follows `lldpctl-json` is refused with a
// line or becomes JSON that reads back, as with the kinds of fuzz_parsers.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/check.hpp"
#include "engine/value/json.hpp"
#include "engine/verify/cables/wire_command.hpp"
#include "engine/verify/evidence/ipoib_groups.hpp"
#include "engine/verify/evidence/lldp_json.hpp"
#include "engine/verify/evidence/manager_records.hpp"
#include "engine/verify/evidence/port_readings.hpp"
#include "engine/verify/flows/flow_command.hpp"

namespace fabric::verify {
namespace {

FlowEnd end_of(const NodeName& node) {
  return {{node, "cx5", "1"}, "enp1s0f0np0", "10.30.0.1", "rocep1s0f0", 1, 3};
}

void read_flow(FlowTool tool, std::string_view text) {
  const Result<NodeName> node = NodeName::parse("pve1");
  FABRIC_CHECK(node.has_value(), "the name is one");
  const Flow flow{tool, "storage", end_of(*node), end_of(*node), {}, {}, 100, {}, {}, {}};
  const remote::CommandOutput output{0, std::string{text}, {}};
  const FlowReport report = parse_flow(flow, output, output);
  if (report.state == FlowState::measured) {
    FABRIC_CHECK(std::isfinite(report.gbps) && report.gbps > 0, "a measured rate is a number");
  } else {
    FABRIC_CHECK(!report.detail.empty(), "what was not measured has a reason");
  }
}

void read_ports(std::string_view text) {
  const PortReadings readings = parse_port_readings(text);
  const Result<PciAddress> card = PciAddress::parse("0000:01:00.0");
  FABRIC_CHECK(card.has_value(), "the address is one");
  for (const RdmaPort& port : readings.rdma) {
    FABRIC_CHECK(!port.device.empty() && port.number > 0, "a port of a device has its number");
    const RdmaPort* found = readings.rdma_of("enp1s0f0np0", *card, port.number);
    FABRIC_CHECK(found == nullptr || !found->str().empty(), "what is found has a name");
  }
}

void read_groups(std::string_view text) {
  for (const IpoibGroup& group : parse_ipoib_groups(text).value_or(std::vector<IpoibGroup>{}))
    FABRIC_CHECK(group.mtu <= 4096 && group.pkey <= 0x7fff, "a group is one of the standard");
}

void read_managers(std::string_view text) {
  const auto managers = parse_manager_records(text).value_or(std::vector<ManagerRecord>{});
  FABRIC_CHECK(managers.size() <= text.size(), "a manager is more than nothing");
}

void read_wire(std::string_view text) {
  const Result<NodeName> node = NodeName::parse("pve1");
  FABRIC_CHECK(node.has_value(), "the name is one");
  const WireAnswer answer = parse_wire_answer(*node, {0, std::string{text}, std::string{text}});
  FABRIC_CHECK(!answer.looks.empty(), "who was asked saw something or says why not");
}

void read_lldp(std::string_view text) {
  const Result<Value> value = lldp_json_to_value(text);
  if (!value) {
    FABRIC_CHECK(value.error().code == ErrorCode::invalid, "a refusal is of the input");
    FABRIC_CHECK(value.error().message.starts_with("line "), "a refusal has its line");
    return;
  }
  FABRIC_CHECK(value->as_list() != nullptr, "neighbours are a list");
  FABRIC_CHECK(parse_json(to_json(*value)).has_value(), "what is printed reads back");
}

void read_output(std::string_view input) {
  const std::size_t end = input.find('\n');
  if (end == std::string_view::npos) return;
  const std::string_view kind = input.substr(0, end);
  const std::string_view text = input.substr(end + 1);
  if (kind == "wire") read_wire(text);
  if (kind == "ports") read_ports(text);
  if (kind == "groups") read_groups(text);
  if (kind == "managers") read_managers(text);
  if (kind == "lldpctl-json") read_lldp(text);
  if (kind == "ib_send_bw") read_flow(FlowTool::ib_send_bw, text);
  if (kind == "iperf3") read_flow(FlowTool::iperf3, text);
}

}  // namespace
}  // namespace fabric::verify

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{data, data + size};
  fabric::verify::read_output(text);
  return 0;
}
