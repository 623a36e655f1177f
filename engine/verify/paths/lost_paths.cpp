// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/paths/lost_paths.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/verify/paths/endpoints.hpp"
#include "engine/verify/paths/link_components.hpp"
#include "engine/verify/paths/paths.hpp"
#include "engine/verify/subnet/partition_keys.hpp"

namespace fabric::verify {

// Full-size frames that get lost where small ones pass.

namespace {

// The firmware that drops larger chained frames, and the largest it passes (E-chain-mtu-limit).
constexpr std::string_view kBuggyFirmware = "16.22.1002";
constexpr std::uint32_t kBuggyFirmwareMtu = 8150;

struct LostPath {
  const PathReport* report = nullptr;
  std::set<NodeName> involved;  // the ends and everything between
};

LostPath lost_path(const PathReport& report, const Topology& topology) {
  const PortRef& from = report.path.from;
  const PortRef& to = report.path.to;
  LostPath lost{&report, {from.node, to.node}};
  const Route route = topology.route(from, to);
  lost.involved.insert(route.transit.begin(), route.transit.end());
  return lost;
}

std::string ends_and_more(const LossInputs& inputs, const std::vector<const PathReport*>& reports) {
  const Path& first = reports.front()->path;
  std::string text = fmt::format(
      "{} and {}",
      end_text(inputs.spec, first, first.from),
      end_text(inputs.spec, first, first.to));
  if (reports.size() > 1) text += fmt::format(" (and on {} more paths)", reports.size() - 1);
  return text;
}

// The place of the MTU in the document, or of the network that gives none.
SourceRange place_of_mtu(const FabricSpec& spec, const std::string& name) {
  const auto network = spec.networks.find(name);
  if (network == spec.networks.end()) return {};
  const bool ipoib = network->second.mode.value == Mode::infiniband && network->second.ipoib;
  const SourceRange mtu = ipoib ? network->second.ipoib->mtu.range : network->second.mtu.range;
  return is_known(mtu) ? mtu : network->second.range;
}

bool has_buggy_firmware(const LossInputs& inputs, const NodeName& name, std::uint32_t mtu) {
  const auto node = inputs.spec.nodes.find(name);
  if (mtu <= kBuggyFirmwareMtu || node == inputs.spec.nodes.end()) return false;
  return std::any_of(
      node->second.adapters->begin(),
      node->second.adapters->end(),
      [&](const AdapterSpec& adapter) {
        return inputs.evidence.firmware(name, adapter.name) == kBuggyFirmware;
      });
}

Diagnostic firmware_finding(
    const LossInputs& inputs, const NodeName& node, const std::vector<const PathReport*>& lost) {
  const Path& path = lost.front()->path;
  return {
      Severity::error,
      "mtu-lost",
      place_of_mtu(inputs.spec, path.network),
      fmt::format(
          "frames of {} bytes are lost between {}, but small ones pass: {} runs firmware {}, which "
          "chains at most {} bytes",
          path.mtu,
          ends_and_more(inputs, lost),
          node.str(),
          kBuggyFirmware,
          kBuggyFirmwareMtu),
      fmt::format(
          "set mtu 8000 in network {}, or update the firmware of {}", path.network, node.str()),
      {},
      node};
}

// Adds an interface with a smaller MTU than the path needs: "n2/cx5/1 (ens1) has MTU 1500"
void add_small(
    std::vector<std::string>& small,
    const std::string& what,
    const std::string& interface,
    std::int64_t mtu,
    const Path& path) {
  if (mtu >= path.mtu) return;
  const std::string text = what.empty() ? fmt::format("{} has MTU {}", interface, mtu)
                                        : fmt::format("{} ({}) has MTU {}", what, interface, mtu);
  if (std::find(small.begin(), small.end(), text) == small.end()) small.push_back(text);
}

// The bond or VLAN interface above the ports of an end, as its provider read it.
void add_upper(
    std::vector<std::string>& small,
    const LossInputs& inputs,
    const Path& path,
    const Endpoint& end,
    const std::vector<ResourceAddress>& resources) {
  for (const ResourceAddress& resource : resources) {
    const Reading* reading = inputs.evidence.running(resource, "mtu");
    const Value* value = reading == nullptr ? nullptr : reading->value();
    const std::int64_t* mtu = value == nullptr ? nullptr : value->as_integer();
    if (mtu == nullptr) continue;
    const bool is_bond = resource.kind == kinds::kBond;
    const std::string interface = is_bond ? resource.name.str() : end.device;
    add_small(small, "", fmt::format("{} of {}", interface, end.node().str()), *mtu, path);
  }
}

void add_ends(
    std::vector<std::string>& small, const LossInputs& inputs, Ends& ends, const Path& path) {
  const NetworkSpec* network = network_without_chain(inputs.spec, path);
  const LagSpec* lag = network == nullptr ? nullptr : lag_of(*network);
  for (const PortRef* port : {&path.from, &path.to}) {
    const Endpoint* known =
        network == nullptr ? nullptr : ends.find(path.network, path.vlan, *port);
    const Endpoint end = known == nullptr ? Endpoint{{*port}, {}, {}, 0} : *known;
    std::vector<ResourceAddress> upper;
    if (!path.vlan.empty()) {
      const std::string name = path.network + "." + path.vlan;
      const std::string parent =
          lag != nullptr ? lag->bond.value : fmt::format("{}.{}", port->adapter, port->port);
      upper.push_back({port->node, "vlan", name});
      upper.push_back({port->node, "vlan", name + "." + parent});
    }
    if (lag != nullptr) upper.push_back({port->node, "bond", lag->bond.value});
    add_upper(small, inputs, path, end, upper);
    for (const PortRef& each : end.ports) {
      const discovery::PortEvidence evidence = inputs.evidence.port(each);
      if (evidence.device && evidence.device->mtu)
        add_small(small, each.str(), evidence.device->name, *evidence.device->mtu, path);
    }
  }
}

// An end whose own interface is smaller than the network's MTU needs no further search. "" = none.
std::string small_interfaces(const LossInputs& inputs, Ends& ends, const Path& path) {
  std::vector<std::string> small;
  add_ends(small, inputs, ends, path);
  return join(small, ", ");
}

Diagnostic plain_finding(
    const LossInputs& inputs, const std::vector<const PathReport*>& lost, const std::string& why) {
  const PathReport& first = *lost.front();
  return {
      Severity::error,
      "mtu-lost",
      place_of_mtu(inputs.spec, first.path.network),
      fmt::format(
          "frames of {} bytes are lost between {}, but small ones pass{}{}",
          first.path.mtu,
          ends_and_more(inputs, lost),
          why.empty() ? "" : ": ",
          why),
      "run `fabric plan` to see whether every interface has the declared MTU",
      {}};
}

}  // namespace

void add_lost_full_size(const LossInputs& inputs, Findings& findings) {
  std::map<NodeName, std::vector<const PathReport*>> by_firmware;
  std::map<std::pair<NodeName, NodeName>, std::vector<const PathReport*>> by_pair;
  for (const PathReport& report : inputs.paths) {
    if (report.full != Passage::lost) continue;
    const LostPath lost = lost_path(report, inputs.topology);
    bool known = false;
    // Only a card that chains drops frames that are not for its own host.
    const bool chain = network_without_chain(inputs.spec, report.path) == nullptr;
    for (const NodeName& node : lost.involved) {
      if (!chain || !has_buggy_firmware(inputs, node, report.path.mtu)) continue;
      by_firmware[node].push_back(&report);
      known = true;
    }
    if (!known) by_pair[std::minmax(report.path.from.node, report.path.to.node)].push_back(&report);
  }
  for (const auto& [node, reports] : by_firmware) {
    const Findings::Number number = findings.add(firmware_finding(inputs, node, reports));
    for (const PathReport* report : reports) {
      findings.also_about(number, report->path.from.node.str());
      findings.also_about(number, report->path.to.node.str());
    }
  }
  Ends ends{inputs.spec, inputs.evidence};
  std::map<std::string, Findings::Number> by_interface;
  for (const auto& [pair, reports] : by_pair) {
    const PathReport& first = *reports.front();
    const std::string small = small_interfaces(inputs, ends, first.path);
    const auto cause = small.empty() ? std::nullopt : finding_of(by_interface, small);
    const Findings::Number number =
        findings.add(plain_finding(inputs, reports, small.empty() ? first.detail : small), cause);
    if (!small.empty()) by_interface.emplace(small, number);
  }
}

// Lost pings where no host forwards: ports, bonds and IPoIB that cables and switches connect.

namespace {

// The ports that the cables of a network connect: all declared ones, and those that work.
struct Wiring {
  LinkComponents declared, working;
  // The findings about the broken ones, with their ends.
  std::vector<std::pair<const CableSpec*, Findings::Number>> broken;
  // The same of what hosts forward.
  LinkComponents routed, still_routed;
};

// The wiring of every network, by name; the reports stand in the same order.
std::map<std::string, Wiring> wirings(const FabricSpec& spec, const Findings& findings) {
  std::map<std::string, Wiring> result;
  std::size_t first = 0;
  for (const auto& [name, network] : spec.networks) {
    std::set<std::size_t> without;
    std::vector<std::pair<const CableSpec*, Findings::Number>> broken;
    for (std::size_t i = 0; i < network.cables.size(); ++i) {
      const auto finding = finding_of(findings.broken_cables, first + i);
      if (!finding) continue;
      without.insert(i);
      broken.emplace_back(&network.cables[i], *finding);
    }
    first += network.cables.size();
    result.emplace(
        name,
        Wiring{
            LinkComponents{network},
            LinkComponents{network, without},
            std::move(broken),
            LinkComponents{network, {}, Through::hosts},
            LinkComponents{network, without, Through::hosts}});
  }
  return result;
}

const SubnetPortReport* subnet_port(const LossInputs& inputs, const PortRef& port) {
  const auto found = std::ranges::find_if(
      inputs.subnet_ports, [&](const SubnetPortReport& each) { return each.port == port; });
  return found == inputs.subnet_ports.end() ? nullptr : &*found;
}

bool lacks_default_key(const SubnetPortReport& report) {
  return std::ranges::any_of(report.wrong, [](const WrongKey& key) {
    return (key.wanted & kPkeyIdentity) == kPkeyIdentity;
  });
}

// True if the IPoIB group of the default partition is missing, which untagged IPoIB is in.
bool lacks_group(const LossInputs& inputs, const std::string& network) {
  return std::ranges::any_of(inputs.subnet_ports, [&](const SubnetPortReport& each) {
    return each.network == network &&
           std::ranges::any_of(each.wrong_groups, [](const WrongGroup& group) {
             return group.pkey == kPkeyIdentity && group.found == 0;
           });
  });
}

class Losses {
 public:
  // The arguments must outlive this object.
  Losses(const LossInputs& inputs, const Findings& findings)
      : inputs_{inputs},
        findings_{findings},
        ends_{inputs.spec, inputs.evidence},
        wirings_{wirings(inputs.spec, findings)} {}

