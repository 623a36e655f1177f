// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/diagnose.hpp"
#include "engine/provider/vmkernel.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx/parsers/esxcli_keyvalue.hpp"
#include "providers/esxi/kinds/cards.hpp"
#include "providers/esxi/kinds/rows.hpp"
#include "providers/esxi/parsers/esxcli_network.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr const char* kVswitchProbe = "esxi-vswitches";
constexpr const char* kDistributedProbe = "esxi-distributed-switches";
constexpr const char* kInterfacesProbe = "esxi-vmkernel";
constexpr const char* kAddressesProbe = "esxi-vmkernel-ipv4";
constexpr const char* kMtu = "mtu";

struct KernelInterface {
  std::string name;
  std::int64_t mtu = 0;
};

// A switch, its uplinks and what of the kernel is on it, as they are now.
struct Found {
  std::int64_t mtu = 0;  // the least of the switch and its uplinks
  std::int64_t own_mtu = 0;
  std::vector<std::string> uplinks;
  std::vector<KernelInterface> interfaces;
  bool is_distributed = false;
};

const EsxVswitch* named(const std::vector<EsxVswitch>& switches, const std::string& name) {
  const auto found = std::find_if(
      switches.begin(), switches.end(), [&](const auto& each) { return each.name == name; });
  return found == switches.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(
    const std::vector<EsxVswitch>& standard, const std::vector<EsxVswitch>& distributed) {
  std::vector<std::string> names;
  for (const auto* switches : {&standard, &distributed}) {
    for (const EsxVswitch& each : *switches)
      names.push_back(each.name);
  }
  return names;
}

// The least MTU of the uplinks; `otherwise` if there are none.
std::int64_t least_mtu(
    const std::vector<EsxNic>& nics,
    const std::vector<std::string>& uplinks,
    std::int64_t otherwise) {
  for (const EsxNic& nic : nics) {
    if (std::find(uplinks.begin(), uplinks.end(), nic.name) != uplinks.end())
      otherwise = std::min(otherwise, nic.mtu);
  }
  return otherwise;
}

Result<Found> find_vswitch(const NodeFacts& facts, const std::string& name) {
  const std::string_view switches_text = FABRIC_TRY(answer(facts, kVswitchProbe));
  const std::string_view distributed_text = FABRIC_TRY(answer(facts, kDistributedProbe));
  const std::string_view nics_text = FABRIC_TRY(answer(facts, "esxi-nics"));
  const std::string_view interfaces_text = FABRIC_TRY(answer(facts, kInterfacesProbe));
  const std::vector<EsxVswitch> standard = FABRIC_TRY(parse_esxcli_vswitch_list(switches_text));
  const std::vector<EsxVswitch> distributed = FABRIC_TRY(parse_esxcli_dvs_list(distributed_text));
  const std::vector<EsxNic> nics = FABRIC_TRY(parse_esxcli_nic_list(nics_text));
  const std::vector<EsxcliRow> rows =
      FABRIC_TRY(read_esxcli_keyvalue(interfaces_text, {"name", "mtu", "portset"}));
  const EsxVswitch* vswitch = named(standard, name);
  const bool is_distributed = vswitch == nullptr;
  if (is_distributed) vswitch = named(distributed, name);
  if (vswitch == nullptr) {
    return Error{
        ErrorCode::not_found,
        fmt::format(
            "the host has no virtual switch {}: it has {}",
            name,
            join(names_of(standard, distributed), ", "))};
  }
  Found found{vswitch->mtu, vswitch->mtu, vswitch->uplinks, {}, is_distributed};
  found.mtu = least_mtu(nics, found.uplinks, found.mtu);
  for (const EsxcliRow& row : rows) {
    if (row.cell(is_distributed ? "vdsname" : "portset") != name) continue;
    const auto mtu = parse_integer(row.cell("mtu"));
    if (!mtu)
      return Error{
          ErrorCode::invalid,
          fmt::format("{} has the MTU '{}'", row.cell("name"), row.cell("mtu"))};
    found.interfaces.push_back({std::string{row.cell("name")}, *mtu});
  }
  return found;
}

// The NICs of the network's ports; empty if one is unknown, for example of a card that a guest has.
std::vector<std::string> nics_of_network(const Resource& resource, const NodeFacts& facts) {
  const Result<std::vector<EsxCard>> found = cards_of(facts);
  if (!found) return {};
  const std::vector<Card> cards = plain(*found);
  std::vector<std::string> nics;
  for (const Value& binding : resource.bound_list(keys::kMembers)) {
    const Map* port = binding.as_map();
    const FoundPort there = port == nullptr ? FoundPort{} : find_port(cards, *port);
    if (there.port == nullptr || there.port->netdev.empty()) return {};
    nics.push_back(there.port->netdev);
  }
  return nics;
}

// Reports a virtual switch that is missing, or carries other ports than the network's.
void report_unfit(
    const Resource& resource,
    const NodeFacts& facts,
    const Result<Found>& found,
    Diagnostics& diagnostics) {
  if (!found) {
    if (found.error().code != ErrorCode::not_found) return;
    report_finding(
        diagnostics,
        resource,
        "virtual-switch-unfit",
        fmt::format("{}: {}", facts.node.str(), found.error().message))
        .with_help("correct `vswitch`: write the name as on the host, in upper and lower case");
    return;
  }
  const std::vector<std::string> nics = nics_of_network(resource, facts);
  const bool has_one = std::any_of(nics.begin(), nics.end(), [&](const std::string& nic) {
    return std::find(found->uplinks.begin(), found->uplinks.end(), nic) != found->uplinks.end();
  });
  if (nics.empty() || has_one) return;
  report_finding(
      diagnostics,
      resource,
      "virtual-switch-unfit",
      fmt::format(
          "{}: no port of the network is an uplink of {}: the network has {}, and the uplinks are "
          "{}",
          facts.node.str(),
          std::string{resource.address.name},
          join(nics, ", "),
          found->uplinks.empty() ? "none" : join(found->uplinks, ", ")))
      .with_help("name the virtual switch that has the network's ports as uplinks");
}

// Without one on the switch there is nothing that could differ.
Reading kernel_mtu(const Found& found, const Value& desired) {
  for (const KernelInterface& each : found.interfaces) {
    if (Value{each.mtu} != desired) return Reading::of(each.mtu);
  }
  return Reading::of(desired);
}

// The addresses of the kernel's interfaces on the switch; one without any has "0.0.0.0" or nothing.
Reading kernel_addresses(const NodeFacts& facts, const Found& found) {
  const Result<std::string_view> text = answer(facts, kAddressesProbe);
  if (!text) return Reading::unknown(text.error().message);
  const auto rows = read_esxcli_keyvalue(*text, {"name", "ipv4address"});
  if (!rows) return Reading::unknown(rows.error().message);
  List addresses;
  for (const KernelInterface& each : found.interfaces) {
    for (const EsxcliRow& row : *rows) {
      const std::string_view address = row.cell("ipv4address");
      if (row.cell("name") != each.name || address.empty() || address == "0.0.0.0") continue;
      addresses.emplace_back(fmt::format("{} {}", each.name, address));
    }
  }
  return Reading::of(std::move(addresses));
}

// vCenter sets a distributed switch for all its hosts at once: fabric does not change one.
Reading or_not_ours(Reading reading, const Found& found, const Value& desired) {
  if (!found.is_distributed || reading.equals(desired)) return reading;
  const Value* value = reading.value();
  return Reading::unknown(fmt::format(
      "it is a distributed switch with {}: set the MTU in vCenter",
      value == nullptr ? std::string{"an unknown MTU"} : to_text(*value)));
}

remote::Argv set_switch(const std::string& name, std::int64_t mtu) {
  return {"esxcli", "network", "vswitch", "standard", "set", "-v", name, "-m", std::to_string(mtu)};
}

remote::Argv set_interface(const std::string& name, std::int64_t mtu) {
  return {"esxcli", "network", "ip", "interface", "set", "-i", name, "-m", std::to_string(mtu)};
}

std::vector<Probe> probes_of_vswitch() {
  std::vector<Probe> probes = card_probes();
  for (Probe& probe : std::vector<Probe>{
           {kVswitchProbe, "esxcli network vswitch standard list\n"},
           {kDistributedProbe, "esxcli network vswitch dvs vmware list\n"},
           {kAddressesProbe, "esxcli --formatter=keyvalue network ip interface ipv4 get\n"},
           {kInterfacesProbe, "esxcli --formatter=keyvalue network ip interface list\n"}})
    probes.push_back(std::move(probe));
  return probes;
}

std::vector<Observation> observe_vswitch(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const Result<Found> found = find_vswitch(facts, resource.address.name);
    report_unfit(resource, facts, found, diagnostics);
    for (const auto& [attribute, desired] : resource.desired) {
      LayeredReading& reading = observation.attributes[attribute];
      if (!found) {
        reading.running = Reading::unknown(found.error().message);
      } else {
        Reading here =
            attribute == kMtu ? Reading::of(found->mtu) : kernel_mtu(*found, desired.value);
        reading.running = or_not_ours(std::move(here), *found, desired.value);
      }
      reading.next_boot = reading.running;
    }
    observation.attributes[std::string{kVmkernelAddresses}].running =
        found ? kernel_addresses(facts, *found) : Reading::unknown(found.error().message);
  });
}

