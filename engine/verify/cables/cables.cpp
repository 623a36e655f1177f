#include "engine/verify/cables/cables.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"
#include "engine/verify/cables/speed_text.hpp"

namespace fabric::verify {

namespace {

// What one end knows of what it is plugged into.
struct End {
  PortRef port;
  bool is_switch = false;
  PortEvidence evidence;
  bool heard = false;             // some neighbour spoke
  bool right = false;             // one of them is the declared other end
  std::optional<PortRef> actual;  // else the first one that could be identified
  std::string actual_text;        // and how to call it when it could not

  std::optional<bool> carrier() const {
    return evidence.device ? evidence.device->carrier : std::nullopt;
  }
};

std::string describe(const LldpNeighbour& neighbour) {
  const std::string& chassis =
      neighbour.chassis_name.empty() ? neighbour.chassis_id : neighbour.chassis_name;
  const std::string& port =
      neighbour.port_description.empty() ? neighbour.port_id : neighbour.port_description;
  return fmt::format("{} port {}", chassis, port);
}

End observe_end(const PortRef& port, const PortRef& expected, const Evidence& all) {
  End end{port, port.adapter.empty(), {}, false, false, {}, {}};
  if (end.is_switch) return end;
  end.evidence = all.port(port);
  for (const LldpNeighbour& neighbour : end.evidence.neighbours) {
    const std::optional<PortRef> who = all.identify(neighbour);
    // A port can be recognised by its MAC or name only where its own node was read. Without that, a
    // neighbour nobody knows may well be the right one.
    const bool expected_known = expected.adapter.empty() || all.port(expected).device.has_value();
    if (!who && (!expected_known || all.calls_itself(neighbour, expected.node))) continue;
    end.heard = true;
    if (who == expected) end.right = true;
    if (end.actual_text.empty()) {
      end.actual = who;
      end.actual_text = who ? who->str() : describe(neighbour);
    }
  }
  return end;
}

std::string cabled_to(const End& end) {
  return fmt::format("{} is cabled to {} (LLDP)", end.port.str(), end.actual_text);
}

void judge_wrong(CableReport& report, const End& a, const End& b) {
  const bool looped =
      (a.actual && a.actual->node == a.port.node) || (b.actual && b.actual->node == b.port.node);
  report.state = looped ? CableState::loopback : CableState::mis_wired;
  for (const End* end : {&a, &b}) {
    if (!end->heard || end->right) continue;
    if (!report.detail.empty()) report.detail += "; ";
    report.detail += cabled_to(*end);
  }
}

void judge_speed(CableReport& report, const CableSpec& cable, const End& a, const End& b) {
  const std::optional<std::int64_t> declared = declared_speed_mbps(cable.speed);
  if (!declared) return;
  for (const End* end : {&a, &b}) {
    if (!end->evidence.device || !end->evidence.device->speed_mbps) continue;
    const std::int64_t found = *end->evidence.device->speed_mbps;
    if (found >= *declared) continue;
    report.state = CableState::degraded;
    report.detail = fmt::format(
        "expected {} Gb/s, found {} Gb/s at {}", *declared / 1000, found / 1000, end->port.str());
    return;
  }
}

std::string why_unproven(const End& a, const End& b, const Evidence& all) {
  for (const End* end : {&a, &b}) {
    if (!end->is_switch && !end->evidence.device) return end->evidence.why_unknown;
  }
  for (const End* end : {&a, &b}) {
    if (end->is_switch || end->carrier()) continue;
    return fmt::format(
        "{} ({}) is down, so it can't say whether a cable is there",
        end->port.str(),
        end->evidence.device->name);
  }
  std::string why = "the link is up, but no LLDP says what is at its other end";
  for (const End* end : {&a, &b}) {
    if (end->is_switch || all.node(end->port.node).lldp) continue;
    const std::string& reason = all.node(end->port.node).why_no_lldp;
    return why +
           fmt::format(" ({}: {})", end->port.node.str(), reason.empty() ? "no LLDP" : reason);
  }
  return why;
}

bool is_asked(const End& end, const Evidence& all) {
  return end.is_switch || all.node(end.port.node).reached;
}

bool has_no_link(const End& end) {
  return !end.is_switch && end.carrier() != true;
}

// Some end has no carrier.
void judge_dark(CableReport& report, const End& a, const End& b, const Evidence& all) {
  const End& dark = a.carrier() == false ? a : b;
  const End& other = a.carrier() == false ? b : a;
  if (other.is_switch || other.carrier() == false) {
    report.state = CableState::missing;
    report.detail = other.is_switch ? fmt::format("no carrier at {}", dark.port.str())
                                    : "no carrier at both ends";
  } else if (other.carrier() == true) {
    report.state = CableState::one_sided;
    report.detail =
        fmt::format("no carrier at {}, but link at {}", dark.port.str(), other.port.str());
  } else {
    report.detail = fmt::format("no carrier at {}; {}", dark.port.str(), why_unproven(a, b, all));
  }
}

CableReport judge_cable(const CableSpec& cable, const NetworkSpec& network, const Evidence& all) {
  CableReport report{
      cable.a.value, cable.b.value, network.name, CableState::no_data, {}, cable.range, false};
  const End a = observe_end(cable.a.value, cable.b.value, all);
  const End b = observe_end(cable.b.value, cable.a.value, all);
  report.without_link = is_asked(a, all) && is_asked(b, all) && (has_no_link(a) || has_no_link(b));
  if ((a.heard && !a.right) || (b.heard && !b.right)) {
    judge_wrong(report, a, b);
  } else if (a.carrier() == false || b.carrier() == false) {
    judge_dark(report, a, b, all);
  } else if (a.right || b.right) {
    report.state = CableState::ok;
    judge_speed(report, cable, a, b);
  } else {
    report.detail = why_unproven(a, b, all);
  }
  return report;
}

std::string help_for(const CableReport& cable) {
  const std::string ends = fmt::format("{} and {}", cable.a.str(), cable.b.str());
  switch (cable.state) {
    case CableState::missing:
      return "plug in the cable between " + ends;
    case CableState::one_sided:
      return "look at both plugs of the cable between " + ends;
    case CableState::loopback:
      return "the cable returns to its own node: join " + ends;
    case CableState::mis_wired:
      return fmt::format("join {}, or write the cable as it runs", ends);
    default:
      return {};
  }
}

// "the only cable of network storage", "2 of 8 cables of network storage".
std::string unproven_text(std::size_t unproven, std::size_t all, const std::string& network) {
  if (all == 1) return "the only cable of network " + network;
  return fmt::format("{} of {} cables of network {}", unproven, all, network);
}

std::string no_data_help(const CableReport& cable, bool without_link) {
  if (without_link) return "run `fabric plan`: ports are down that the document needs";
  if (!cable.not_seen.empty())
    return "bring the nodes up, write them as they call themselves in the subnet, or give the "
           "`node_guid` of their adapters";
  if (!cable.infiniband) return "run lldpd on every node to have the cabling proven";
  return "install infiniband-diags on a node of the subnet that has the physical function of its "
         "adapter, or give `--wire` what ibnetdiscover prints";
}

Diagnostic broken_finding(const CableReport& cable) {
  return {
      cable.state == CableState::degraded ? Severity::warning : Severity::error,
      "cable-" + std::string{to_string(cable.state)},
      cable.range,
      fmt::format(
          "cable {} - {} is {}: {}",
          cable.a.str(),
          cable.b.str(),
          to_string(cable.state),
          cable.detail),
      help_for(cable),
      {}};
}

// Of one network, with the same cause.
struct Unproven {
  std::size_t count = 0, without_link = 0;
  const CableReport* first = nullptr;
  std::set<NodeName> not_seen;

