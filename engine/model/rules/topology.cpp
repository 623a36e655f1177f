// SPDX-License-Identifier: Apache-2.0
// Ports and cables: every port is used once, both ends of a cable can talk. That the ports exist is
// seen when endpoints are decoded.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/cable_ports.hpp"
#include "engine/model/platform_keys.hpp"
#include "engine/model/rules/context.hpp"
#include "engine/model/switch_port.hpp"
#include "engine/model/topology/shared_bonds.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kTopologyRules[] = {
    {"port-reused",
     Severity::error,
     RuleStage::document,
     "Two cables can't be plugged into one port.",
     "E-cable-model: UFM and NetBox cable models; ibdiagnet",
     "Correct one of the two cables that the message shows."},
    {"port-two-networks",
     Severity::error,
     RuleStage::document,
     "A port is in one network, because it has one link type, one MTU and one set of addresses.",
     "E-grammar: docs/document.md",
     "Take the port out of one of the two networks. Several IP networks over one port are "
     "`vlans`."},
    {"cable-ends-disagree",
     Severity::error,
     RuleStage::document,
     "The two ends of a cable must be able to run the same link type at the same speed, and at "
     "the speed that the document asks for.",
     "E-hardware-table: docs/hardware.md; E-ib-link-layer: IEEE 802.3; InfiniBand Architecture "
     "1.3",
     "Correct the models, the declared speed, or the cable."},
    {"cable-loopback",
     Severity::warning,
     RuleStage::document,
     "A cable with both ends in one node carries nothing between nodes. Most often one end is a "
     "typing error.",
     "E-cable-model: UFM and NetBox cable models; ibdiagnet",
     "Correct one end."},
    {"cable-loop",
     Severity::warning,
     RuleStage::document,
     "fabric puts all Ethernet ports of a managed switch into one bridge domain. Cables between "
     "such switches that close a circle are a loop, which only spanning tree breaks: a part of "
     "them carries nothing, and where spanning tree is off the network stands still.",
     "E-nvue-bond: Cumulus Linux, bonds and bridges; E-onyx-vlans; IEEE 802.1Q, 13",
     "Leave out the cables that close the circle; links that are routed are not fabric's."},
    {"node-without-cable",
     Severity::warning,
     RuleStage::document,
     "No network names a port of the node, so fabric leaves its cards as they are. Most often its "
     "cables were forgotten.",
     "E-cable-model: UFM and NetBox cable models; ibdiagnet",
     "Add its ports to the `cables` or `ports` of a network."},
};

bool joins_port_to_itself(const CableSpec& cable) {
  return cable.a.value == cable.b.value;
}

void check_uses(const PortRef& port, const std::vector<PortUse>& uses, Diagnostics& diagnostics) {
  const PortUse& first = uses.front();
  for (std::size_t i = 1; i < uses.size(); ++i) {
    const PortUse& again = uses[i];
    if (again.network == first.network) {
      // Listing a cabled port under `ports` too says nothing new.
      const bool both_cabled = again.cable != nullptr && first.cable != nullptr;
      if (both_cabled && !joins_port_to_itself(*again.cable)) {
        diagnostics
            .error(
                "port-reused", again.range, fmt::format("port {} has a cable already", port.str()))
            .with_note(first.range, "the first: " + describe(*first.cable))
            .with_help("one port takes one cable; correct one of the two");
      }
      continue;
    }
    // The telling slug where one of the two is a bond is lag-port-shared.
    if (again.network->mode.value == Mode::lag || first.network->mode.value == Mode::lag) continue;
    diagnostics
        .error(
            "port-two-networks",
            again.range,
            fmt::format(
                "port {} is in network {} and in network {}",
                port.str(),
                first.network->name,
                again.network->name))
        .with_note(first.range, fmt::format("here it is in network {}", first.network->name))
        .with_help("take it out of one network; several IP networks over one port are `vlans`");
  }
}

// Which port of the switch it is, whatever it is called: "sw4p2", "1/4/2" and, where no port of the
// switch is split, "8" are one.
std::string identity_of(const SwitchPort& port, const NodeSpec& node, bool has_parts) {
  const bool is_number = port.form == SwitchPort::Form::numbers && port.numbers.size() == 1;
  const SwitchPorts layout = switch_ports(node.model.value, 0);
  const auto number = node.model.value.empty() || (is_number && has_parts)
                          ? std::nullopt
                          : subnet_port_number(port, layout, 0);
  return number && layout != SwitchPorts::modules ? fmt::format("#{}", *number) : port.str();
}

