// SPDX-License-Identifier: Apache-2.0
// Ports and cables: every port is used once, both ends of a cable can talk. That the ports exist is
// seen when endpoints are decoded.
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kRules[] = {
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
        .with_help("take it out of one of them; several IP networks over one port are `vlans`");
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

std::uint32_t speed(const HardwareModel& model, Mode mode) {
  return mode == Mode::infiniband ? model.infiniband_gbps : model.ethernet_gbps;
}

// "100", "100G", "100Gb/s", "EDR" in Gb/s of a 4X link; 0 if it is none of them.
std::uint32_t parse_speed(std::string_view text) {
  struct Rate {
    std::string_view name;
    std::uint32_t gbps;
  };
  constexpr Rate kRates[] = {
      {"sdr", 10},
      {"ddr", 20},
      {"qdr", 40},
      {"fdr10", 40},
      {"fdr", 56},
      {"edr", 100},
      {"hdr100", 100},
      {"hdr", 200},
      {"ndr200", 200},
      {"ndr", 400},
      {"xdr", 800}};
  const std::string lower = to_lower(text);
  for (const Rate& rate : kRates) {
    if (rate.name == lower) return rate.gbps;
  }
  const std::size_t digits = std::min(lower.find_first_not_of("0123456789"), lower.size());
  const auto number = parse_unsigned(std::string_view{lower}.substr(0, digits), 10);
  return number && *number <= 10'000 ? static_cast<std::uint32_t>(*number) : 0;
}

struct End {
  const Sourced<PortRef>* port;
  const AdapterSpec* adapter;
};

void check_declared_speed(
    const CableSpec& cable, Mode mode, const End& end, Diagnostics& diagnostics) {
  const std::uint32_t wanted = parse_speed(cable.speed);
  if (wanted == 0 || end.adapter == nullptr || end.adapter->hardware == nullptr) return;
  const std::uint32_t able = speed(*end.adapter->hardware, mode);
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
              end.adapter->hardware->name,
              able))
      .about(end.port->value.subject())
      .with_note(end.adapter->model.range, "the model is given here")
      .with_help("correct `speed` of the cable or the model");
}

void check_ends(
    const Context& context, const CableSpec& cable, Mode mode, Diagnostics& diagnostics) {
  const End a{&cable.a, context.adapter(cable.a.value)};
  const End b{&cable.b, context.adapter(cable.b.value)};
  check_declared_speed(cable, mode, a, diagnostics);
  check_declared_speed(cable, mode, b, diagnostics);
  if (a.adapter == nullptr || b.adapter == nullptr) return;
  const HardwareModel* first = a.adapter->hardware;
  const HardwareModel* second = b.adapter->hardware;
  if (first == nullptr || second == nullptr) return;
  const bool common =
      (first->infiniband && second->infiniband) || (first->ethernet && second->ethernet);
  if (!common) {
    diagnostics
        .error(
            "cable-ends-disagree",
            cable.b.range,
            fmt::format(
                "the cable {} joins an {} port ({}) to an {} port ({}); no link type is common to "
                "both",
                describe(cable),
                first->infiniband ? "InfiniBand" : "Ethernet",
                first->name,
                second->infiniband ? "InfiniBand" : "Ethernet",
                second->name))
        .with_note(cable.a.range, "the other end")
        .with_help("use a VPI card at one end, or correct the cable");
    return;
  }
  const std::uint32_t first_speed = speed(*first, mode);
  const std::uint32_t second_speed = speed(*second, mode);
  if (first_speed == 0 || second_speed == 0 || first_speed == second_speed || !cable.speed.empty())
    return;
  diagnostics
      .warning(
          "cable-ends-disagree",
          cable.b.range,
          fmt::format(
              "the cable {} joins a port of {} Gb/s ({}) to one of {} Gb/s ({})",
              describe(cable),
              first_speed,
              first->name,
              second_speed,
              second->name))
      .with_note(cable.a.range, "the other end")
      .with_help(fmt::format(
          "the link runs at a speed that both have, at most {} Gb/s; say `speed` at the cable if "
          "that is meant",
          std::min(first_speed, second_speed)));
}

}  // namespace

RuleRows topology_rules() {
  return kRules;
}

void check_topology(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [port, uses] : context.ports()) {
    const About about{diagnostics, port.subject()};
    check_uses(port, uses, diagnostics);
  }
  for (const auto& [name, network] : context.spec().networks) {
    for (const CableSpec& cable : network.cables) {
      const About about{diagnostics, cable.b.value.subject()};
      check_loopback(cable, diagnostics);
      check_ends(context, cable, network.mode.value, diagnostics);
    }
  }
}

}  // namespace fabric::rules
