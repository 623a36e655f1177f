// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/qos/qos.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/value/lists.hpp"

namespace fabric::verify {

namespace {

constexpr std::string_view kLost[] = {"out_of_sequence", "packet_seq_err"};

struct Wanted {
  std::string_view part, attribute;
  Value value;
};

Value priorities(const QosSpec& qos) {
  return to_list(qos.lossless);
}

// "3, 4", "on", "dscp"
std::string shown(const Value& value) {
  if (const bool* flag = value.as_bool()) return *flag ? "on" : "off";
  const List* list = value.as_list();
  if (list == nullptr) return to_text(value);
  std::vector<std::string> texts;
  for (const Value& each : *list)
    texts.push_back(to_text(each));
  return texts.empty() ? "none" : join(texts, ", ");
}

std::vector<Wanted> wanted_of_port(const QosSpec& qos) {
  return {
      {"trust", "trust", qos.trust.value},
      {"PFC", "pfc", priorities(qos)},
      {"ECN", "ecn", qos.ecn.value},
      {"ToS", "tos", type_of_service(qos)}};
}

std::vector<Wanted> wanted_of_switch(const QosSpec& qos) {
  std::vector<Wanted> wanted{
      {"mode", "mode", "lossless"},
      {"trust", "trust", qos.trust.value},
      {"PFC", "pfc", priorities(qos)}};
  if (qos.ecn.value) wanted.push_back({"ECN", "ecn", true});
  return wanted;
}

std::vector<QosPart> parts_of(
    const discovery::Evidence& evidence,
    const ResourceAddress& address,
    const std::vector<Wanted>& wanted) {
  std::vector<QosPart> parts;
  for (const Wanted& each : wanted) {
    const Reading* reading = evidence.running(address, each.attribute);
    if (reading == nullptr) continue;  // nothing is asked of it, as of a slave of a RoCE LAG
    QosPart part{std::string{each.part}, shown(each.value), {}};
    if (reading->value() != nullptr) {
      part.found = shown(*reading->value());
    } else if (reading->is_absent()) {
      part.found = "none";
    } else {
      part.why_unknown = reading->why();
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

// "n7/cx5/1", and a switch as a whole.
std::string name_of(const PortRef& port) {
  return port.adapter.empty() ? port.node.str() : port.str();
}

std::vector<std::string> far_ends(const NetworkSpec& network, const std::string& where) {
  std::set<std::string> far;
  for (const CableSpec& cable : network.cables) {
    if (name_of(cable.a.value) == where) far.insert(name_of(cable.b.value));
    if (name_of(cable.b.value) == where) far.insert(name_of(cable.a.value));
  }
  return {far.begin(), far.end()};
}

void add_network(
    const NetworkSpec& network,
    const discovery::Evidence& evidence,
    std::vector<QosReport>& reports) {
  std::set<NodeName> switches;
  const auto add = [&](const PortRef& port, std::string name, const std::vector<Wanted>& wanted) {
    const ResourceAddress address{port.node, std::string{kinds::kQos}, std::move(name)};
    if (!evidence.observed(address)) return;
    QosReport report{port.node, name_of(port), network.name, parts_of(evidence, address, wanted)};
    report.far = far_ends(network, report.where);
    reports.push_back(std::move(report));
  };
  for (const PortRef& port : network.member_ports()) {
    if (!port.adapter.empty())
      add(port, port.adapter + "." + port.port, wanted_of_port(*network.qos));
  }
  for (const PortRef& port : network.member_ports()) {
    if (port.adapter.empty() && switches.insert(port.node).second)
      add(port, "roce", wanted_of_switch(*network.qos));
  }
}

bool is_loss(std::string_view counter) {
  return counter.find("discard") != std::string_view::npos ||
         std::find(std::begin(kLost), std::end(kLost), counter) != std::end(kLost);
}

void compare(QosReport& report, const Counters& before, const Counters& after) {
  for (const auto& [name, then] : before) {
    const auto now = after.find(name);
    if (now == after.end() || now->second == then) continue;
    report.moved.push_back({name, then, now->second});
    if (is_loss(name)) report.lost.push_back(report.moved.back());
  }
}

const Counters* flow_control_of(
    const ReadingsByNode& readings, const NodeName& node, const std::string& interface) {
  const auto of_node = readings.find(node);
  if (of_node == readings.end()) return nullptr;
  const auto found = of_node->second.flow_control.find(interface);
  return found == of_node->second.flow_control.end() ? nullptr : &found->second;
}

const Counters* congestion_of(
    const ReadingsByNode& readings, const NodeName& node, const std::string& rdma) {
  const auto of_node = readings.find(node);
  if (of_node == readings.end()) return nullptr;
  for (const RdmaPort& port : of_node->second.rdma) {
    if (port.str() == rdma) return &port.congestion;
  }
  return nullptr;
}

// "leaf1 at the other end has dscp"
std::string at_other_end(
    const QosReport& report, std::string_view part, const std::vector<QosReport>& reports) {
  std::vector<std::string> texts;
  for (const std::string& far : report.far) {
    const auto other = std::ranges::find_if(reports, [&](const QosReport& each) {
      return each.where == far && each.network == report.network;
    });
    const QosPart* found = other == reports.end() ? nullptr : other->find(part);
    if (found != nullptr && !found->found.empty())
      texts.push_back(fmt::format("{} at the other end: {}", far, found->found));
  }
  return texts.size() == 1 ? fmt::format(" ({})", texts.front()) : "";
}

SourceRange place(const FabricSpec& spec, const std::string& network) {
  const NetworkSpec& found = spec.networks.at(network);
  return found.qos ? found.qos->range : found.range;
}

}  // namespace

bool QosReport::is_right() const {
  return std::ranges::all_of(parts, [](const QosPart& part) { return part.is_right(); });
}

const QosPart* QosReport::find(std::string_view part) const {
  const auto found =
      std::ranges::find_if(parts, [part](const QosPart& each) { return each.name == part; });
  return found == parts.end() ? nullptr : &*found;
}

std::vector<QosReport> qos_reports(const FabricSpec& spec, const discovery::Evidence& evidence) {
  std::vector<QosReport> reports;
  for (const auto& [name, network] : spec.networks) {
    if (network.qos && network.mode.value != Mode::infiniband)
      add_network(network, evidence, reports);
  }
  return reports;
}

void add_qos_counters(
    const std::vector<CounterReport>& ports,
    const ReadingsByNode& before,
    const ReadingsByNode& after,
    std::vector<QosReport>& reports) {
  for (QosReport& report : reports) {
    const auto port = std::ranges::find_if(
        ports, [&](const CounterReport& each) { return each.port.str() == report.where; });
    if (port == ports.end()) continue;
    const Counters* then = flow_control_of(before, report.node, port->interface);
    const Counters* now = flow_control_of(after, report.node, port->interface);
    if (then != nullptr && now != nullptr) compare(report, *then, *now);
    then = congestion_of(before, report.node, port->rdma);
    now = congestion_of(after, report.node, port->rdma);
    if (then != nullptr && now != nullptr) compare(report, *then, *now);
  }
}

void add_qos_findings(
    const FabricSpec& spec, const std::vector<QosReport>& reports, Findings& findings) {
  for (const QosReport& report : reports) {
    std::vector<std::string> wrong, unknown, lost;
    for (const QosPart& part : report.parts) {
      if (part.found.empty()) {
        unknown.push_back(fmt::format("{}: {}", part.name, part.why_unknown));
      } else if (!part.is_right()) {
        wrong.push_back(fmt::format(
            "{} is {} instead of {}{}",
            part.name,
            part.found,
            part.wanted,
            at_other_end(report, part.name, reports)));
      }
    }
    for (const MovedCounter& counter : report.lost)
      lost.push_back(fmt::format("{} from {} to {}", counter.name, counter.before, counter.after));
    const auto add =
        [&](Severity severity, const char* rule, std::string message, std::string help) {
          findings.add(
              {severity,
               rule,
               place(spec, report.network),
               std::move(message),
               std::move(help),
               {},
               report.node},
              finding_of(findings.unreached, report.node));
        };
    if (!wrong.empty())
      add(Severity::error,
          "qos-differs",
          fmt::format(
              "{} is not lossless as the document says: {}", report.where, join(wrong, "; ")),
          "run `fabric plan`, and `fabric apply` if the plan is right");
    if (!unknown.empty())
      add(Severity::error,
          "qos-unknown",
          fmt::format(
              "it is not known whether {} is lossless: {}", report.where, join(unknown, "; ")),
          "install iproute2 with `dcb`, or the vendor's mlnx_qos, and verify again");
    if (!lost.empty())
      add(Severity::warning,
          "qos-frames-lost",
          fmt::format(
              "{} is in a lossless network and lost frames during the verify: {}",
              report.where,
              join(lost, ", ")),
          "look at the switch's counters of the same priority; the priority must be lossless at "
          "every hop");
  }
}

void add_lossy_findings(
    const FabricSpec& spec, const std::vector<RoceAddressReport>& addresses, Findings& findings) {
  std::set<PortRef> in_use;
  for (const RoceAddressReport& each : addresses) {
    if (each.index) in_use.insert(each.port);
  }
  for (const auto& [name, network] : spec.networks) {
    if (network.qos || network.mode.value == Mode::infiniband) continue;
    const std::vector<PortRef> ports = network.member_ports();
    const bool used =
        std::ranges::any_of(ports, [&](const PortRef& port) { return in_use.contains(port); });
    if (!used) continue;
    findings.add(
        {Severity::info,
         "roce-lossy",
         network.range,
         fmt::format("network {} has RDMA and no `qos`: a full buffer drops frames of RoCE", name),
         "write `qos: {}` in the network, or leave it out for cards with good congestion control",
         {}});
  }
}

}  // namespace fabric::verify
