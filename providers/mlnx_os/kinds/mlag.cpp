// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "providers/mlnx_os/kinds/channels.hpp"
#include "providers/mlnx_os/kinds/rows.hpp"

namespace fabric::providers::onyx {

namespace {

constexpr const char* kPeerlink = "peerlink";
constexpr const char* kSystemMac = "system_mac";
constexpr const char* kBackup = "backup";
constexpr const char* kVip = "vip";
constexpr const char* kMtu = "mtu";
// The addresses of the two ends of the link, which has no further nodes (E-onyx-mlag).
constexpr const char* kFirstAddress = "192.168.255.253";
constexpr const char* kSecondAddress = "192.168.255.254";
constexpr const char* kMask = "255.255.255.252";

// The pair as one switch of it has it.
struct Pair {
  std::string domain, vlan, own, mask, peer;
};

// "10.0.0.1" of "10.0.0.1/30 primary" and of "10.0.0.1 255.255.255.252".
std::string address_in(std::string_view written) {
  return std::string{written.substr(0, written.find_first_of("/ "))};
}

// "255.255.255.252" of "10.0.0.1/30".
std::string mask_of(std::string_view address) {
  constexpr std::uint32_t kBits = 32, kOctet = 8;
  const std::size_t slash = address.find('/');
  const auto length = slash == std::string_view::npos
                          ? std::nullopt
                          : parse_unsigned(address.substr(slash + 1), 10);
  if (!length || *length == 0 || *length > kBits) return kMask;
  const std::uint32_t mask = ~std::uint32_t{0} << (kBits - static_cast<std::uint32_t>(*length));
  return fmt::format(
      "{}.{}.{}.{}",
      mask >> (3 * kOctet),
      (mask >> (2 * kOctet)) & 0xffU,
      (mask >> kOctet) & 0xffU,
      mask & 0xffU);
}

// The link that a pair runs with is never renumbered to fabric's own choice.
struct Link {
  std::string vlan, own, peer;
};
Link running_link(const Configuration& tree) {
  constexpr std::string_view kPeer = "ipl 1 peer-address ";
  for (const std::string& line : tree.lines()) {
    const std::vector<std::string_view> words = split_words(line);
    const std::size_t at = line.find(kPeer);
    if (words.size() < 4 || words[0] != "interface" || words[1] != "vlan" ||
        at == std::string::npos)
      continue;
    const std::string vlan{words[2]};
    const auto own = tree.after(fmt::format("interface vlan {} ip address", vlan));
    return {vlan, own ? address_in(*own) : "", address_in(line.substr(at + kPeer.size()))};
  }
  return {};
}

// From the document, else from the running configuration, else as fabric makes it.
Pair pair_of(const Resource& resource, const Configuration& tree) {
  const Link link = running_link(tree);
  const std::string address = resource.bound_text(keys::kAddress);
  std::string vlan = resource.bound_text(keys::kVlan);
  if (vlan.empty()) vlan = link.vlan.empty() ? "4000" : link.vlan;
  if (!address.empty())
    return {
        resource.address.name,
        vlan,
        address_in(address),
        mask_of(address),
        address_in(resource.bound_text(keys::kPeerAddress))};
  if (!link.own.empty() && link.vlan == vlan)
    return {resource.address.name, vlan, link.own, kMask, link.peer};
  const auto first = resource.binding.find(keys::kFirst);
  const bool is_first = first != resource.binding.end() && first->second == Value{true};
  return {
      resource.address.name,
      vlan,
      is_first ? kFirstAddress : kSecondAddress,
      kMask,
      is_first ? kSecondAddress : kFirstAddress};
}

// "port-channel 49": the link between both switches; "" = there is none.
std::string link_in(const Configuration& tree) {
  for (const std::string& line : tree.lines()) {
    const std::vector<std::string_view> words = split_words(line);
    constexpr std::size_t kIpl = 4;
    if (words.size() >= kIpl && words[0] == "interface" && words[1] == "port-channel" &&
        words[3] == "ipl")
      return fmt::format("port-channel {}", words[2]);
  }
  return {};
}

bool routes(const Configuration& tree) {
  return tree.after("ip routing").has_value();
}

// A setting that the pair needs beside the ports of its link, as configured; with the lines that
// set and undo it.
struct Need {
  bool there = false;
  std::string line, inverse;
};

std::vector<Need> needs_of(const Configuration& tree, const Pair& pair) {
  const std::string interface = "interface vlan " + pair.vlan;
  const auto address = tree.after(interface + " ip address");
  const auto vlan = parse_integer(pair.vlan).value_or(0);
  const bool has_address = address && address_in(*address) == pair.own;
  return {
      {tree.has_vlan(vlan), "vlan " + pair.vlan, "no vlan " + pair.vlan},
      {tree.has(interface) || has_address, interface, "no " + interface},
      {has_address,
       fmt::format("{} ip address {} {}", interface, pair.own, pair.mask),
       fmt::format("no {} ip address", interface)},
      {tree.after(interface + " ipl").value_or("") == "1 peer-address " + pair.peer,
       fmt::format("{} ipl 1 peer-address {}", interface, pair.peer),
       fmt::format("no {} ipl 1", interface)},
      {tree.has("no mlag shutdown"), "no mlag shutdown", "mlag shutdown"}};
}

Reading peerlink_in(const Configuration& tree, const Resource& resource, const Value& desired) {
  const std::string link = link_in(tree);
  if (link.empty() || !tree.has("protocol mlag")) return Reading::absent();
  const std::vector<std::string> wanted = ports_of(desired);
  const std::vector<std::string> found = tree.members_of(link);
  if (!std::is_permutation(found.begin(), found.end(), wanted.begin(), wanted.end()))
    return Reading::of(members_in(tree, link, wanted));
  if (!routes(tree)) return Reading::of("without `ip routing`");
  for (const Need& need : needs_of(tree, pair_of(resource, tree)))
    if (!need.there) return Reading::of(fmt::format("without `{}`", need.line));
  return Reading::of(desired);
}

Reading mtu_of_link(const Configuration& tree, const Value& desired) {
  const std::string link = link_in(tree);
  return link.empty() ? Reading::absent() : mtu_at(tree, "interface " + link, desired);
}

// "rack7 ip 192.0.2.82 /24 force"
Reading vip_in(const Configuration& tree, const Pair& pair) {
  const auto set = tree.after("mlag-vip");
  if (!set) return Reading::absent();
  const std::vector<std::string_view> words = split_words(*set);
  constexpr std::size_t kMaskWord = 3;
  if (words.size() <= kMaskWord || words[1] != "ip") return Reading::of(*set);
  const std::string address = fmt::format("{}{}", words[2], words[kMaskWord]);
  return Reading::of(
      words[0] == pair.domain ? address : fmt::format("{} of {}", address, words[0]));
}

Reading reading_in(
    const Configuration& tree,
    const Resource& resource,
    const std::string& attribute,
    const Value& desired) {
  if (attribute == kPeerlink) return peerlink_in(tree, resource, desired);
  if (attribute == kMtu) return mtu_of_link(tree, desired);
  const Pair pair = pair_of(resource, tree);
  if (attribute == kVip) return vip_in(tree, pair);
  if (attribute == kSystemMac) {
    const auto mac = tree.after("mlag system-mac");
    return mac ? Reading::of(to_lower(*mac)) : Reading::absent();
  }
  if (attribute != kBackup) return Reading::unknown("it is not read");
  // Beside the link the two find each other by the address of the pair in the management network.
  const auto vip = tree.after("mlag-vip");
  return vip && vip->starts_with(pair.domain + " ") ? Reading::of(desired) : Reading::absent();
}

const AttributeChange* active(const Change& change, std::string_view attribute) {
  for (const AttributeChange& each : change.attributes)
    if (each.activate && each.attribute == attribute) return &each;
  return nullptr;
}

// In the order of NVIDIA's manual: the protocol, the link, the two ends, then the pair.
Result<std::vector<std::string>> type_link(
    Typed& typed, const Configuration& running, const Resource& resource, const Value& desired) {
  const std::vector<std::string> ports = ports_of(desired);
  std::string link = link_in(running);
  if (link.empty()) link = FABRIC_TRY(channel_for(running, ports, std::nullopt));
  if (!routes(running)) typed.type("ip routing");
  type_channel(typed, running, link, ports, "lacp");
  if (link_in(running).empty())
    typed.type(fmt::format("interface {} ipl 1", link), fmt::format("no interface {} ipl 1", link));
  for (const Need& need : needs_of(running, pair_of(resource, running)))
    if (!need.there && need.line != "no mlag shutdown") typed.type(need.line, need.inverse);
  return ports;
}

std::vector<Probe> probes_of_mlag() {
  std::vector<Probe> probes = configuration_probes();
  probes.push_back({kMlagProbe, "show mlag"});
  return probes;
}

bool mlag_supports(const Resource& /*resource*/, std::string_view feature) {
  return feature == kVip || feature == "address";
}

std::vector<Observation> observe_mlag(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  const SwitchFacts found{facts};
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    for (const auto& [name, desired] : resource.desired) {
      const std::string& attribute = name;
      const Value& value = desired.value;
      observation.attributes[name] = configured(found, [&](const Configuration& tree) {
        return reading_in(tree, resource, attribute, value);
      });
    }
  });
}

