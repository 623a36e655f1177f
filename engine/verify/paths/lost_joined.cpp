// Lost pings where no host forwards: ports, bonds and IPoIB that cables and switches join.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/verify/cables/cables.hpp"
#include "engine/verify/paths/endpoints.hpp"
#include "engine/verify/paths/link_components.hpp"
#include "engine/verify/paths/localise.hpp"
#include "engine/verify/subnet/partition_keys.hpp"

namespace fabric::verify {

namespace {

// The cables of a network, all of them and those that are not broken.
struct Wiring {
  Joined all, left;
};

// Of every network, by name; the reports stand in the same order.
std::map<std::string, Wiring> wirings(const LossInputs& inputs) {
  std::map<std::string, Wiring> result;
  std::size_t first = 0;
  for (const auto& [name, network] : inputs.spec.networks) {
    std::set<std::size_t> broken;
    for (std::size_t i = 0; i < network.cables.size() && first + i < inputs.cables.size(); ++i) {
      if (is_broken(inputs.cables[first + i].state)) broken.insert(i);
    }
    first += network.cables.size();
    result.emplace(name, Wiring{Joined{network}, Joined{network, broken}});
  }
  return result;
}

const SubnetPortReport* subnet_port(const LossInputs& inputs, const PortRef& port) {
  const auto found = std::find_if(
      inputs.subnet_ports.begin(), inputs.subnet_ports.end(), [&](const SubnetPortReport& each) {
        return each.port == port;
      });
  return found == inputs.subnet_ports.end() ? nullptr : &*found;
}

// Named already: `port-unmanaged`, `partition-not-programmed`.
bool is_without_subnet(const LossInputs& inputs, const PortRef& port) {
  const SubnetPortReport* report = subnet_port(inputs, port);
  if (report == nullptr) return false;
  return report->state == "INIT" ||
         std::any_of(report->wrong.begin(), report->wrong.end(), [](const WrongKey& key) {
           return (key.wanted & kPkeyIdentity) == kPkeyIdentity;
         });
}

// Named already: `partition-group-differs`.
bool lacks_group(const LossInputs& inputs, const std::string& network) {
  return std::any_of(
      inputs.subnet_ports.begin(), inputs.subnet_ports.end(), [&](const SubnetPortReport& each) {
        return each.network == network &&
               std::any_of(
                   each.wrong_groups.begin(), each.wrong_groups.end(), [](const WrongGroup& group) {
                     return group.pkey == kPkeyIdentity && group.found == 0;
                   });
      });
}

class Losses {
 public:
  explicit Losses(const LossInputs& inputs)
      : inputs_{inputs}, ends_{inputs.spec, inputs.evidence}, wirings_{wirings(inputs)} {}

  bool is_explained(const NetworkSpec& network, const Path& path) {
    const Wiring& wiring = wirings_.at(network.name);
    const std::vector<PortRef> from = ports_of(path, path.from);
    const std::vector<PortRef> to = ports_of(path, path.to);
    if (wiring.all.any(from, to) && !wiring.left.any(from, to)) return true;
    if (network.mode.value != Mode::infiniband) return false;
    return is_without_subnet(inputs_, path.from) || is_without_subnet(inputs_, path.to) ||
           lacks_group(inputs_, network.name);
  }

  // The end that nobody can reach, and why: "n2 has no bond0"; "" if none is known to be that.
  std::string culprit(const NetworkSpec& network, const Path& path) {
    for (const PortRef* port : {&path.from, &path.to}) {
      std::string why = network.lag ? ailment_of_bond(network, ports_of(path, *port))
                                    : ailment_of_port(network, *port);
      if (!why.empty()) return why;
    }
    return {};
  }

 private:
  std::vector<PortRef> ports_of(const Path& path, const PortRef& port) {
    const Endpoint* end = ends_.find(path.network, path.vlan, port);
    return end == nullptr ? std::vector{port} : end->ports;
  }

  bool has_no_carrier(const PortRef& port) const {
    const PortEvidence found = inputs_.evidence.port(port);
    return found.device && found.device->carrier == false;
  }

  std::string ailment_of_bond(const NetworkSpec& network, const std::vector<PortRef>& ports) const {
    const std::string& bond = network.lag->bond.value;
    const NodeName& node = ports.front().node;
    if (is_missing_bond(network, node, inputs_.evidence))
      return fmt::format("{} has no {}", node.str(), bond);
    const bool dark = std::all_of(
        ports.begin(), ports.end(), [this](const PortRef& port) { return has_no_carrier(port); });
    return dark ? fmt::format("no port of {} of {} has a carrier", bond, node.str()) : "";
  }

  std::string ailment_of_port(const NetworkSpec& network, const PortRef& port) const {
    const PortEvidence found = inputs_.evidence.port(port);
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
  Ends ends_;
  std::map<std::string, Wiring> wirings_;
};

}  // namespace

std::vector<Finding> lost_joined_paths(const LossInputs& inputs) {
  Losses losses{inputs};
  std::map<std::string, std::vector<const PathReport*>> by_culprit;
  std::vector<const PathReport*> others;
  for (const PathReport& report : inputs.paths) {
    const NetworkSpec* network = joined_network(inputs.spec, report.path);
    if (network == nullptr || report.small != Passage::lost) continue;
    if (losses.is_explained(*network, report.path)) continue;
    const std::string culprit = losses.culprit(*network, report.path);
    if (culprit.empty()) {
      others.push_back(&report);
    } else {
      by_culprit[culprit].push_back(&report);
    }
  }
  std::vector<Finding> findings;
  for (const auto& [culprit, reports] : by_culprit) {
    findings.push_back(
        {"path-lost",
         Severity::error,
         fmt::format("no answer on {}: {}", path_examples(inputs.spec, reports), culprit),
         "run `fabric plan` to see whether addresses and link settings are as declared",
         joined_network(inputs.spec, reports.front()->path)->range});
  }
  for (Finding& finding : pair_findings(inputs.spec, others))
    findings.push_back(std::move(finding));
  return findings;
}

}  // namespace fabric::verify
