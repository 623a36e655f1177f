// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/vlans_apart.hpp"
#include "providers/mlnx_os/kinds/channels.hpp"
#include "providers/mlnx_os/kinds/lines.hpp"
#include "providers/mlnx_os/kinds/rows.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"
#include "providers/mlnx_os/parsers/onyx_show.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers::onyx {

namespace {

constexpr const char* kEnabled = "enabled";
constexpr const char* kMtu = "mtu";
constexpr const char* kBridged = "bridged";
constexpr const char* kAccessVlan = "access_vlan";

bool is_infiniband(const Resource& resource) {
  return resource.bound_text(keys::kLinkType) == "infiniband";
}

std::string port_of(const Resource& resource) {
  return to_text(resource.binding.at(std::string{keys::kSwitchPort}));
}

// "interface ethernet 1/7"
std::string start_of(const Resource& resource) {
  return fmt::format(
      "interface {} {}", is_infiniband(resource) ? "ib" : "ethernet", port_of(resource));
}

// "1500 bytes (Maximum packet size 1522 bytes)": the first number is the configured one.
Reading mtu_said(const std::string& text) {
  const auto words = split_words(text);
  const auto number = words.empty() ? std::nullopt : parse_integer(words.front());
  return number ? Reading::of(*number) : Reading::unknown(fmt::format("MTU '{}'", text));
}

LayeredReading unknown(std::string why) {
  LayeredReading reading;
  reading.running = Reading::unknown(std::move(why));
  return reading;
}

LayeredReading infiniband_reading(
    const SwitchFacts& facts,
    const Resource& resource,
    const std::string& attribute,
    const Value& desired) {
  LayeredReading reading;
  const auto said =
      facts.said(true, port_of(resource), attribute == kMtu ? "MTU" : "Physical port state");
  if (!said) return unknown(fmt::format("the switch shows no such value at {}", port_of(resource)));
  reading.running = attribute == kMtu ? at_least(mtu_said(*said), desired)
                                      : Reading::of(to_lower(*said) != "disabled");
  if (attribute != kEnabled || !facts.saved) return reading;
  reading.persistent = Reading::of(!facts.saved->has(start_of(resource) + " shutdown"));
  return reading;
}

LayeredReading reading_of(
    const SwitchFacts& facts,
    const Resource& resource,
    const std::string& attribute,
    const DesiredAttribute& desired) {
  const std::string port = port_of(resource);
  const bool infiniband = is_infiniband(resource);
  const Result<OnyxShow>& ports = infiniband ? facts.infiniband : facts.ethernet;
  if (!ports) return unknown(ports.error().message);
  const auto admin =
      facts.said(infiniband, port, infiniband ? "Physical port state" : "Admin state");
  if (!admin) return unknown(fmt::format("the switch has no port {}", port));
  if (infiniband) return infiniband_reading(facts, resource, attribute, desired.value);
  if (attribute == kMtu) {
    LayeredReading reading = configured(facts, [&](const Configuration& tree) {
      return mtu_at(tree, start_of(resource), desired.value);
    });
    const auto runs = facts.said(false, port, "MTU");
    reading.running = runs ? at_least(mtu_said(*runs), desired.value)
                           : Reading::unknown("the switch shows no MTU");
    return reading;
  }
  if (attribute == kBridged) {
    return configured(facts, [&](const Configuration& tree) {
      const std::string mode = tree.switchport_of("ethernet " + port);
      return Reading::of(is_in_bridge(mode, resource) && tree.channel_of(port).empty());
    });
  }
  if (attribute == kAccessVlan)
    return configured(
        facts, [&](const Configuration& tree) { return access_vlan_in(tree, "ethernet " + port); });
  if (attribute != kEnabled) return unknown("it is not read");
  LayeredReading reading = configured(facts, [&](const Configuration& tree) {
    return Reading::of(!tree.has(start_of(resource) + " shutdown"));
  });
  reading.running = Reading::of(to_lower(*admin) == "enabled");
  return reading;
}

// The ports with the property that a person looks for, in the switch's own words.
List listed(const OnyxShow& show) {
  constexpr std::array<std::string_view, 11> kShown{
      "Admin state",
      "Operational state",
      "Description",
      "Mac address",
      "MTU",
      "Fec",
      "Actual speed",
      "Switchport mode",
      "Logical port state",
      "Physical port state",
      "Current line rate"};
  List ports;
  for (const OnyxSection& section : show.sections) {
    if (section.headings.size() != 1) continue;
    const std::string& heading = section.headings.front();
    Map port{{"port", heading.substr(0, heading.find(' '))}};
    for (const OnyxEntry& entry : section.entries) {
      const bool is_shown = std::find(kShown.begin(), kShown.end(), entry.key) != kShown.end();
      if (is_shown && entry.value && !entry.value->empty())
        port.emplace(snake_case(entry.key), *entry.value);
    }
    ports.emplace_back(std::move(port));
  }
  return ports;
}

std::vector<Probe> probes_of_port() {
  std::vector<Probe> probes = configuration_probes();
  probes.push_back({kLldpProbe, "show lldp remote | json-print"});
  return probes;
}

bool port_supports(const Resource& /*resource*/, std::string_view feature) {
  return feature == "ethernet" || feature == "infiniband";
}

std::vector<Observation> observe_port(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const SwitchFacts found{facts};
  std::vector<Observation> observations;
  std::vector<UntaggedPort> ports;
  for (const Resource& resource : wanted) {
    const std::string ethernet = "ethernet " + port_of(resource);
    if (found.running && !is_infiniband(resource))
      ports.push_back({&resource, ethernet, found.running->untagged_vlan(ethernet)});
    Observation& observation = observations.emplace_back(Observation{resource.address, {}});
    for (const auto& [name, desired] : resource.desired)
      observation.attributes[name] = reading_of(found, resource, name, desired);
  }
  report_vlans_apart(diagnostics, ports);
  return observations;
}

Map port_inventory(const NodeFacts& facts) {
  const SwitchFacts found{facts};
  Map map;
  const auto put = [&map](const char* name, const Result<OnyxShow>& show) {
    map.emplace(name, show ? Value{listed(*show)} : Value{Map{{"unknown", show.error().message}}});
  };
  if (!is_unrecognized(facts, kEthernetProbe)) put("ethernet_ports", found.ethernet);
  if (!is_unrecognized(facts, kInfinibandProbe)) put("infiniband_ports", found.infiniband);
  if (is_unrecognized(facts, kLldpProbe)) return map;
  const Result<std::string_view> text = answer(facts, kLldpProbe);
  const auto neighbours =
      text ? parse_onyx_lldp(*text) : Result<std::vector<OnyxNeighbour>>{text.error()};
  map.emplace(
      "neighbours",
      neighbours ? to_value(*neighbours) : Value{Map{{"unknown", neighbours.error().message}}});
  return map;
}

std::optional<std::vector<Neighbour>> port_neighbours(const NodeFacts& facts) {
  const Result<std::string_view> text = answer(facts, kLldpProbe);
  const auto heard =
      text ? parse_onyx_lldp(*text) : Result<std::vector<OnyxNeighbour>>{text.error()};
  if (!heard) return std::nullopt;
  std::vector<Neighbour> all;
  for (const OnyxNeighbour& each : *heard) {
    Neighbour& neighbour = all.emplace_back();
    neighbour.local_interface = each.local_port;
    neighbour.protocol = "LLDP";
    neighbour.chassis_name = each.system_name;
    neighbour.chassis_id = each.chassis_id;
    neighbour.port_id_type = MacAddress::parse(each.port_id) ? "mac" : "ifname";
    neighbour.port_id = each.port_id;
  }
  return all;
}

// From the lines of one port: "Eth1/7", and in an InfiniBand profile "IB1/7 state".
NetDevice device_of(const OnyxSection& section, std::string_view name, bool infiniband) {
  const auto said = [&section](std::string_view key) {
    const auto found = std::ranges::find_if(
        section.entries, [key](const OnyxEntry& entry) { return entry.key == key; });
    return found == section.entries.end() ? std::string{} : to_lower(found->value.value_or(""));
  };
  NetDevice device;
  device.name = name;
  const std::string state = said(infiniband ? "Physical port state" : "Operational state");
  const std::string admin = infiniband ? state : said("Admin state");
  if (admin == "disabled") {
    device.operstate = "down";
    return device;
  }
  if (state.empty()) return device;
  device.carrier = state == (infiniband ? "linkup" : "up");
  device.operstate = *device.carrier ? "up" : "down";
  if (*device.carrier)
    device.speed_mbps = gigabits_as_mbps(said(infiniband ? "Current line rate" : "Actual speed"));
  if (const std::string fec = said("Operational Fec"); fec != "n/a") device.fec = fec;
  return device;
}

std::vector<NetDevice> port_front_ports(const NodeFacts& facts) {
  const SwitchFacts found{facts};
  std::vector<NetDevice> devices;
  for (const auto& [show, prefix] :
       {std::pair{&found.ethernet, std::string_view{"Eth"}}, {&found.infiniband, "IB"}}) {
    if (!*show) continue;
    for (const OnyxSection& section : (*show)->sections) {
      if (section.headings.size() != 1) continue;
      std::string_view name = section.headings.front();
      if (!name.starts_with(prefix)) continue;
      name = name.substr(prefix.size(), name.find(' ') - prefix.size());
      devices.push_back(device_of(section, name, prefix == "IB"));
    }
  }
  return devices;
}

// Why a bridge can't have the port whose lines begin with `start`; "" = it can.
std::string why_not_bridged(const std::string& mode, const std::string& start) {
  if (mode == "routed")
    return fmt::format(
        "the switch routes at this port; type `{} switchport force` there, or take the cable out "
        "of the network",
        start);
  if (mode == "trunk")
    return fmt::format(
        "the port is a trunk and carries only tagged frames; type `{} switchport mode hybrid` "
        "there and enter its VLANs again",
        start);
  return "";
}

Result<Work> work_on_port(const Change& change, const WorkContext& context) {
  const SwitchFacts found{context.facts};
  if (!found.running) return found.running.error();
  const std::string port = port_of(change.resource);
  const std::string start = start_of(change.resource);
  const auto impossible = [&](std::string_view why) {
    return fabric::impossible(change.resource, why);
  };
  Typed typed;
  bool activates = false;
  for (const AttributeChange& each : change.attributes) {
    if (!each.activate) continue;
    activates = true;
    if (each.attribute == kEnabled)
      typed.type(fmt::format("no {} shutdown", start), fmt::format("{} shutdown", start));
    if (each.attribute == kMtu && is_infiniband(change.resource))
      return impossible("its MTU is less than that of the network; raise it at the switch");
    // With `force` the switch shuts the port down for the change (E-onyx-writing).
    if (each.attribute == kMtu) {
      const Value* before = each.observed.running ? each.observed.running->value() : nullptr;
      typed.type(
          fmt::format("{} mtu {} force", start, to_text(each.desired)),
          before == nullptr ? "" : fmt::format("{} mtu {} force", start, to_text(*before)));
    }
    if (each.attribute == kAccessVlan)
      type_access_vlan(typed, *found.running, "ethernet " + port, each.desired);
    if (each.attribute != kBridged) continue;
    const std::string why_not =
        why_not_bridged(found.running->switchport_of("ethernet " + port), start);
    if (!why_not.empty()) return impossible(why_not);
    if (!found.running->channel_of(port).empty()) type_leaving(typed, *found.running, port);
  }
  if (activates && typed.done.empty()) return not_in_force(change);
  Work work = work_of(fmt::format("configure {}", start), typed, change, true);
  work.actions.front().disturbs = {port};
  return work;
}

}  // namespace

// Ports that are in no bond: Ethernet or InfiniBand.
Provider port_provider() {
  return {
      .kind = "interface",
      .probes = probes_of_port,
      .supports = port_supports,
      .observe = observe_port,
      .inventory = port_inventory,
      .neighbours = port_neighbours,
      .front_ports = port_front_ports,
      .disruption = always(Disruption::link),
      .work = work_on_port,
  };
}

}  // namespace fabric::providers::onyx
