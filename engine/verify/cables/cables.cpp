// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/cables.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"
#include "engine/verify/cables/cable_help.hpp"
#include "engine/verify/cables/firmware_lldp.hpp"
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
  std::size_t senders = 0;        // of what was heard in a chain, where that is more than one
  std::optional<PortRef> actual;  // else the first one that could be identified
  std::string actual_text;        // and how to call it when it could not
  std::string unmapped;           // what was heard and may be the declared other end or not
  Proof proof = Proof::none;      // of what was heard

  std::optional<bool> carrier() const {
    return evidence.device ? evidence.device->carrier : std::nullopt;
  }
};

std::string describe(const Neighbour& neighbour) {
  const std::string& chassis =
      neighbour.chassis_name.empty() ? neighbour.chassis_id : neighbour.chassis_name;
  const std::string& port =
      neighbour.port_description.empty() ? neighbour.port_id : neighbour.port_description;
  return fmt::format("{} port {}", chassis, port);
}

// Cards in a chain pass on what is not theirs, and LLDP may be among it: then every port hears
// everybody, and the right neighbour among them proves nothing (E-chain-dmac).
std::size_t senders_of(const std::vector<Neighbour>& neighbours) {
  std::set<std::string> senders;
  for (const Neighbour& neighbour : neighbours)
    senders.insert(describe(neighbour));
  return senders.size();
}

std::string unmapped_text(
    const PortRef& port, const PortRef& expected, const Neighbour& heard, bool is_port) {
  return fmt::format(
      "{} hears {} by LLDP, and {}",
      port.str(),
      describe(heard),
      is_port ? fmt::format("whether that is {} is not known", expected.str())
              : fmt::format("whether {} calls itself so is not known", expected.node.str()));
}

