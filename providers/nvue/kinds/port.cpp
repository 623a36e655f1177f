// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/lag_options.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/model/switch_port.hpp"
#include "engine/provider/channel_mark.hpp"
#include "engine/subnet/link.hpp"
#include "providers/nvue/kinds/revision.hpp"
#include "providers/nvue/kinds/rows.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"
#include "providers/nvue/kinds/switch_provider.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers::nvue {

namespace {

constexpr const char* kEnabled = "enabled";
constexpr const char* kMtu = "mtu";
constexpr const char* kBridged = "bridged";
constexpr const char* kAccessVlan = "access_vlan";
constexpr const char* kAddresses = "addresses";
constexpr const char* kDescription = "description";
// The default of a front port (E-nvue-mtu, E-nvos-ports).
constexpr std::int64_t kEthernetMtu = 9216;
constexpr std::int64_t kInfinibandMtu = 4096;

bool is_infiniband(const Resource& resource) {
  const auto type = resource.binding.find(keys::kLinkType);
  return type != resource.binding.end() && to_text(type->second) == "infiniband";
}

std::string port_of(const Resource& resource) {
  return native_port(to_text(resource.binding.at(std::string{keys::kSwitchPort})));
}

Reading enabled_in(const Value& tree, std::string_view port) {
  const Value* state = nvue_find(tree, {"interface", port, "link", "state"});
  return Reading::of(nvue_word(state) != "down");
}

// InfiniBand has one MTU at all ports of a subnet; an Ethernet switch carries shorter frames too.
Reading judged(const Reading& found, const Asked& asked) {
  return is_infiniband(asked.resource) ? found : at_least(found, asked.desired);
}

LayeredReading mtu_of(
    const SwitchFacts& facts,
    const Asked& asked,
    const std::string& port,
    const NvueInterface& interface) {
  LayeredReading reading = configured(facts, [&](const Value& tree) {
    const Value* mtu = nvue_find(tree, {"interface", port, "link", "mtu"});
    if (mtu != nullptr && mtu->as_integer() != nullptr) return judged(Reading::of(*mtu), asked);
    const std::int64_t usual = is_infiniband(asked.resource) ? kInfinibandMtu : kEthernetMtu;
    return judged(Reading::of(usual), asked);
  });
  if (interface.mtu) reading.running = judged(Reading::of(*interface.mtu), asked);
  return reading;
}

LayeredReading unknown(std::string why) {
  LayeredReading reading;
  reading.running = Reading::unknown(std::move(why));
  return reading;
}

// From both layouts: `ip` up to 5.14, `ipv4` from 5.15 on (E-nvue-address).
Reading addresses_in(const Value& tree, const std::string& port) {
  List found;
  for (const char* family : {"ip", "ipv4"}) {
    const Value* addresses = nvue_find(tree, {"interface", port, family, "address"});
    const Map* map = addresses == nullptr ? nullptr : addresses->as_map();
    if (map == nullptr) continue;
    for (const auto& [address, own] : *map)
      if (address.find(':') == std::string::npos) found.emplace_back(address);
  }
  return found.empty() ? Reading::absent() : Reading::of(Value{std::move(found)});
}

// An address that is left, or a VRF of its own: the switch routes there.
bool is_routed(const Value& applied, const std::string& port, bool without_ipv4) {
  constexpr std::array<std::string_view, 3> kFamilies{"ip", "ipv4", "ipv6"};
  return std::any_of(kFamilies.begin(), kFamilies.end(), [&](std::string_view family) {
    const Value* own = nvue_find(applied, {"interface", port, family});
    if (own == nullptr) return false;
    const Value* addresses = own->find("address");
    const Map* map = addresses == nullptr ? nullptr : addresses->as_map();
    return own->find("vrf") != nullptr ||
           (map != nullptr && std::any_of(map->begin(), map->end(), [&](const auto& each) {
              return !without_ipv4 || each.first.find(':') != std::string::npos;
            }));
  });
}

std::vector<Probe> probes_of_port() {
  std::vector<Probe> probes = configuration_probes();
  probes.push_back({kLldpProbe, "nv show interface lldp -o json\n"});
  probes.push_back({kRoceProbe, "nv show qos roce --operational -o json\n"});
  return probes;
}

bool port_supports(const Resource& resource, std::string_view feature) {
  return feature == (resource.platform == Platform::nvos ? "infiniband" : "ethernet");
}

LayeredReading port_reading(const SwitchFacts& facts, const Asked& asked) {
  const std::string port = port_of(asked.resource);
  if (!facts.interfaces) return unknown(facts.interfaces.error().message);
  const NvueInterface* interface = facts.interface(port);
  if (interface == nullptr) return unknown(fmt::format("the switch has no port {}", port));
  if (asked.attribute == kMtu) return mtu_of(facts, asked, port, *interface);
  if (asked.attribute == kBridged) {
    return configured(
        facts, [&](const Value& tree) { return Reading::of(!bridge_of(tree, port).empty()); });
  }
  if (asked.attribute == kAddresses)
    return configured(facts, [&](const Value& tree) { return addresses_in(tree, port); });
  if (asked.attribute == kAccessVlan)
    return configured(facts, [&](const Value& tree) { return access_vlan_in(tree, port); });
  if (asked.attribute != kEnabled) return unknown("it is not read");
  LayeredReading reading =
      configured(facts, [&](const Value& tree) { return enabled_in(tree, port); });
  if (interface->enabled) reading.running = Reading::of(*interface->enabled);
  return reading;
}

Map port_inventory(const NodeFacts& facts) {
  const SwitchFacts found{facts};
  Map map;
  map.emplace(
      "ports",
      found.interfaces ? to_value(*found.interfaces)
                       : Value{Map{{"unknown", found.interfaces.error().message}}});
  const auto put = [&](const char* name, const char* probe, auto parse) {
    const Result<std::string_view> text = answer(facts, probe);
    const auto parsed = text ? parse(*text) : decltype(parse(std::string_view{})){text.error()};
    map.emplace(name, parsed ? to_value(*parsed) : Value{Map{{"unknown", parsed.error().message}}});
  };
  put("neighbours", kLldpProbe, parse_nvue_lldp);
  if (facts.platform != Platform::nvos) put("roce", kRoceProbe, parse_nvue_roce);
  return map;
}

// "100G" of Ethernet; of InfiniBand lanes and what each signals, "4X" and "hdr".
std::optional<std::int64_t> speed_of(const NvueInterface& port) {
  if (const auto told = gigabits_as_mbps(port.speed)) return told;
  const auto lanes = parse_integer(std::string_view{port.lanes}.substr(0, port.lanes.find('X')));
  std::string name = port.ib_speed;
  for (char& letter : name)
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  const auto lane = speed_of_name(name);
  if (!lanes || !lane) return std::nullopt;
  return static_cast<std::int64_t>(static_cast<double>(*lanes) * lane_gbps(*lane) * 1000);
}

std::vector<NetDevice> port_front_ports(const NodeFacts& facts) {
  const SwitchFacts found{facts};
  std::vector<NetDevice> devices;
  if (!found.interfaces) return devices;
  for (const NvueInterface& each : *found.interfaces) {
    if (!SwitchPort::parse(written_port(each.name))) continue;
    NetDevice& device = devices.emplace_back();
    device.name = written_port(each.name);
    const std::string physical = to_lower(each.physical_state);
    device.operstate = each.up == true ? "up" : "down";
    if (each.enabled == false || physical == "disabled") continue;
    device.carrier = physical.empty() ? each.up : physical == "linkup";
    if (device.carrier == true) device.speed_mbps = speed_of(each);
    device.fec = each.fec;
  }
  return devices;
}

// The addresses of IPv4 at a port, and the mark that they are fabric's where a person has described
// it by no other words.
void set_addresses(
    Revision& revision,
    const SwitchFacts& facts,
    const Resource& resource,
    const std::string& port,
    const Value& desired) {
  for (const char* family : {"ip", "ipv4"}) {
    const Value* addresses = nvue_find(*facts.applied, {"interface", port, family, "address"});
    if (addresses == nullptr || addresses->as_map() == nullptr) continue;
    for (const auto& [address, own] : *addresses->as_map()) {
      const List* wanted = desired.as_list();
      const bool stays =
          address.find(':') != std::string::npos ||
          (wanted != nullptr &&
           std::find(wanted->begin(), wanted->end(), Value{address}) != wanted->end());
      if (!stays) revision.unset({"interface", port, family, "address", address});
    }
  }
  const std::string described =
      nvue_word(nvue_find(*facts.applied, {"interface", port, kDescription}));
  if (desired.as_list() == nullptr) {
    if (!made_by(described).empty()) revision.unset({"interface", port, kDescription});
    return;
  }
  if (described.empty()) revision.set({"interface", port, kDescription, channel_mark(resource)});
  const std::string family = has_families(facts.node) ? "ipv4" : "ip";
  for (const Value& each : *desired.as_list())
    revision.set({"interface", port, family, "address", to_text(each)});
}

// The addresses that fabric gave to ports, where the document no longer has one. A bond takes over
// the port afterwards.
std::vector<Resource> port_orphans(std::span<const Resource> wanted, const NodeFacts& facts) {
  const SwitchFacts found{facts};
  const Value* interfaces = found.applied ? found.applied->find("interface") : nullptr;
  if (interfaces == nullptr || interfaces->as_map() == nullptr) return {};
  std::vector<Resource> left;
  for (const auto& [name, each] : *interfaces->as_map()) {
    const std::string document{made_by(nvue_word(each.find(kDescription)))};
    const std::string port = written_port(name);
    if (document.empty() || !SwitchPort::parse(port) ||
        addresses_in(*found.applied, name).is_absent())
      continue;
    Resource resource{{facts.node, std::string{kinds::kInterface}, port}, {}, {}, {}, {}};
    const auto same = std::find_if(wanted.begin(), wanted.end(), [&](const Resource& other) {
      return other.address == resource.address;
    });
    if (same != wanted.end() && same->desired.contains(kAddresses)) continue;
    resource.binding.emplace(keys::kSwitchPort, port);
    resource.binding.emplace(keys::kFabric, document);
    resource.beneath.push_back({facts.node, std::string{kinds::kBond}, switch_bond_name(port)});
    resource.desired.emplace(kAddresses, DesiredAttribute{{}, {}, {}});
    left.push_back(std::move(resource));
  }
  return left;
}

Result<Work> revise_port(const Change& change, const SwitchFacts& facts) {
  const Value& applied = *facts.applied;
  const std::string port = port_of(change.resource);
  Revision revision{applied};
  Revision leaving{applied};
  const bool leaves_addresses =
      std::any_of(change.attributes.begin(), change.attributes.end(), [](const auto& each) {
        return each.attribute == kAddresses && each.activate && each.desired.is_null();
      });
  for (const AttributeChange& each : change.attributes) {
    if (!each.activate) continue;
    if (each.attribute == kEnabled) revision.set({"interface", port, "link", "state", "up"});
    if (each.attribute == kMtu)
      revision.set({"interface", port, "link", "mtu", to_text(each.desired)});
    if (each.attribute == kAccessVlan)
      set_access_vlan(revision, applied, change.resource, port, to_text(each.desired));
    if (each.attribute == kAddresses)
      set_addresses(revision, facts, change.resource, port, each.desired);
    if (each.attribute != kBridged) continue;
    if (each.desired == Value{false}) {
      revision.unset({"interface", port, "bridge"});
      continue;
    }
    if (is_routed(applied, port, leaves_addresses)) {
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "{}: {} has an address of its own, so the switch routes there; unset the address, or "
              "take the cable out of the network",
              change.resource.address.str(),
              port)};
    }
    const std::string bond = bond_with(applied, port);
    if (!bond.empty()) leaving.unset({"interface", bond, "bond", "member", port});
    revision.set({"interface", port, "bridge", "domain", bridge_domain(applied)});
  }
  Work work;
  // Out of a bond and into a bridge at once may leave the port blocked (E-nvue-bond).
  if (!leaving.empty()) {
    ActionDraft first = leaving.draft(fmt::format("take {} out of its bond", port), change);
    first.postconditions.clear();
    first.disturbs = {port};
    work.actions.push_back(std::move(first));
  }
  if (revision.empty()) return not_in_force(change);
  ActionDraft draft = revision.draft(fmt::format("configure {}", port), change);
  draft.disturbs = {port};
  work.actions.push_back(std::move(draft));
  return work;
}

}  // namespace

// Ports that are in no bond: Ethernet on Cumulus, InfiniBand on NVOS.
Provider port_provider() {
  Provider row = switch_provider("interface", Disruption::link, port_reading, revise_port);
  row.probes = probes_of_port;
  row.supports = port_supports;
  row.inventory = port_inventory;
  row.front_ports = port_front_ports;
  // From their mark (engine/provider/channel_mark.hpp).
  row.orphans = port_orphans;
  return row;
}

}  // namespace fabric::providers::nvue