  // The earlier finding that explains the lost path.
  std::optional<Findings::Number> cause(const NetworkSpec& network, const Path& path) {
    if (const auto cable = broken_cable(network, path)) return cable;
    if (lag_of(network) != nullptr) {
      for (const PortRef* port : {&path.from, &path.to}) {
        const auto bond = finding_of(findings_.unaggregated, std::pair{port->node, network.name});
        if (bond) return bond;
      }
    }
    if (network.mode.value != Mode::infiniband) return std::nullopt;
    for (const PortRef* port : {&path.from, &path.to}) {
      const SubnetPortReport* report = subnet_port(inputs_, *port);
      if (report == nullptr) continue;
      if (report->state == "INIT") return finding_of(findings_.unmanaged_ports, network.name);
      if (lacks_default_key(*report)) return finding_of(findings_.wrong_keys, network.name);
    }
    return lacks_group(inputs_, network.name) ? finding_of(findings_.wrong_groups, network.name)
                                              : std::nullopt;
  }

  // The reason why no node can reach an end of the path: "n2 has no bond0"; "" if none is known.
  std::string faulty_end(const NetworkSpec& network, const Path& path) {
    if (is_loopback(network, path)) return {};  // the node has other ports to it
    for (const PortRef* port : {&path.from, &path.to}) {
      std::string why = lag_of(network) != nullptr ? fault_of_bond(network, ports_of(path, *port))
                                                   : fault_of_port(network, *port);
      if (!why.empty()) return why;
    }
    return {};
  }

