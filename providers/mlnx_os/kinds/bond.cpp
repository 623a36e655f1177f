// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/bond_faults.hpp"
#include "engine/provider/channel_mark.hpp"
#include "engine/provider/orphan.hpp"
#include "engine/provider/vlans_apart.hpp"
#include "providers/mlnx_os/kinds/channels.hpp"
#include "providers/mlnx_os/kinds/rows.hpp"
#include "providers/mlnx_os/parsers/onyx_show.hpp"

namespace fabric::providers::onyx {

namespace {

constexpr const char* kMode = "mode";
constexpr const char* kMembers = "members";
constexpr const char* kMtu = "mtu";
constexpr const char* kBridged = "bridged";
constexpr const char* kAccessVlan = "access_vlan";
constexpr const char* kMlagId = "mlag_id";
constexpr const char* kBalance = "balance";
constexpr std::string_view kLoadBalance =
    "port-channel load-balance ethernet";  // E-onyx-load-balance
constexpr std::string_view kPair = "mlag-port-channel ";

std::vector<std::string> wanted_ports(const Resource& resource) {
  return ports_of(resource.binding.at(std::string{keys::kSwitchPorts}));
}

std::optional<std::int64_t> wanted_id(const Resource& resource) {
  const std::int64_t* id = or_null(resource.wanted(kMlagId)).as_integer();
  return id == nullptr ? std::nullopt : std::optional{*id};
}

// The channel that has one of the ports; an orphan has its name. "" = none.
std::string channel_in(const Configuration& tree, const Resource& resource) {
  const Value* left = resource.bound(keys::kBond);
  if (left == nullptr) return channel_with(tree, wanted_ports(resource));
  std::string name = to_text(*left);
  return tree.has("interface " + name) ? name : std::string{};
}

Reading mode_in(const Configuration& tree, const Resource& resource, const Value& desired) {
  for (const std::string& port : wanted_ports(resource)) {
    const std::string mode = tree.mode_of(port);
    // LACP that is off on the whole switch is no LACP (E-onyx-writing).
    if (mode == "lacp" && !tree.has("lacp")) return Reading::of("lacp, which is off");
    if (!mode.empty() && mode != to_text(desired)) return Reading::of(mode);
  }
  return Reading::of(desired);
}

Reading reading_in(
    const Configuration& tree,
    const Resource& resource,
    const std::string& attribute,
    const Value& desired) {
  const std::vector<std::string> wanted = wanted_ports(resource);
  const std::string channel = channel_in(tree, resource);
  if (channel.empty()) return Reading::absent();
  if (attribute == kMembers) return Reading::of(members_in(tree, channel, wanted));
  if (attribute == kMode) return mode_in(tree, resource, desired);
  if (attribute == kBridged) {
    const std::string mode = tree.switchport_of(channel);
    return Reading::of(is_in_bridge(mode, resource) && !tree.is_shut(channel));
  }
  if (attribute == kAccessVlan) return access_vlan_in(tree, channel);
  if (attribute == kMlagId) {
    const auto number = channel.starts_with(kPair)
                            ? parse_integer(std::string_view{channel}.substr(kPair.size()))
                            : std::nullopt;
    return number ? Reading::of(*number) : Reading::absent();
  }
  if (attribute != kMtu) return Reading::unknown("it is not read");
  return mtu_at(tree, "interface " + channel, desired);
}

LayeredReading reading_of(
    const SwitchFacts& facts,
    const Resource& resource,
    const std::string& attribute,
    const DesiredAttribute& desired) {
  LayeredReading reading = configured(facts, [&](const Configuration& tree) {
    return reading_in(tree, resource, attribute, desired.value);
  });
  for (const std::string& port : wanted_ports(resource)) {
    if (facts.said(false, port, "Admin state")) continue;
    reading.running = Reading::unknown(fmt::format("the switch has no port {}", port));
  }
  return reading;
}

// Members of all channels, of either table; none of one that the switch does not print, or not so.
std::map<std::string, OnyxMemberState> members_of(const NodeFacts& facts) {
  std::map<std::string, OnyxMemberState> members;
  for (const char* probe : {kChannelsProbe, kPairChannelsProbe}) {
    const Result<std::string_view> text = answer(facts, probe);
    if (!text) continue;
    const Result<std::vector<OnyxChannel>> channels = parse_onyx_channels(*text);
    if (!channels) continue;
    for (const OnyxChannel& channel : *channels) {
      for (const OnyxChannelMember& member : channel.members)
        members.insert_or_assign(member.port, member.state);
    }
  }
  return members;
}

// A channel can be exactly as desired, and LACP not take a port into it. A link that is down is not
// LACP's fault.
void report_members(
    Diagnostics& diagnostics,
    const Resource& resource,
    const std::map<std::string, OnyxMemberState>& members) {
  const auto report = [&](OnyxMemberState state, std::string_view kind) {
    std::vector<std::string> ports;
    for (const std::string& port : wanted_ports(resource)) {
      const auto found = members.find(port);
      if (found != members.end() && found->second == state) ports.push_back(port);
    }
    if (ports.empty()) return;
    const ResourceAddress& address = resource.address;
    diagnostics
        .warning(
            "bond-not-aggregated",
            resource.origin,
            fmt::format(
                "{}: {}: {}",
                address.node.str(),
                address.name,
                bond_faults::text_of_members(kind, ports)))
        .with_fault({kind, {address.node, address.name}, std::move(ports)});
  };
  report(OnyxMemberState::suspended, bond_faults::kSuspended);
  report(OnyxMemberState::individual, bond_faults::kIndividual);
}

// A port that routes, or a trunk that carries nothing without a tag, was made so on purpose.
std::optional<Error> not_bridged(
    const Resource& resource, const Configuration& running, const std::string& channel) {
  const std::string mode = running.switchport_of(channel);
  if (mode == "routed")
    return impossible(
        resource,
        fmt::format(
            "the switch routes at {}; type `interface {} switchport force` there",
            channel,
            channel));
  if (mode == "trunk")
    return impossible(
        resource,
        fmt::format(
            "{} is a trunk and carries only tagged frames; type `interface {} switchport mode "
            "hybrid` there and enter its VLANs again",
            channel,
            channel));
  return std::nullopt;
}

std::vector<Probe> probes_of_bond() {
  std::vector<Probe> probes = configuration_probes();
  probes.push_back({kChannelsProbe, "show interfaces port-channel summary"});
  probes.push_back({kPairChannelsProbe, "show interfaces mlag-port-channel summary"});
  return probes;
}

std::vector<Resource> bond_orphans(std::span<const Resource> wanted, const NodeFacts& facts) {
  const SwitchFacts found{facts};
  if (!found.running) return {};
  return left_channels(wanted, facts.node, channels_of(*found.running));
}

std::vector<Observation> observe_bond(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const SwitchFacts found{facts};
  const std::map<std::string, OnyxMemberState> members = members_of(facts);
  const std::optional<std::string> balance =
      found.running ? found.running->after(kLoadBalance) : std::nullopt;
  std::vector<Observation> observations;
  std::vector<UntaggedPort> channels;
  for (const Resource& resource : wanted) {
    const std::string channel =
        found.running ? channel_in(*found.running, resource) : std::string{};
    if (!channel.empty())
      channels.push_back({&resource, channel, found.running->untagged_vlan(channel)});
    Observation& observation = observations.emplace_back(Observation{resource.address, {}});
    for (const auto& [name, desired] : resource.desired)
      observation.attributes[name] = reading_of(found, resource, name, desired);
    if (balance) observation.attributes[kBalance].running = Reading::of(*balance);
    report_members(diagnostics, resource, members);
  }
  report_vlans_apart(diagnostics, channels);
  return observations;
}

Result<Work> work_on_bond(const Change& change, const WorkContext& context) {
  const SwitchFacts found{context.facts};
  if (!found.running) return found.running.error();
  const Configuration& running = *found.running;
  const Resource& resource = change.resource;
  const std::vector<std::string> ports = wanted_ports(resource);
  if (is_orphan(resource)) {
    const std::string left = channel_in(running, resource);
    Typed typed;
    if (!left.empty()) type_removal(typed, running, left);
    Work work = work_of(fmt::format("remove {}", left), typed, change, true);
    work.actions.front().disturbs = ports;
    return work;
  }
  const Result<std::string> channel = channel_for(running, ports, wanted_id(resource));
  if (!channel) return impossible(resource, channel.error().message);
  const auto mode = resource.desired.find(kMode);
  const std::string wanted_mode =
      mode == resource.desired.end() ? "static" : to_text(mode->second.value);
  const std::string start = "interface " + *channel;
  const auto changes = [&change](std::string_view attribute) {
    return std::ranges::any_of(change.attributes, [attribute](const AttributeChange& each) {
      return each.activate && each.attribute == attribute;
    });
  };
  Typed typed;
  if (changes(kMembers) || changes(kMode) || changes(kMlagId))
    type_channel(typed, running, *channel, ports, wanted_mode);
  if (!typed.done.empty() && !running.has(start))
    typed.type(fmt::format("{} description {}", start, channel_mark(resource)));
  if (changes(kMtu)) type_mtu(typed, running, start, resource.desired.at(kMtu).value);
  if (changes(kAccessVlan))
    type_access_vlan(typed, running, *channel, resource.desired.at(kAccessVlan).value);
  if (changes(kBridged) && running.has(start)) {
    if (const auto error = not_bridged(resource, running, *channel)) return *error;
  }
  if (changes(kBridged) && running.is_shut(*channel))
    typed.type(fmt::format("no {} shutdown", start), fmt::format("{} shutdown", start));
  if (change.activates() && typed.done.empty()) return not_in_force(change);
  Work work = work_of(fmt::format("configure {} ({})", *channel, wanted_mode), typed, change, true);
  work.actions.front().disturbs = ports;
  return work;
}

}  // namespace

// The other ends of hosts' bonds. Observes, beside the desired attributes, `balance` as a running
// value: the fields by which the switch spreads frames, where that is configured.
Provider bond_provider() {
  return {
      .kind = "bond",
      .probes = probes_of_bond,
      .observe = observe_bond,
      // From their mark (engine/provider/channel_mark.hpp).
      .orphans = bond_orphans,
      .disruption = always(Disruption::link),
      .work = work_on_bond,
  };
}

}  // namespace fabric::providers::onyx