Map mlag_inventory(const NodeFacts& facts) {
  if (is_unrecognized(facts, kMlagProbe)) return {};  // `protocol mlag` is off
  const Result<std::string_view> text = answer(facts, kMlagProbe);
  return {
      {"mlag",
       text ? Value{std::string{trim(*text)}} : Value{Map{{"unknown", text.error().message}}}}};
}

Result<Work> work_on_mlag(const Change& change, const WorkContext& context) {
  const SwitchFacts found{context.facts};
  if (!found.running) return found.running.error();
  const Configuration& running = *found.running;
  const Resource& resource = change.resource;
  const Pair pair = pair_of(resource, running);
  const auto vip = resource.desired.find(kVip);
  if (vip == resource.desired.end() && !running.after("mlag-vip")) {
    return impossible(
        resource,
        fmt::format(
            "the two switches of such a pair find each other by an address in the management "
            "network; write it at both: mlag: {{vip: 192.0.2.82/24}}"));
  }
  Typed typed;
  std::vector<std::string> disturbed;
  const bool activates = change.activates();
  // The undo deletes the whole pair (E-onyx-mlag), and before it there was none.
  if (activates && !running.has("protocol mlag")) typed.type("protocol mlag", "no protocol mlag");
  if (const AttributeChange* link = active(change, kPeerlink)) {
    Result<std::vector<std::string>> ports = type_link(typed, running, resource, link->desired);
    if (!ports) return impossible(resource, ports.error().message);
    disturbed = std::move(*ports);
  }
  if (const AttributeChange* mtu = active(change, kMtu)) {
    std::string link = link_in(running);
    if (link.empty() && !disturbed.empty())
      link = FABRIC_TRY(channel_for(running, disturbed, std::nullopt));
    if (!link.empty()) type_mtu(typed, running, "interface " + link, mtu->desired);
  }
  if (active(change, kVip) != nullptr || active(change, kBackup) != nullptr) {
    const std::string text = vip == resource.desired.end() ? "" : to_text(vip->second.value);
    const std::size_t slash = text.find('/');
    const auto before = running.after("mlag-vip");
    if (slash != std::string::npos)
      typed.type(
          fmt::format(
              "mlag-vip {} ip {} {} force", pair.domain, text.substr(0, slash), text.substr(slash)),
          before ? fmt::format("mlag-vip {}", *before) : "no mlag-vip");
  }
  if (const AttributeChange* mac = active(change, kSystemMac)) {
    const auto before = running.after("mlag system-mac");
    typed.type(
        fmt::format("mlag system-mac {}", to_text(mac->desired)),
        before ? fmt::format("mlag system-mac {}", *before) : "");
  }
  if (activates && !running.has("no mlag shutdown"))
    typed.type("no mlag shutdown", "mlag shutdown");
  if (activates && typed.done.empty()) return not_in_force(change);
  Work work = work_of(fmt::format("join MLAG domain {}", pair.domain), typed, change, true);
  work.actions.front().disturbs = std::move(disturbed);
  return work;
}

}  // namespace

// The pair that the switch is in: its half of it.
Provider mlag_provider() {
  return {
      .kind = "mlag",
      .probes = probes_of_mlag,
      .supports = mlag_supports,
      .observe = observe_mlag,
      .inventory = mlag_inventory,
      .disruption = always(Disruption::link),
      .work = work_on_mlag,
  };
}

}  // namespace fabric::providers::onyx
