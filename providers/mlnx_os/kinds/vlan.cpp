// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"
#include "providers/mlnx_os/kinds/channels.hpp"
#include "providers/mlnx_os/kinds/rows.hpp"

namespace fabric::providers::onyx {

namespace {

// The interface of tagged frames of the network: a port, or the channel of a host's bond.
struct Carrier {
  std::vector<std::string> ports;
  bool is_bond = false;
  std::optional<std::int64_t> mlag_id;
  std::optional<std::string> access_vlan{};  // the wanted VLAN of untagged frames
};

std::vector<Carrier> carriers_of(const Resource& resource) {
  std::vector<Carrier> carriers;
  for (const Value& each : resource.bound_list(keys::kCarriedAt)) {
    const Value* ports = each.find("ports");
    const Value* id = each.find("mlag_id");
    Carrier carrier;
    if (ports != nullptr) carrier.ports = ports_of(*ports);
    carrier.is_bond = each.find("bond") != nullptr;
    if (id != nullptr && id->as_integer() != nullptr) carrier.mlag_id = *id->as_integer();
    if (const Value* access = each.find("access_vlan")) carrier.access_vlan = to_text(*access);
    if (!carrier.ports.empty()) carriers.push_back(std::move(carrier));
  }
  return carriers;
}

// "ethernet 1/7", "port-channel 7"
Result<std::string> interface_of(const Configuration& tree, const Carrier& carrier) {
  if (!carrier.is_bond) return "ethernet " + carrier.ports.front();
  return channel_for(tree, carrier.ports, carrier.mlag_id);
}

Reading reading_in(const Configuration& tree, const Resource& resource, const Value& desired) {
  const std::int64_t* id = desired.as_integer();
  if (id == nullptr) return Reading::unknown("the VLAN is no number");
  const std::vector<Carrier> carriers = carriers_of(resource);
  const bool carried = std::all_of(carriers.begin(), carriers.end(), [&](const Carrier& carrier) {
    const Result<std::string> interface = interface_of(tree, carrier);
    return interface && tree.carries(*interface, *id);
  });
  return carried && tree.has_vlan(*id) ? Reading::of(desired) : Reading::absent();
}

// An access port becomes a port for tagged frames and, as before, untagged ones.
void type_carrier(
    Typed& typed,
    const Configuration& tree,
    const std::string& interface,
    const std::optional<std::string>& wanted,
    std::int64_t id) {
  const std::string start = "interface " + interface;
  std::string mode = tree.switchport_of(interface);
  if (mode == "access") {
    mode = "hybrid";
    const auto untagged = wanted ? wanted : tree.after(start + " switchport access vlan");
    typed.type(start + " switchport mode hybrid", start + " switchport mode access");
    if (untagged) {
      const std::string line = fmt::format("{} switchport access vlan {}", start, *untagged);
      typed.type(line);
      // After the mode is that of before.
      typed.undone.insert(typed.undone.begin() + 1, line);
    }
  }
  typed.type(
      fmt::format("{} switchport {} allowed-vlan add {}", start, mode, id),
      fmt::format("{} switchport {} allowed-vlan remove {}", start, mode, id));
}

std::vector<Observation> observe_vlan(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  const SwitchFacts found{facts};
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    for (const auto& [name, desired] : resource.desired) {
      const Value& value = desired.value;
      observation.attributes[name] = configured(
          found, [&](const Configuration& tree) { return reading_in(tree, resource, value); });
    }
  });
}

Result<Work> work_on_vlan(const Change& change, const WorkContext& context) {
  const SwitchFacts found{context.facts};
  if (!found.running) return found.running.error();
  const Configuration& running = *found.running;
  const AttributeChange& wanted = change.attributes.front();
  const std::int64_t id = wanted.desired.as_integer() == nullptr ? 0 : *wanted.desired.as_integer();
  Typed typed;
  std::vector<std::string> disturbed;
  if (wanted.activate) {
    if (!running.has_vlan(id))
      typed.type(fmt::format("vlan {}", id), fmt::format("no vlan {}", id));
    for (const Carrier& carrier : carriers_of(change.resource)) {
      const Result<std::string> interface = interface_of(running, carrier);
      if (!interface) return impossible(change.resource, interface.error().message);
      if (running.switchport_of(*interface) == "routed")
        return impossible(
            change.resource,
            fmt::format("the switch routes at {}, so no VLAN is carried there", *interface));
      if (running.carries(*interface, id)) continue;
      type_carrier(typed, running, *interface, carrier.access_vlan, id);
      disturbed.insert(disturbed.end(), carrier.ports.begin(), carrier.ports.end());
    }
    if (typed.done.empty()) return not_in_force(change);
  }
  Work work = work_of(fmt::format("carry VLAN {}", id), typed, change, true);
  work.actions.front().disturbs = std::move(disturbed);
  return work;
}

}  // namespace

// VLANs at the ports and channels of their network.
Provider vlan_provider() {
  return {
      .kind = "vlan",
      .probes = configuration_probes,
      .observe = observe_vlan,
      .disruption = always(Disruption::link),
      .work = work_on_vlan,
  };
}

}  // namespace fabric::providers::onyx