// The port of which `port` is a part: "swp1" of "swp1s0", "1/6" of "1/6/1"; none: it is whole.
std::optional<SwitchPort> whole_of(SwitchPort port, const NodeSpec& node) {
  const PlatformTraits& platform = traits(node.platform.value);
  // Without the system's own names "1/7/2" is a part of "1/7", or half of a cage.
  const bool two =
      switch_ports(node.model.value, 0) == SwitchPorts::two_a_cage && !node.model.value.empty();
  const bool in_slots = (!platform.is_managed && !two) || platform.port_names == PortNames::in_slot;
  const bool is_split =
      (port.form == SwitchPort::Form::split && platform.is_managed) ||
      (port.form == SwitchPort::Form::nvos && port.numbers.size() == 3) ||
      (port.form == SwitchPort::Form::numbers && port.numbers.size() == (in_slots ? 3U : 4U));
  if (!is_split) return std::nullopt;
  if (port.form == SwitchPort::Form::split) port.form = SwitchPort::Form::numbers;
  port.numbers.pop_back();
  return port;
}

// A cage is whole or split. Ports of a pair's link are used, too.
void check_split(const Context& context, Diagnostics& diagnostics) {
  std::map<PortRef, SourceRange> used;
  for (const auto& [port, uses] : context.ports())
    if (port.adapter.empty()) used.emplace(port, uses.front().range);
  for (const auto& [name, node] : context.spec().nodes) {
    if (!node.mlag || !is_switch(node.platform.value)) continue;
    for (const Sourced<std::string>& written : node.mlag->ipl) {
      const auto port = SwitchPort::parse(written.value);
      if (!port) continue;
      const PortNames names = traits(node.platform.value).port_names;
      used.emplace(
          PortRef{name, "", as_called(*port, names, node.model.value).str()}, written.range);
    }
  }
  std::set<NodeName> split;
  for (const auto& [port, place] : used) {
    const NodeSpec* node = context.node(port);
    const auto read = SwitchPort::parse(port.port);
    if (node != nullptr && read && whole_of(*read, *node)) split.insert(port.node);
  }
  using Used = std::pair<const PortRef, SourceRange>;
  std::map<std::pair<NodeName, std::string>, const Used*> first;
  for (const bool parts : {false, true}) {
    for (const Used& each : used) {
      const NodeSpec* node = context.node(each.first);
      const auto read = SwitchPort::parse(each.first.port);
      if (node == nullptr || !read || !is_switch(node->platform.value)) continue;
      const std::optional<SwitchPort> whole = whole_of(*read, *node);
      if (whole.has_value() != parts) continue;
      const std::string place =
          identity_of(whole ? *whole : *read, *node, split.contains(node->name));
      const std::string own =
          whole ? fmt::format("{} part {}", place, read->numbers.back()) : place;
      const auto same = first.try_emplace({node->name, own}, &each).first->second;
      const auto around = parts ? first.find({node->name, place}) : first.end();
      if (same == &each && around == first.end()) continue;
      const Used& other = same == &each ? *around->second : *same;
      const std::string names[] = {each.first.str(), other.first.str()};
      diagnostics
          .error(
              "port-reused",
              each.second,
              same == &each
                  ? fmt::format("{} is a part of {}, which is used as a whole", names[0], names[1])
                  : fmt::format("{} and {} are one port", names[0], names[1]))
          .about(each.first.subject())
          .with_note(other.second, same == &each ? "the whole port" : "the other name")
          .with_help("write the parts of a port that is split, or the port alone");
    }
  }
}

void check_loopback(const CableSpec& cable, Diagnostics& diagnostics) {
  if (joins_port_to_itself(cable)) {
    diagnostics
        .error(
            "port-reused",
            cable.b.range,
            fmt::format("both ends of the cable are port {}", cable.a.value.str()))
        .with_note(cable.a.range, "the other end");
  } else if (cable.a.value.node == cable.b.value.node) {
    diagnostics
        .warning(
            "cable-loopback",
            cable.b.range,
            fmt::format("the cable joins {} to itself", describe(cable)))
        .with_note(cable.a.range, "the other end")
        .with_help(
            "a cable between two ports of one node carries nothing between nodes; correct one end");
  }
}

// What is known of the port that a cable ends in; nothing where its model is not.
struct End {
  const Sourced<PortRef>* port = nullptr;
  std::string model{};  // "ConnectX-6 VPI", "QM8790"
  SourceRange given{};
  std::uint32_t infiniband_gbps = 0, ethernet_gbps = 0;
  bool is_switch = false;
  bool is_slower = false;  // than the fastest ports of its switch

  std::uint32_t gbps(Mode mode) const {
    return mode == Mode::infiniband ? infiniband_gbps : ethernet_gbps;
  }
};

