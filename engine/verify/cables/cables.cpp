// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/cables.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/verify/cables/speed_text.hpp"

namespace fabric::verify {

namespace {

// The help texts for cables.

constexpr const char* kLinkIsEnough =
    "write `proof: carrier` at the cable or its switch if a link is proof enough";

Platform platform_of(const FabricSpec& spec, const NodeName& node) {
  return spec.nodes.at(node).platform.value;
}

std::string names(const std::set<NodeName>& nodes) {
  return fold(std::vector<NodeName>{nodes.begin(), nodes.end()});
}

// fabric opens the ports that it configures; those of ESXi are the VMkernel's.
std::string opening_help(const FabricSpec& spec, const CableReport& cable) {
  std::set<NodeName> ours, observed, vmware;
  for (const PortRef& port : cable.shut) {
    const NodeSpec& node = spec.nodes.at(port.node);
    (traits(node.platform.value).virtual_switches ? vmware
     : node.state.value == NodeState::observe     ? observed
                                                  : ours)
        .insert(port.node);
  }
  std::vector<std::string> parts;
  if (!ours.empty()) parts.push_back(fmt::format("`fabric apply` opens it on {}", names(ours)));
  if (!observed.empty())
    parts.push_back(fmt::format(
        "open it on {}, where fabric changes nothing (`state: observe`)", names(observed)));
  if (!vmware.empty())
    parts.push_back(fmt::format(
        "on {}, `esxcli network nic list` names the NIC and `esxcli network nic up -n vmnicN` "
        "opens it",
        names(vmware)));
  return join(parts, "; ");
}

// The help for an Ethernet cable without evidence: how each kind of end can send or hear LLDP.
std::string lldp_help(const FabricSpec& spec, const std::vector<const CableReport*>& cables) {
  std::set<NodeName> linux_hosts, vmware, switches;
  for (const CableReport* cable : cables) {
    for (const PortRef* port : {&cable->a, &cable->b}) {
      const PlatformTraits& of = traits(platform_of(spec, port->node));
      (of.linux_host ? linux_hosts : of.is_switch ? switches : vmware).insert(port->node);
    }
  }
  std::vector<std::string> parts;
  if (!linux_hosts.empty())
    parts.push_back(fmt::format("run lldpd on {} (`packages: [lldpd]`)", names(linux_hosts)));
  if (!switches.empty()) parts.push_back(fmt::format("let {} send and hear LLDP", names(switches)));
  if (!vmware.empty())
    parts.push_back(fmt::format(
        "let the distributed switch of {} send LLDP (a standard one sends none)", names(vmware)));
  return fmt::format("{}; or {}", join(parts, ", "), kLinkIsEnough);
}

bool has_linux_host(const FabricSpec& spec, const std::string& network) {
  const std::vector<PortRef> ports = spec.networks.at(network).member_ports();
  return std::ranges::any_of(
      ports, [&](const PortRef& port) { return traits(platform_of(spec, port.node)).linux_host; });
}

std::string subnet_help(const FabricSpec& spec, const CableReport& cable) {
  const bool has_looker = has_linux_host(spec, cable.network);
  return fmt::format(
      "{}give `--wire FILE` (of `ibnetdiscover`), or write `proof: carrier` at the cable or its "
      "switch",
      has_looker ? "install infiniband-diags on a Linux host of it, " : "");
}

// The help for a cable that differs from the document; "" if there is none.
std::string help_for(const FabricSpec& spec, const CableReport& cable) {
  const std::string ends = fmt::format("{} and {}", cable.a.str(), cable.b.str());
  switch (cable.state) {
    case CableState::missing:
      if (cable.lack == WireLack::device)
        return "check with `lspci` and `dmesg` on the node that the card is there, that its driver "
               "has taken it, and that the port is no InfiniBand port";
      return "plug in the cable between " + ends;
    case CableState::one_sided:
      return "look at both plugs of the cable between " + ends;
    case CableState::loopback:
      return "the cable returns to its own node: join " + ends;
    case CableState::mis_wired:
      return fmt::format("connect {}, or correct the cable in the document", ends);
    case CableState::shut:
      return opening_help(spec, cable);
    default:
      return {};
  }
}

// The help for cables of one network that could not be judged for one reason: which nodes could
// report them, and what that takes, on the platforms of their ends. REQUIRES: at least one cable.
std::string unproven_help(const FabricSpec& spec, const std::vector<const CableReport*>& cables) {
  const CableReport& cable = *cables.front();
  if (cable.lack == WireLack::level)
    return "verify with `--level link`, which asks the nodes at both ends";
  if (cable.lldp_is_ambiguous)
    return fmt::format(
        "`--level link` compares the serial numbers of the plugs; or {}", kLinkIsEnough);
  if (cable.lldp_is_unmapped)
    return fmt::format(
        "write the port as the switch writes it, or `system_name: NAME` at the switch if it has "
        "another name there; or {}",
        kLinkIsEnough);
  if (!cable.infiniband) return lldp_help(spec, cables);
  if (cable.lack == WireLack::number)
    return "write the port by its number in the subnet, or give the `model` of the switch";
  if (cable.lack == WireLack::adapter)
    return "give the `node_guid` of the adapters, name them as in the subnet (`mlx5_0`), or verify "
           "with the facts of their nodes";
  if (std::ranges::any_of(cables, [](const CableReport* each) { return !each->not_seen.empty(); }))
    return "bring the nodes up (rdma-ndd names their adapters), write the adapters as the subnet "
           "names them, or give their `node_guid`";
  if (cable.subnet_read)
    return "read the subnet again, from a place that reaches both ends of the cables";
  return subnet_help(spec, cable);
}

// The readings at one end of a cable, and the neighbours that it hears.
struct End {
  PortRef port;
  bool is_switch = false;
  discovery::PortEvidence evidence;
  bool heard = false;             // some neighbour spoke
  bool right = false;             // one of the neighbours is the declared other end
  std::size_t senders = 0;        // neighbours heard in a chain, if more than one
  std::optional<PortRef> actual;  // if none is right, the first known one
  std::string actual_text;        // the words for `actual`, or for an unknown one
  std::string unmapped;           // why a neighbour may be the declared end or not
  Proof proof = Proof::none;      // the evidence of the neighbour