 private:
  // If the path's ends are connected by declared cables and by no working ones: a broken cable at
  // one of them, else the first.
  std::optional<Findings::Number> broken_cable(const NetworkSpec& network, const Path& path) {
    const Wiring& wiring = wirings_.at(network.name);
    const bool routed = is_loopback(network, path);
    const LinkComponents& declared = routed ? wiring.routed : wiring.declared;
    const LinkComponents& working = routed ? wiring.still_routed : wiring.working;
    const std::vector<PortRef> from = ports_of(path, path.from);
    const std::vector<PortRef> to = ports_of(path, path.to);
    if (!declared.connect(from, to) || working.connect(from, to)) return std::nullopt;
    for (const std::vector<PortRef>* ports : {&from, &to}) {
      for (const auto& [cable, finding] : wiring.broken) {
        for (const PortRef& port : *ports) {
          if (cable->a.value == port || cable->b.value == port) return finding;
        }
      }
    }
    return wiring.broken.front().second;
  }

  std::vector<PortRef> ports_of(const Path& path, const PortRef& port) {
    const Endpoint* end = ends_.find(path.network, path.vlan, port);
    return end == nullptr ? std::vector{port} : end->ports;
  }

  bool has_no_carrier(const PortRef& port) const {
    const discovery::PortEvidence found = inputs_.evidence.port(port);
    return found.device && found.device->carrier == false;
  }