End end_of(const Context& context, const Sourced<PortRef>& port) {
  if (const AdapterSpec* card = context.adapter(port.value)) {
    if (card->hardware == nullptr) return {&port};
    const HardwareModel& of_card = *card->hardware;
    return {&port, of_card.name, card->model.range, of_card.infiniband_gbps, of_card.ethernet_gbps};
  }
  const NodeSpec* node = context.node(port.value);
  const SwitchModel* known = node == nullptr ? nullptr : find_switch_model(node->model.value);
  const auto read = SwitchPort::parse(port.value.port);
  if (known == nullptr || !read) return {&port};
  const std::uint32_t infiniband = gbps_of_port(*read, *known, known->infiniband_gbps);
  const std::uint32_t ethernet = gbps_of_port(*read, *known, known->ethernet_gbps);
  const bool is_slower = infiniband != known->infiniband_gbps || ethernet != known->ethernet_gbps;
  return {&port, node->model.value, node->model.range, infiniband, ethernet, true, is_slower};
}

void check_declared_speed(
    const CableSpec& cable, Mode mode, const End& end, Diagnostics& diagnostics) {
  const std::uint32_t wanted = cable_gbps(cable.speed);
  const std::uint32_t able = end.gbps(mode);
  if (able == 0 || wanted <= able) return;
  diagnostics
      .error(
          "cable-ends-disagree",
          end.port->range,
          fmt::format(
              "the cable {} should run at {} Gb/s, but {} ({}) reaches {}",
              describe(cable),
              wanted,
              end.port->value.str(),
              end.model,
              able))
      .about(end.port->value.subject())
      .with_note(end.given, "the model is given here")
      .with_help("correct `speed` of the cable or the model");
}

// Checks the link type of a switch; that of a card is judged by link-type-unsupported.
void check_switch_type(
    const Context& context,
    const Sourced<Mode>& written,
    const End& end,
    Diagnostics& diagnostics) {
  const Mode mode = written.value;
  const bool has_model = end.infiniband_gbps != 0 || end.ethernet_gbps != 0;
  if (!end.is_switch || !has_model || end.gbps(mode) != 0 || !is_known(written.range)) return;
  const KeyRow* row = find_key_row(
      traits(context.node(end.port->value)->platform.value), "networks.*.mode", to_string(mode));
  if (row != nullptr && row->use == KeyUse::refused) return;
  diagnostics
      .error(
          "link-type-unsupported",
          end.given,
          fmt::format(
              "{} is a {}, whose ports are {}, and a cable in mode {} ends there",
              end.port->value.node.str(),
              end.model,
              end.ethernet_gbps != 0 ? "Ethernet" : "InfiniBand",
              to_string(mode)))
      .about(end.port->value.node)
      .with_note(end.port->range, "the cable")
      .with_help("correct the model, the mode of the network, or the cable");
}

std::string_view type_of(const End& end) {
  return end.infiniband_gbps != 0 ? "InfiniBand" : "Ethernet";
}

void check_ends(
    const Context& context,
    const CableSpec& cable,
    const Sourced<Mode>& written,
    Diagnostics& diagnostics) {
  const Mode mode = written.value;
  const End a = end_of(context, cable.a);
  const End b = end_of(context, cable.b);
  for (const End* end : {&a, &b}) {
    check_declared_speed(cable, mode, *end, diagnostics);
    check_switch_type(context, written, *end, diagnostics);
  }
  if (a.model.empty() || b.model.empty()) return;
  const bool common = (a.infiniband_gbps != 0 && b.infiniband_gbps != 0) ||
                      (a.ethernet_gbps != 0 && b.ethernet_gbps != 0);
  if (!common && !a.is_switch && !b.is_switch) {
    diagnostics
        .error(
            "cable-ends-disagree",
            cable.b.range,
            fmt::format(
                "the cable {} joins an {} port ({}) to an {} port ({}); no link type is common to "
                "both",
                describe(cable),
                type_of(a),
                a.model,
                type_of(b),
                b.model))
        .with_note(cable.a.range, "the other end")
        .with_help("use a VPI card at one end, or correct the cable");
    return;
  }
  const std::uint32_t first = a.gbps(mode);
  const std::uint32_t second = b.gbps(mode);
  // A card that is slower than its switch is as usual as ports of several speeds at one switch.
  const bool is_usual = (b.is_switch && first < second) || (a.is_switch && second < first) ||
                        (is_ethernet(mode) && (a.is_switch || b.is_switch)) || a.is_slower ||
                        b.is_slower;
  if (first == 0 || second == 0 || first == second || is_usual || !cable.speed.empty()) return;
  diagnostics
      .warning(
          "cable-ends-disagree",
          cable.b.range,
          fmt::format(
              "the cable {} joins a port of {} Gb/s ({}) to one of {} Gb/s ({})",
              describe(cable),
              first,
              a.model,
              second,
              b.model))
      .with_note(cable.a.range, "the other end")
      .with_help(fmt::format(
          "the link runs at a speed of both ports, at most {} Gb/s; to accept it, write `speed` at "
          "the cable",
          std::min(first, second)));
}