  void add(const CableReport& cable) {
    if (count++ == 0) first = &cable;
    not_seen.insert(cable.not_seen.begin(), cable.not_seen.end());
    if (cable.without_link) ++without_link;
  }
};

Diagnostic unproven_finding(const Unproven& unproven, std::size_t all, bool has_cause) {
  const CableReport& first = *unproven.first;
  Diagnostic finding{
      unproven.without_link == 0 ? Severity::warning : Severity::error,
      "cable-no-data",
      first.range,
      fmt::format(
          "{} could not be judged{} {} - {}: {}",
          unproven_text(unproven.count, all, first.network),
          unproven.count == 1 ? "," : ", for example",
          first.a.str(),
          first.b.str(),
          first.detail),
      has_cause ? "" : no_data_help(first, unproven.without_link != 0),
      {}};
  if (unproven.count > 1 && !unproven.not_seen.empty()) {
    finding.with_note(
        {},
        fmt::format(
            "not seen in the subnet: {}",
            fold(std::vector<NodeName>{unproven.not_seen.begin(), unproven.not_seen.end()})));
  }
  return finding;
}

// A host that is down has no link and answers nothing.
std::optional<Findings::Number> unreached_end(const CableReport& cable, const Findings& findings) {
  const auto cause = finding_of(findings.unreached, cable.a.node);
  return cause ? cause : finding_of(findings.unreached, cable.b.node);
}

Diagnostic unexpected_finding(const FabricSpec& spec, const UnexpectedCable& cable) {
  Diagnostic finding{
      Severity::warning,
      "cable-unexpected",
      {},
      fmt::format("cable {} - {} is not in the document", cable.a, cable.b),
      "write the cable, or list the port under `ports`, or pull it out",
      {}};
  if (const NodeSpec* node = spec.find_node(cable.a.substr(0, cable.a.find('/'))))
    finding.range = node->range;
  return finding;
}

}  // namespace

std::vector<CableReport> judge_cables(
    const FabricSpec& spec, const Evidence& evidence, const WireCables& wire) {
  std::vector<CableReport> reports;
  for (const auto& [name, network] : spec.networks) {
    // LLDP and Ethernet link state say nothing about InfiniBand.
    const bool infiniband = network.mode.value == Mode::infiniband;
    for (const CableSpec& cable : network.cables) {
      reports.push_back(
          infiniband ? wire.judge(cable, network) : judge_cable(cable, network, evidence));
    }
  }
  return reports;
}

void add_cable_findings(const std::vector<CableReport>& cables, Findings& findings) {
  std::map<std::string, std::size_t> all;
  std::map<std::pair<std::string, std::optional<Findings::Number>>, Unproven> unproven;
  for (std::size_t i = 0; i < cables.size(); ++i) {
    const CableReport& cable = cables[i];
    ++all[cable.network];
    if (cable.state == CableState::ok) continue;
    const auto cause = unreached_end(cable, findings);
    if (cable.state == CableState::no_data) {
      unproven[{cable.network, cause}].add(cable);
      continue;
    }
    const bool dark = cable.state == CableState::missing || cable.state == CableState::one_sided;
    const Findings::Number number =
        findings.add(broken_finding(cable), dark ? cause : std::nullopt, Effect::cable_dark);
    if (is_broken(cable.state)) findings.broken_cables.emplace(i, number);
  }
  for (const auto& [of, some] : unproven) {
    const auto& [network, cause] = of;
    findings.add(
        unproven_finding(some, all[network], cause.has_value()),
        cause,
        Effect::cable_unknown,
        some.count);
  }
}

void add_unexpected_findings(
    const FabricSpec& spec, const std::vector<UnexpectedCable>& cables, Findings& findings) {
  constexpr std::size_t kShownOneByOne = 5;
  std::optional<Findings::Number> all;
  if (cables.size() > kShownOneByOne) {
    Diagnostic many = unexpected_finding(spec, cables.front());
    many.message = fmt::format(
        "{} links of the subnets are not in the document, for example {} - {}",
        cables.size(),
        cables.front().a,
        cables.front().b);
    many.help = "write the cables, or list the ports under `ports`, or pull them out";
    all = findings.add(std::move(many));
  }
  for (const UnexpectedCable& cable : cables)
    findings.add(unexpected_finding(spec, cable), all, Effect::member);
}

}  // namespace fabric::verify