End observe_end(const PortRef& port, const PortRef& expected, const Evidence& all, bool in_chain) {
  End end{port, port.adapter.empty(), {}, false, false, 0, {}, {}, {}, Proof::none};
  if (!end.is_switch) end.evidence = all.port(port);
  const std::vector<Neighbour> neighbours =
      end.is_switch ? all.heard_at_switch(port) : end.evidence.neighbours;
  if (const std::size_t senders = in_chain ? senders_of(neighbours) : 0; senders > 1) {
    end.senders = senders;
    return end;
  }
  for (const Neighbour& neighbour : neighbours) {
    const Told told = all.compare(neighbour, expected);
    if (told == Told::unknown) {
      if (end.unmapped.empty())
        end.unmapped = unmapped_text(port, expected, neighbour, all.owner(neighbour) != nullptr);
      continue;
    }
    end.heard = true;
    if (told == Told::same) end.right = true;
    if (end.proof == Proof::none || told == Told::same)
      end.proof = all.is_known_by_mac(neighbour) ? Proof::mac : Proof::lldp;
    if (end.actual_text.empty()) {
      const std::optional<PortRef> who = all.identify(neighbour);
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
    report.proof = std::max(report.proof, end->proof);
    (end == &a ? report.at_a : report.at_b) = SeenPeer{end->actual, end->actual_text};
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
        "{} ({}) is down, so a cable there can't be seen",
        end->port.str(),
        end->evidence.device->name);
  }
  for (const End* end : {&a, &b}) {
    if (end->senders == 0) continue;
    return fmt::format(
        "{} hears {} neighbours by LLDP; cards in a chain may pass it on, so that none of them is "
        "proven",
        end->port.str(),
        end->senders);
  }
  for (const End* end : {&a, &b}) {
    if (!end->unmapped.empty()) return end->unmapped;
  }
  std::string why = "the link is up, but no LLDP says what is at its other end";
  for (const End* end : {&a, &b}) {
    if (end->is_switch || all.node(end->port.node).lldp) continue;
    const std::string& reason = all.node(end->port.node).why_no_lldp;
    return why +
           fmt::format(" ({}: {})", end->port.node.str(), reason.empty() ? "no LLDP" : reason);
  }
  for (const End* end : {&a, &b}) {
    if (takes_lldp_in_firmware(all, end->port))
      return why + fmt::format(" (the firmware of {} takes its frames)", end->port.str());
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
  report.proof = Proof::carrier;
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

// `carrier`: a link is enough where nobody says what is at its other end.
CableReport judge_cable(
    const CableSpec& cable, const NetworkSpec& network, const Evidence& all, bool carrier) {
  CableReport report{
      cable.a.value, cable.b.value, network.name, CableState::no_data, {}, cable.range, false};
  const bool in_chain = network.mode.value == Mode::chain;
  const End a = observe_end(cable.a.value, cable.b.value, all, in_chain);
  const End b = observe_end(cable.b.value, cable.a.value, all, in_chain);
  report.lldp_is_ambiguous = a.senders > 0 || b.senders > 0;
  report.lldp_is_unmapped = !a.unmapped.empty() || !b.unmapped.empty();
  report.source_read =
      (!a.is_switch && all.node(a.port.node).lldp) || (!b.is_switch && all.node(b.port.node).lldp);
  report.without_link = is_asked(a, all) && is_asked(b, all) && (has_no_link(a) || has_no_link(b));
  if ((a.heard && !a.right) || (b.heard && !b.right)) {
    judge_wrong(report, a, b);
  } else if (a.carrier() == false || b.carrier() == false) {
    judge_dark(report, a, b, all);
  } else if (a.right || b.right || (carrier && (a.carrier() == true || b.carrier() == true))) {
    report.state = CableState::ok;
    report.proof = Proof::carrier;
    for (const End* end : {&a, &b}) {
      if (end->right) report.proof = std::max(report.proof, end->proof);
    }
    judge_speed(report, cable, a, b);
  } else {
    report.detail = why_unproven(a, b, all);
  }
  return report;
}

// Where nobody could look at the subnet, a host still knows its own link.
CableReport judge_infiniband(
    const CableSpec& cable,
    const NetworkSpec& network,
    const Evidence& all,
    const WireCables& wire) {
  CableReport report = wire.judge(cable, network);
  if (report.state != CableState::no_data || !wire.carrier_is_enough(cable)) return report;
  for (const PortRef* port : {&cable.a.value, &cable.b.value}) {
    const PortEvidence end = port->adapter.empty() ? PortEvidence{} : all.port(*port);
    if (!end.device || end.device->carrier != true) continue;
    report.state = CableState::ok;
    report.proof = Proof::carrier;
    report.detail.clear();
  }
  return report;
}

// "the only cable of network storage", "2 of 8 cables of network storage".
std::string unproven_text(std::size_t unproven, std::size_t all, const std::string& network) {
  if (all == 1) return "the only cable of network " + network;
  return fmt::format("{} of {} cables of network {}", unproven, all, network);
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
  std::set<NodeName> not_seen, ends;

  void add(const CableReport& cable) {
    if (count++ == 0) first = &cable;
    not_seen.insert(cable.not_seen.begin(), cable.not_seen.end());
    ends.insert({cable.a.node, cable.b.node});
    if (cable.without_link) ++without_link;
  }
};

Diagnostic unproven_finding(const Unproven& unproven, std::size_t all, bool has_cause) {
  const CableReport& first = *unproven.first;
  const bool is_incomplete = first.source_read && unproven.without_link == 0 && !has_cause;
  Diagnostic finding{
      unproven.without_link == 0 && !is_incomplete ? Severity::warning : Severity::error,
      is_incomplete ? "cable-unproven" : "cable-no-data",
      first.range,
      fmt::format(
          "{} could not be judged{} {} - {}: {}",
          unproven_text(unproven.count, all, first.network),
          unproven.count == 1 ? "," : ", for example",
          first.a.str(),
          first.b.str(),
          first.detail),
      has_cause ? "" : no_data_help(first, unproven.without_link != 0),
      {},
      first.a.subject()};
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

}  // namespace

CableReport offline_cable(
    const FabricSpec& spec, const CableSpec& cable, const NetworkSpec& network) {
  const NodeName& a = cable.a.value.node;
  const NodeName& b = cable.b.value.node;
  const NodeName& out = is_offline(spec, a) || is_absent(spec, a) ? a : b;
  return {
      cable.a.value,
      cable.b.value,
      network.name,
      CableState::offline,
      fmt::format(
          "{} {}",
          out.str(),
          is_absent(spec, out) ? "is released (state: absent)" : "is known to be down"),
      cable.range};
}

std::vector<CableReport> judge_cables(
    const FabricSpec& spec, const Evidence& evidence, const WireCables& wire) {
  std::vector<CableReport> reports;
  for (const auto& [name, network] : spec.networks) {
    // LLDP and Ethernet link state say nothing about InfiniBand.
    const bool infiniband = network.mode.value == Mode::infiniband;
    for (const CableSpec& cable : network.cables) {
      const bool is_released =
          is_absent(spec, cable.a.value.node) || is_absent(spec, cable.b.value.node);
      if (is_released || leads_to_offline(spec, cable)) {
        reports.push_back(offline_cable(spec, cable, network));
      } else {
        reports.push_back(
            infiniband ? judge_infiniband(cable, network, evidence, wire)
                       : judge_cable(cable, network, evidence, carrier_proves(spec, cable)));
      }
    }
  }
  return reports;
}

void add_cable_findings(const std::vector<CableReport>& cables, Findings& findings) {
  std::map<std::string, std::size_t> all;
  // By network, cause, and whether what should have told was read.
  std::map<std::tuple<std::string, std::optional<Findings::Number>, bool>, Unproven> unproven;
  for (std::size_t i = 0; i < cables.size(); ++i) {
    const CableReport& cable = cables[i];
    ++all[cable.network];
    if (cable.state == CableState::ok || cable.state == CableState::offline) continue;
    const auto cause = unreached_end(cable, findings);
    if (cable.state == CableState::no_data) {
      const bool is_incomplete = cable.source_read && !cable.without_link;
      unproven[{cable.network, cause, is_incomplete}].add(cable);
      continue;
    }
    const bool dark = cable.state == CableState::missing || cable.state == CableState::one_sided;
    const Findings::Number number =
        findings.add(broken_finding(cable), dark ? cause : std::nullopt, Effect::cable_dark);
    if (is_broken(cable.state)) findings.broken_cables.emplace(i, number);
  }
  for (const auto& [of, some] : unproven) {
    const auto& [network, cause, is_incomplete] = of;
    const Findings::Number number = findings.add(
        unproven_finding(some, all[network], cause.has_value()),
        cause,
        Effect::cable_unknown,
        some.count);
    for (const NodeName& node : some.ends)
      findings.also_about(number, node.str());
  }
}

}  // namespace fabric::verify