void check_speed(const CableSpec& cable, Diagnostics& diagnostics) {
  if (cable.speed.empty() || cable_gbps(cable.speed) != 0) return;
  diagnostics
      .error(
          "out-of-range",
          cable.range,
          fmt::format("'{}' is no speed of the cable {}", cable.speed, describe(cable)))
      .with_help("write Gb/s, such as 100 or 100G, or a rate of InfiniBand: EDR, HDR, NDR");
}

bool is_bridge(const NodeSpec* node) {
  return node != nullptr && is_switch(node->platform.value) &&
         traits(node->platform.value).is_managed && node->state.value == NodeState::managed;
}

// The switches that forward to each other, by the cables looked at so far.
class Bridges {
 public:
  const NodeName& first(const NodeName& node) {
    const NodeName* at = &node;
    for (auto next = under_.find(*at); next != under_.end(); next = under_.find(*at))
      at = &next->second;
    return *at;
  }
  // False: they were joined before.
  bool join(const NodeName& a, const NodeName& b) {
    const NodeName one = first(a);
    const NodeName other = first(b);
    return one != other && under_.emplace(one, other).second;
  }

 private:
  std::map<NodeName, NodeName> under_;
};

// Reports loops. A pair is one switch, whose own link is no cable of a network; switches that share
// bonds by EVPN are joined by its overlay.
void check_loops(const Context& context, Diagnostics& diagnostics) {
  Bridges bridges;
  for (const auto& [one, other] : paired_switches(context.spec()))
    bridges.join(one, other);
  for (const auto& [name, network] : context.spec().networks) {
    if (!is_ethernet(network.mode.value)) continue;
    for (const CableSpec& cable : network.cables) {
      const NodeName& a = cable.a.value.node;
      const NodeName& b = cable.b.value.node;
      if (a == b || !is_bridge(context.node(cable.a.value)) ||
          !is_bridge(context.node(cable.b.value)) || bridges.join(a, b))
        continue;
      diagnostics
          .warning(
              "cable-loop",
              cable.range,
              fmt::format(
                  "the cable {} closes a loop: both switches forward to each other already",
                  describe(cable)))
          .about(cable.b.value.subject())
          .with_help(
              "spanning tree alone holds it: fabric puts the ports of a switch into one bridge "
              "domain, and makes no bonds and no routed links between switches");
    }
  }
}

void check_cabled(const Context& context, Diagnostics& diagnostics) {
  const auto& networks = context.spec().networks;
  // An end that can't be read may be the node's.
  const bool unread = std::any_of(networks.begin(), networks.end(), [](const auto& each) {
    return is_known(each.second.unread_end);
  });
  if (networks.empty() || unread) return;
  for (const auto& [name, network] : networks) {
    if (find_written(*network.written, "networks.*.cables") != nullptr ||
        find_written(*network.written, "networks.*.ports") != nullptr)
      continue;
    diagnostics
        .warning(
            "key-without-effect",
            network.range,
            fmt::format("network {} has no effect: it has no cables and no ports", name))
        .about(name)
        .with_help("add its `cables` or `ports`, or remove it");
  }
  std::set<NodeName> cabled;
  for (const auto& [port, uses] : context.ports())
    cabled.insert(port.node);
  for (const auto& [name, node] : context.spec().nodes) {
    if (cabled.contains(name) || node.adapters->empty() || node.state.value == NodeState::absent)
      continue;
    diagnostics
        .warning(
            "node-without-cable",
            node.range,
            fmt::format("no network has a port of {}", name.str()))
        .about(name)
        .with_help("add its cables, or its ports under `ports` of a network");
  }
}

}  // namespace

RuleRows topology_rules() {
  return kTopologyRules;
}

void check_topology(const Context& context, Diagnostics& diagnostics) {
  check_split(context, diagnostics);
  for (const auto& [port, uses] : context.ports()) {
    const About about{diagnostics, port.subject()};
    check_uses(port, uses, diagnostics);
  }
  for (const auto& [name, network] : context.spec().networks) {
    for (const CableSpec& cable : network.cables) {
      const About about{diagnostics, cable.b.value.subject()};
      check_loopback(cable, diagnostics);
      check_speed(cable, diagnostics);
      check_ends(context, cable, network.mode, diagnostics);
    }
  }
  check_loops(context, diagnostics);
  check_cabled(context, diagnostics);
}

}  // namespace fabric::rules