// The part that carries the larger frames comes first: the switch, where the MTU rises.
Result<Work> work_on_vswitch(const Change& change, const WorkContext& context) {
  const std::string& name = change.resource.address.name;
  const Result<Found> found = find_vswitch(context.facts, name);
  if (!found) return impossible(change.resource, found.error().message);
  const std::int64_t* mtu = or_null(change.resource.wanted(kMtu)).as_integer();
  Work work;
  if (mtu == nullptr || change.attributes.empty()) return work;
  ActionDraft draft;
  draft.kind = methods::kVswitchSet;
  draft.title = fmt::format("set the MTU of {} and its interfaces to {}", name, *mtu);
  draft.stage = Stage::activate;
  draft.disruption = Disruption::link;
  draft.disturbs = found->uplinks;
  draft.may_cut_off = !found->interfaces.empty();
  const bool rises = *mtu >= found->own_mtu;
  const auto add = [&](WorkSteps& steps, bool switch_first, bool back) {
    if (switch_first) steps.run(set_switch(name, back ? found->own_mtu : *mtu));
    for (const KernelInterface& each : found->interfaces)
      steps.run(set_interface(each.name, back ? each.mtu : *mtu));
    if (!switch_first) steps.run(set_switch(name, back ? found->own_mtu : *mtu));
  };
  add(draft.steps, rises, false);
  add(draft.undo, !rises, true);
  for (const KernelInterface& each : found->interfaces)
    draft.disturbs.push_back(each.name);
  for (const AttributeChange& attribute : change.attributes) {
    for (const Layer layer : {Layer::running, Layer::next_boot})
      draft.postconditions.push_back(
          {change.resource.address, attribute.attribute, layer, attribute.desired});
  }
  work.actions.push_back(std::move(draft));
  return work;
}

Map vswitch_inventory(const NodeFacts& facts) {
  const Result<std::string_view> text = answer(facts, kVswitchProbe);
  if (!text) return {{"vswitches", unknown(text.error())}};
  const Result<std::vector<EsxVswitch>> switches = parse_esxcli_vswitch_list(*text);
  if (!switches) return {{"vswitches", unknown(with_context(switches.error(), kVswitchProbe))}};
  return {{"vswitches", *to_value(*switches).find("vswitches")}};
}

}  // namespace

// "vswitch": the MTU of a virtual switch, of its uplinks and of the kernel's interfaces on it. A
// distributed switch belongs to vCenter: it is observed and never changed. `mtu`: of the switch and
// of its uplinks, the least of them. `vmkernel_mtu`: of the kernel's interfaces on it, the one that
// differs from the desired value. Both are for now and for the next boot. Another running attribute
// is kVmkernelAddresses (engine/provider/vmkernel.hpp).
Provider vswitch_provider() {
  return {
      .kind = kinds::kVswitch,
      .probes = probes_of_vswitch,
      .observe = observe_vswitch,
      .inventory = vswitch_inventory,
      .disruption = always(Disruption::link),
      .work = work_on_vswitch,
  };
}

}  // namespace fabric::providers::esxi
