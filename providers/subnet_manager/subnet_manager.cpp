#include "providers/subnet_manager/subnet_manager.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/peers.hpp"
#include "providers/diagnose.hpp"
#include "providers/subnet_manager/manager_on_port.hpp"
#include "providers/subnet_manager/manager_work.hpp"

namespace fabric::providers {

namespace {

bool is_leaving(const Resource& resource) {
  return std::all_of(resource.desired.begin(), resource.desired.end(), [](const auto& each) {
    return each.second.value.is_null();
  });
}

std::string state_text(const ManagerOnPort& manager) {
  const InfinibandPort* port = manager.port();
  const bool answers = port != nullptr && port->own && port->own->manager && manager.guid() &&
                       port->own->manager->guid == *manager.guid();
  if (!answers) return "none";
  const std::optional<SmState>& state = port->own->manager->state;
  return state ? std::string{state_name(*state)} : "unknown";
}

// Beside what is desired: who manages, for `verify`.
void observe_subnet(Observation& observation, const ManagerOnPort& manager) {
  const ManagerState& state = manager.state();
  const InfinibandPort* port = manager.port();
  if (!state.known || !state.has_sminfo || port == nullptr) return;
  observation.attributes["state"].running = Reading::of(state_text(manager));
  if (port->master && port->master->manager && port->master->manager->state == SmState::master)
    observation.attributes["master"].running = Reading::of(port->master->manager->guid.str());
}

Observation observe_one(const Resource& resource, const ManagerOnPort& manager) {
  const ManagerState& state = manager.state();
  const bool runs = state.is_running(manager.paths().unit_name);
  const auto lying = read_manager(resource, manager.lying(), manager.expected());
  const auto started = read_manager(resource, manager.started_with(), manager.expected());
  Observation observation{resource.address, {}};
  for (const auto& [attribute, desired] : resource.desired) {
    LayeredReading& reading = observation.attributes[attribute];
    if (!state.known) {
      reading.running = Reading::unknown("the node's managers could not be read");
      reading.persistent = reading.running;
    } else if (attribute == kManages) {
      reading.running = manager.manages();
      reading.persistent = manager.is_installed() ? Reading::of(true) : Reading::absent();
    } else {
      reading.running = runs ? started.at(attribute) : Reading::absent();
      reading.persistent = lying.at(attribute);
    }
  }
  observe_subnet(observation, manager);
  return observation;
}

Map port_guids(const Resource& resource) {
  const auto found = resource.binding.find(kPortGuids);
  const Map* guids = found == resource.binding.end() ? nullptr : found->second.as_map();
  return guids == nullptr ? Map{} : *guids;
}

bool is_peer(const Resource& resource, Guid guid) {
  const Map guids = port_guids(resource);
  return std::any_of(guids.begin(), guids.end(), [&](const auto& peer) {
    return to_text(peer.second) == guid.str();
  });
}

// One that was not reached may be the master.
bool knows_all_peers(const Resource& resource) {
  const Map guids = port_guids(resource);
  const auto found = resource.binding.find(kPeers);
  const List* peers = found == resource.binding.end() ? nullptr : found->second.as_list();
  return peers == nullptr || std::all_of(peers->begin(), peers->end(), [&](const Value& peer) {
           return guids.contains(to_text(peer));
         });
}

class Judge {
 public:
  Judge(const NodeFacts& facts, const ManagerState& state, Diagnostics& diagnostics)
      : facts_{facts}, state_{state}, diagnostics_{diagnostics} {}

  void judge(const Resource& resource, const ManagerOnPort& manager) {
    if (!state_.known || is_leaving(resource)) return;
    report_missing(resource);
    report_foreign_files(resource);
    report_foreign_master(resource, manager);
  }

 private:
  void report_missing(const Resource& resource) {
    const bool brought =
        std::any_of(resource.after.begin(), resource.after.end(), [](const auto& each) {
          return each.kind == "package" && each.name == "opensm";
        });
    if (state_.has_opensm || brought) return;
    report(
        diagnostics_,
        resource,
        "package-missing",
        fmt::format("{}: there is no opensm to manage the subnet", facts_.node.str()))
        .with_help("let fabric install it: packages: [opensm, infiniband-diags]");
  }

  // What the distribution's OpenSM reads, and our taking over would silently put out of force.
  void report_foreign_files(const Resource& resource) {
    if (resource.binding.contains("adopt")) return;
    for (const char* path : {"/etc/opensm/opensm.conf", "/etc/opensm/partitions.conf"}) {
      if (!state_.files.contains(path)) continue;
      report(
          diagnostics_,
          resource,
          "foreign-configuration",
          fmt::format("{}: {} configures OpenSM here", facts_.node.str(), path))
          .with_help("take over from it with adopt: true at the node, or remove it");
    }
  }

  void report_foreign_master(const Resource& resource, const ManagerOnPort& manager) {
    const InfinibandPort* port = manager.port();
    if (port == nullptr || !port->master || !port->master->manager) return;
    const SubnetManager& master = *port->master->manager;
    if (master.state != SmState::master || manager.guid() == master.guid) return;
    if (!knows_all_peers(resource) || is_peer(resource, master.guid)) return;
    report(
        diagnostics_,
        resource,
        "sm-foreign-master",
        fmt::format(
            "{}: the subnet of {}/{} is managed by {} (LID {}, priority {}), which the document "
            "does not know",
            facts_.node.str(),
            port->device,
            port->number,
            master.guid.str(),
            master.lid.value_or(0),
            master.priority))
        .with_help("if it is to stay, write subnet_manager: {external: true}; else stop it first");
  }

  const NodeFacts& facts_;
  const ManagerState& state_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::vector<Probe> SubnetManagerProvider::probes() const {
  return {pci_probe(), manager_state_probe(), manager_files_probe()};
}

bool SubnetManagerProvider::supports(const Resource& /*resource*/, std::string_view feature) const {
  return feature == "adopt" || feature == kPartitions;
}

std::vector<Observation> SubnetManagerProvider::observe(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) const {
  const std::vector<Card> cards = inventory_of(facts);
  const ManagerState state = manager_state(facts);
  Judge judge{facts, state, diagnostics};
  std::vector<Observation> observations;
  for (const Resource& resource : wanted) {
    const ManagerOnPort manager{resource, cards, state};
    observations.push_back(observe_one(resource, manager));
    judge.judge(resource, manager);
  }
  return observations;
}

std::vector<Resource> SubnetManagerProvider::left_behind(
    std::span<const Resource> wanted, const NodeFacts& facts) const {
  FileTexts files = manager_state(facts).files;
  // The copy of a running manager is no file that makes anything.
  std::erase_if(files, [](const auto& file) { return file.first.starts_with("/run/"); });
  return left_in_files(files, facts.node, kind(), wanted);
}

// Every option needs a new start (facts.md §4c); traffic goes on meanwhile.
Disruption SubnetManagerProvider::disruption(
    const NodeFacts& /*facts*/,
    const Resource& /*resource*/,
    std::string_view /*attribute*/) const {
  return Disruption::runtime;
}

Result<Work> SubnetManagerProvider::work(const Change& change, const WorkContext& context) const {
  return manager_work(change, context);
}

}  // namespace fabric::providers