  std::string fault_of_bond(const NetworkSpec& network, const std::vector<PortRef>& ports) const {
    const std::string& bond = lag_of(network)->bond.value;
    const NodeName& node = ports.front().node;
    if (is_missing_bond(network, node, inputs_.evidence))
      return fmt::format("{} has no {}", node.str(), bond);
    const bool dark =
        std::ranges::all_of(ports, [this](const PortRef& port) { return has_no_carrier(port); });
    return dark ? fmt::format("no port of {} of {} has a carrier", bond, node.str()) : "";
  }

  std::string fault_of_port(const NetworkSpec& network, const PortRef& port) const {
    const discovery::PortEvidence found = inputs_.evidence.port(port);
    if (!found.device) return found.why_unknown;
    if (!has_no_carrier(port)) return {};
    return fmt::format(
        "{} ({}) has no carrier{}",
        port.str(),
        found.device->name,
        network.mode.value == Mode::infiniband
            ? ": it has no link, or is not in the group of its subnet"
            : "");
  }

  const LossInputs& inputs_;
  const Findings& findings_;
  Ends ends_;
  std::map<std::string, Wiring> wirings_;
};

}  // namespace

void add_lost_switched_paths(const LossInputs& inputs, Findings& findings) {
  std::map<std::string, std::vector<const PathReport*>> by_end;
  std::vector<const PathReport*> others;
  std::map<Findings::Number, std::size_t> explained;
  Losses losses{inputs, findings};
  for (const PathReport& report : inputs.paths) {
    const NetworkSpec* network = network_without_chain(inputs.spec, report.path);
    if (network == nullptr || report.small != Passage::lost) continue;
    if (const auto cause = losses.cause(*network, report.path)) {
      ++explained[*cause];
      continue;
    }
    const std::string end = losses.faulty_end(*network, report.path);
    if (end.empty()) {
      others.push_back(&report);
    } else {
      by_end[end].push_back(&report);
    }
  }
  for (const auto& [cause, number] : explained)
    findings.count(cause, Effect::path_lost, number);
  for (const auto& [end, reports] : by_end) {
    findings.add(
        {Severity::error,
         "path-lost",
         network_without_chain(inputs.spec, reports.front()->path)->range,
         fmt::format("no answer on {}: {}", path_examples(inputs.spec, reports), end),
         "`fabric plan` shows whether addresses and links are as declared",
         {}});
  }
  add_lost_pairs(inputs.spec, others, findings);
}

}  // namespace fabric::verify