  std::optional<bool> carrier() const { return evidence.carrier(); }
};

std::string describe(const Neighbour& neighbour) {
  const std::string& chassis =
      neighbour.chassis_name.empty() ? neighbour.chassis_id : neighbour.chassis_name;
  const std::string& port =
      neighbour.port_description.empty() ? neighbour.port_id : neighbour.port_description;
  return fmt::format("{} port {}", chassis, port);
}

// Cards in a chain pass on frames of other hosts, and LLDP may be among them: then every port hears
// all the others, and the right neighbour among them proves nothing (E-chain-dmac).
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
      is_port ? fmt::format("it is not known whether that is {}", expected.str())
              : fmt::format("it is not known whether that is a name of {}", expected.node.str()));
}

End observe_end(
    const PortRef& port, const PortRef& expected, const discovery::Evidence& all, bool in_chain) {
  End end{port, port.adapter.empty(), all.port(port), false, false, 0, {}, {}, {}, Proof::none};
  const std::vector<Neighbour> neighbours =
      end.is_switch ? all.heard_at_switch(port) : end.evidence.neighbours;
  if (const std::size_t senders = in_chain ? senders_of(neighbours) : 0; senders > 1) {
    end.senders = senders;
    return end;
  }
  for (const Neighbour& neighbour : neighbours) {
    const discovery::Told told = all.compare(neighbour, expected);
    if (told == discovery::Told::unknown) {
      if (end.unmapped.empty())
        end.unmapped = unmapped_text(port, expected, neighbour, all.owner(neighbour) != nullptr);
      continue;
    }
    end.heard = true;
    if (told == discovery::Told::same) end.right = true;
    if (end.proof == Proof::none || told == discovery::Told::same)
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

void judge_speed(
    CableReport& report,
    const CableSpec& cable,
    const discovery::PortEvidence& a,
    const discovery::PortEvidence& b) {
  const std::optional<std::int64_t> declared = declared_speed_mbps(cable.speed);
  if (!declared) return;
  for (const auto& [port, end] : {std::pair{&report.a, &a}, {&report.b, &b}}) {
    if (!end->device || !end->device->speed_mbps) continue;
    const std::int64_t found = *end->device->speed_mbps;
    if (found >= *declared) continue;
    report.state = CableState::degraded;
    report.detail = fmt::format(
        "expected {} Gb/s, found {} Gb/s at {}", *declared / 1000, found / 1000, port->str());
    return;
  }
}

std::string why_unproven(const End& a, const End& b, const discovery::Evidence& all) {
  for (const End* end : {&a, &b}) {
    if (!end->is_switch && !end->evidence.device) return end->evidence.why_unknown;
  }
  for (const End* end : {&a, &b}) {
    if (end->is_switch || end->carrier()) continue;
    return fmt::format(
        "{} ({}) does not report whether it has a link",
        end->port.str(),
        end->evidence.device->name);
  }
  for (const End* end : {&a, &b}) {
    if (end->senders == 0) continue;
    return fmt::format(
        "{} hears {} neighbours by LLDP; cards in a chain may pass LLDP on, so none of them is "
        "proven",
        end->port.str(),
        end->senders);
  }
  for (const End* end : {&a, &b}) {
    if (!end->unmapped.empty()) return end->unmapped;
  }
  std::string why = "the link is up, but no LLDP shows the port at its other end";
  for (const End* end : {&a, &b}) {
    if (end->is_switch || all.node(end->port.node).lldp) continue;
    const std::string& reason = all.node(end->port.node).why_no_lldp;
    return why +
           fmt::format(" ({}: {})", end->port.node.str(), reason.empty() ? "no LLDP" : reason);
  }
  for (const End* end : {&a, &b}) {
    if (takes_lldp_in_firmware(all, end->port))
      return why + fmt::format(" (the firmware of {} takes its LLDP frames)", end->port.str());
  }
  return why;
}

// "leaf1/7 is shut", "pve1/cx5/1 (ens1f0np0) is shut"
std::string shut_text(const PortRef& port, const NetDevice& device) {
  const bool is_switch = port.adapter.empty();
  return fmt::format(
      "{}{} is shut", port.str(), is_switch ? "" : fmt::format(" ({})", device.name));
}

// A shut port takes the link from both ends: that is no fault of the cable.
bool judge_shut(
    CableReport& report, const discovery::PortEvidence& a, const discovery::PortEvidence& b) {
  if (!a.is_shut() && !b.is_shut()) return false;
  report.state = CableState::shut;
  report.proof = Proof::carrier;
  report.detail.clear();
  for (const auto& [port, end] : {std::pair{&report.a, &a}, {&report.b, &b}}) {
    if (!end->is_shut()) continue;
    report.shut.push_back(*port);
    if (!report.detail.empty()) report.detail += "; ";
    report.detail += shut_text(*port, *end->device);
  }
  return true;
}

// An end on a Linux host that was asked and shows no network device of the card.
const End* without_device(const End& a, const End& b, const discovery::Evidence& all) {
  for (const End* end : {&a, &b}) {
    if (!end->is_switch && all.lists_devices(end->port.node) && !end->evidence.device) return end;
  }
  return nullptr;
}

// Some end has no carrier.
void judge_dark(CableReport& report, const End& a, const End& b, const discovery::Evidence& all) {
  const End& dark = a.carrier() == false ? a : b;
  const End& other = a.carrier() == false ? b : a;
  report.proof = Proof::carrier;
  // The switch at the other end was not asked.
  const bool is_mute = other.is_switch && !other.evidence.device;
  if (is_mute || other.carrier() == false) {
    report.state = CableState::missing;
    report.detail =
        is_mute ? fmt::format("no carrier at {}", dark.port.str()) : "no carrier at both ends";
  } else if (other.carrier() == true) {
    report.state = CableState::one_sided;
    report.detail =
        fmt::format("no carrier at {}, but link at {}", dark.port.str(), other.port.str());
  } else {
    report.detail = fmt::format("no carrier at {}; {}", dark.port.str(), why_unproven(a, b, all));
  }
}

// `carrier`: a link is enough where no source names the far end.
CableReport judge_cable(
    const CableSpec& cable,
    const NetworkSpec& network,
    const discovery::Evidence& all,
    bool carrier) {
  CableReport report{
      cable.a.value, cable.b.value, network.name, CableState::no_data, {}, cable.range, false};
  const bool in_chain = network.mode.value == Mode::chain;
  const End a = observe_end(cable.a.value, cable.b.value, all, in_chain);
  const End b = observe_end(cable.b.value, cable.a.value, all, in_chain);
  report.lldp_is_ambiguous = a.senders > 0 || b.senders > 0;
  report.lldp_is_unmapped = !a.unmapped.empty() || !b.unmapped.empty();
  if ((a.heard && !a.right) || (b.heard && !b.right)) {
    judge_wrong(report, a, b);
  } else if (judge_shut(report, a.evidence, b.evidence)) {
    return report;
  } else if (const End* bare = without_device(a, b, all); bare != nullptr) {
    report.state = CableState::missing;
    report.lack = WireLack::device;
    report.detail = bare->evidence.why_unknown;
  } else if (a.carrier() == false || b.carrier() == false) {
    judge_dark(report, a, b, all);
  } else if (a.right || b.right || (carrier && (a.carrier() == true || b.carrier() == true))) {
    report.state = CableState::ok;
    report.proof = Proof::carrier;
    for (const End* end : {&a, &b}) {
      if (end->right) report.proof = std::max(report.proof, end->proof);
    }
    judge_speed(report, cable, a.evidence, b.evidence);
  } else {
    report.detail = why_unproven(a, b, all);
  }
  return report;
}

// Judges an InfiniBand cable of which the subnet shows too little by the state of its ports: those
// of a managed switch, and those of a host that is in a multicast group, which takes a link.
void judge_by_ports(
    CableReport& report,
    const CableSpec& cable,
    const discovery::Evidence& all,
    bool carrier_is_enough) {
  const discovery::PortEvidence a = all.port(report.a);
  const discovery::PortEvidence b = all.port(report.b);
  const auto ends = {std::pair{&report.a, &a}, {&report.b, &b}};
  const auto is_switch = [](const PortRef& port) {
    return port.adapter.empty();
  };
  // An IPoIB interface that is down says nothing of the port below it.
  if (judge_shut(
          report,
          is_switch(report.a) ? a : discovery::PortEvidence{},
          is_switch(report.b) ? b : discovery::PortEvidence{}))
    return;
  if (report.state != CableState::no_data) return;
  std::string linked;
  for (const auto& [port, end] : ends) {
    if (end->carrier() == true) linked = port->str();
    if (!is_switch(*port) || end->carrier() != false) continue;
    report.state = CableState::missing;
    report.proof = Proof::carrier;
    report.detail = fmt::format("no link at {}", port->str());
    return;
  }
  if (linked.empty()) return;
  report.proof = Proof::carrier;
  if (carrier_is_enough) {
    report.state = CableState::ok;
    report.detail.clear();
    judge_speed(report, cable, a, b);
  } else {
    report.detail = fmt::format(
        "{} has a link, but nothing shows the port at its other end: {}", linked, report.detail);
  }
}

CableReport judge_infiniband(
    const CableSpec& cable,
    const NetworkSpec& network,
    const discovery::Evidence& all,
    const WireCables& wire) {
  CableReport report = wire.judge(cable, network);
  const bool is_dark = report.state == CableState::no_data || report.state == CableState::missing ||
                       report.state == CableState::one_sided;
  if (is_dark) judge_by_ports(report, cable, all, wire.carrier_is_enough(cable));
  return report;
}

// "the only cable of network storage", "2 of 8 cables of network storage".
std::string unproven_text(std::size_t unproven, std::size_t all, const std::string& network) {
  if (all == 1) return "the only cable of network " + network;
  return fmt::format("{} of {} cables of network {}", unproven, all, network);
}

Diagnostic broken_finding(const FabricSpec& spec, const CableReport& cable) {
  // Each plug in a wrong port is a job of its own; what is dark or slow in one way is one for
  // people.
  const bool stands_alone =
      cable.state == CableState::mis_wired || cable.state == CableState::loopback;
  return {
      cable.state == CableState::degraded ? Severity::warning : Severity::error,
      "cable-" + std::string{to_string(cable.state)},
      cable.range,
      fmt::format(
          "cable {} - {} {}: {}",
          cable.a.str(),
          cable.b.str(),
          cable.state == CableState::shut ? "carries nothing"
                                          : fmt::format("is {}", to_string(cable.state)),
          cable.detail),
      help_for(spec, cable),
      {},
      stands_alone ? Subject{} : cable.a.subject()};
}

// The cables without proof of one network, with the same cause.
struct Unproven {
  std::vector<const CableReport*> cables;
  std::set<NodeName> not_seen;

  void add(const CableReport& cable) {
    cables.push_back(&cable);
    not_seen.insert(cable.not_seen.begin(), cable.not_seen.end());
  }
};

Diagnostic unproven_finding(
    const FabricSpec& spec, const Unproven& unproven, std::size_t all, bool has_cause) {
  const CableReport& first = *unproven.cables.front();
  const std::size_t count = unproven.cables.size();
  Diagnostic finding{
      Severity::error,
      "cable-unproven",
      first.range,
      fmt::format(
          "{} could not be judged{} {} - {}: {}",
          unproven_text(count, all, first.network),
          count == 1 ? "," : ", for example",
          first.a.str(),
          first.b.str(),
          first.detail),
      has_cause ? "" : unproven_help(spec, unproven.cables),
      {},
      first.a.subject()};
  if (count > 1 && !unproven.not_seen.empty()) {
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
  const NodeName& out = is_offline(spec, a) || discovery::is_absent(spec, a) ? a : b;
  return {
      cable.a.value,
      cable.b.value,
      network.name,
      CableState::offline,
      fmt::format(
          "{} {}",
          out.str(),
          discovery::is_absent(spec, out) ? "is released (state: absent)" : "is known to be down"),
      cable.range};
}

std::vector<CableReport> judge_cables(
    const FabricSpec& spec, const discovery::Evidence& evidence, const WireCables& wire) {
  std::vector<CableReport> reports;
  for (const auto& [name, network] : spec.networks) {
    // LLDP and Ethernet link state say nothing about InfiniBand.
    const bool infiniband = network.mode.value == Mode::infiniband;
    for (const CableSpec& cable : network.cables) {
      const bool is_released = discovery::is_absent(spec, cable.a.value.node) ||
                               discovery::is_absent(spec, cable.b.value.node);
      if (is_released || discovery::leads_to_offline(spec, cable)) {
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

void add_cable_findings(
    const FabricSpec& spec, const std::vector<CableReport>& cables, Findings& findings) {
  std::map<std::string, std::size_t> all;
  // The cables without proof, by network, cause, and missing evidence.
  std::map<std::tuple<std::string, std::optional<Findings::Number>, WireLack>, Unproven> unproven;
  for (std::size_t i = 0; i < cables.size(); ++i) {
    const CableReport& cable = cables[i];
    ++all[cable.network];
    if (cable.state == CableState::ok || cable.state == CableState::offline) continue;
    const auto cause = unreached_end(cable, findings);
    if (cable.state == CableState::no_data) {
      unproven[{cable.network, cause, cable.lack}].add(cable);
      continue;
    }
    const bool dark = cable.state == CableState::missing || cable.state == CableState::one_sided;
    const Findings::Number number =
        findings.add(broken_finding(spec, cable), dark ? cause : std::nullopt, Effect::cable_dark);
    for (const PortRef* port : {&cable.a, &cable.b})
      findings.also_about(number, port->node.str());
    if (is_broken(cable.state)) findings.broken_cables.emplace(i, number);
  }
  for (const auto& [of, some] : unproven) {
    const auto& [network, cause, lack] = of;
    const Findings::Number number = findings.add(
        unproven_finding(spec, some, all[network], cause.has_value()),
        cause,
        Effect::cable_unknown,
        some.cables.size());
    for (const CableReport* cable : some.cables) {
      findings.also_about(number, cable->a.node.str());
      findings.also_about(number, cable->b.node.str());
    }
  }
}

}  // namespace fabric::verify
