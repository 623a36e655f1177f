// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/ndr.hpp"
#include "engine/model/opensm_options.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/diagnose.hpp"
#include "engine/provider/orphan.hpp"
#include "engine/provider/statements.hpp"
#include "providers/infiniband/member_guid.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/subnet_manager/manager_on_port.hpp"
#include "providers/linux/kinds/subnet_manager/manager_statements.hpp"
#include "providers/linux/kinds/subnet_manager/option_statements.hpp"

namespace fabric::providers {
namespace {

bool is_of_network(const Resource& resource, const std::string& network) {
  const Value* bound = resource.bound(keys::kNetwork);
  return bound != nullptr && to_text(*bound) == network;
}

using NodePairs = std::set<std::pair<NodeName, NodeName>>;

bool has_peer(const Resource& resource, const std::string& port) {
  const List& peers = resource.bound_list(keys::kPeers);
  return std::ranges::any_of(peers, [&](const Value& peer) { return to_text(peer) == port; });
}

// The parts of "ib.cx5.1" on n1: "ib", ".cx5.1" and "n1/cx5/1". Empty for other names.
struct ManagerPlace {
  std::string network, on_port, port;
};

ManagerPlace place_of(const ResourceAddress& address) {
  const std::string& name = address.name;
  const std::size_t port = name.rfind('.');
  const std::size_t adapter =
      port == std::string::npos || port == 0 ? std::string::npos : name.rfind('.', port - 1);
  if (adapter == std::string::npos) return {};
  return {
      name.substr(0, adapter),
      name.substr(adapter),
      address.node.str() + "/" + name.substr(adapter + 1, port - adapter - 1) + "/" +
          name.substr(port + 1)};
}

// A manager is removed when the managers that stay manage its subnet, so that a subnet is never
// without one, whatever its network is called now. Two nodes that hand over to each other would
// wait for each other; of these the first one does not wait. A port has one manager: a manager that
// comes to a port waits until the old one is removed, and that one is removed when the managers
// that come before its successor manage the subnet.
void hand_over(Resource& orphan, std::vector<Resource*>& managers, NodePairs& before) {
  const ManagerPlace place = place_of(orphan.address);
  const NodeName& node = orphan.address.node;
  Resource* heir = nullptr;
  std::vector<const Resource*> others;
  for (Resource* manager : managers) {
    if (manager->address.kind != orphan.address.kind) continue;
    if (!is_of_network(*manager, place.network) && !has_peer(*manager, place.port)) continue;
    if (manager->address.node != node) {
      others.push_back(manager);
    } else if (heir == nullptr || manager->address.name.ends_with(place.on_port)) {
      heir = manager;
    }
  }
  if (heir != nullptr && !heir->address.name.ends_with(place.on_port)) {
    orphan.after.push_back(heir->address);
    return;
  }
  for (const Resource* other : others) {
    const bool comes_first =
        heir == nullptr || std::ranges::find(heir->after, other->address) != heir->after.end();
    if (!comes_first || before.contains({node, other->address.node})) continue;
    before.emplace(other->address.node, node);
    orphan.after.push_back(other->address);
  }
  if (heir != nullptr) heir->after.push_back(orphan.address);
}

// For all nodes: puts a removed manager `after` those that will manage its subnet.
void hand_over_subnets(std::vector<Resource>& resources) {
  std::vector<Resource*> managers;
  std::vector<Resource*> leaving;
  for (Resource& resource : resources) {
    if (is_orphan(resource)) {
      if (resource.address.kind == kinds::kSubnetManager) leaving.push_back(&resource);
    } else if (resource.binding.contains(keys::kPeers)) {
      managers.push_back(&resource);
    }
  }
  NodePairs before;
  for (Resource* each : leaving)
    hand_over(*each, managers, before);
}

bool is_leaving(const Resource& resource) {
  return std::ranges::all_of(
      resource.desired, [](const auto& each) { return each.second.value.is_null(); });
}

std::string state_text(const ManagerOnPort& manager) {
  const InfinibandPort* port = manager.port();
  const bool answers = port != nullptr && port->own && port->own->manager && manager.guid() &&
                       port->own->manager->guid == *manager.guid();
  if (!answers) return "none";
  const std::optional<SmState>& state = port->own->manager->state;
  return state ? std::string{state_name(*state)} : "unknown";
}

// The partitions of a running manager, in the form of keys::kHandedOut.
Reading handed_out(const std::string& text, const Map& guids) {
  const Result<PartitionsConf> conf = parse_partitions_conf(text);
  if (!conf) return Reading::unknown(conf.error().message);
  const auto names = names_by_guid(guids, text);
  List list;
  for (const Partition& partition : conf->partitions) {
    if (!partition.p_key) continue;
    List members;
    for (const PartitionMember& member : partition.members) {
      std::string who =
          member.keyword ? std::string{keyword_name(*member.keyword)} : member.port->str();
      if (const auto name = names.find(who); name != names.end()) who = name->second;
      members.emplace_back(
          Map{{"who", std::move(who)}, {"full", member.membership == PartitionMembership::full}});
    }
    list.emplace_back(Map{{"pkey", *partition.p_key}, {"members", std::move(members)}});
  }
  return Reading::of(std::move(list));
}

// Beside the desired attributes: the master and how it routed, for `verify`.
void observe_subnet(Observation& observation, const ManagerOnPort& manager) {
  const ManagerState& state = manager.state();
  if (const auto log = state.routing.find(observation.address.name); log != state.routing.end()) {
    observation.attributes["routed_by"].running =
        Reading::of(log->second.engine.empty() ? "none" : log->second.engine);
    if (!log->second.errors.empty())
      observation.attributes["routing_error"].running = Reading::of(log->second.errors.back());
  }
  const InfinibandPort* port = manager.port();
  if (!state.known || !state.has_sminfo || port == nullptr) return;
  const std::string is = state_text(manager);
  observation.attributes["state"].running = Reading::of(is);
  // The log has the time of the present state, if it is about the same state.
  const auto entered = state.entered.find(observation.address.name);
  if (entered != state.entered.end() && to_lower(entered->second.state) == is)
    observation.attributes["since"].running = Reading::of(entered->second.since);
  if (port->master && port->master->manager && port->master->manager->state == SmState::master)
    observation.attributes["master"].running = Reading::of(port->master->manager->guid.str());
}

// The files of an OpenSM without that option do not show whether it is set.
LayeredReading virtualization(
    LayeredReading read, const Value& desired, const ManagerState& state) {
  if (state.knows_virtualization == true || desired != Value{true}) return read;
  const Reading unknown = Reading::unknown(
      state.knows_virtualization ? "this OpenSM has no option virt_enabled"
                                 : "the options of this OpenSM are not known");
  return {unknown, std::nullopt, unknown};
}

// In a plan that is limited to some nodes, against files that can't be written as long as the GUID
// of a member is not known.
bool is_judged_by_guids(std::string_view attribute) {
  return attribute == kManages || attribute == kPartitions || attribute == "io";
}

// OpenSM ignores unknown options: a file that has the option proves nothing.
LayeredReading options(LayeredReading read, const Value& desired, const ManagerState& state) {
  const Map* wanted = desired.as_map();
  if (wanted == nullptr) return read;
  std::optional<Reading> unknown;
  if (!state.has_opensm) {
    unknown = Reading::unknown("OpenSM is not installed, so its options are not known", {"opensm"});
  } else if (state.options.empty()) {
    unknown = Reading::unknown("`opensm -c` does not list the options of this OpenSM");
  }
  for (const auto& [name, value] : *wanted) {
    if (!unknown && !state.options.contains(name))
      unknown = Reading::unknown(fmt::format("this OpenSM has no option {}", name));
  }
  if (unknown) return {unknown, std::nullopt, unknown};
  return read;
}

// How a value differs in kind from the default that OpenSM has; "" if it does not.
std::string unfit(const Value& wanted, const std::string& fallback) {
  if (fallback.find('/') != std::string::npos) return "names a file or a folder of the node";
  const Value known = opensm_value(fallback);
  if (known.as_bool() != nullptr && wanted.as_bool() == nullptr) return "takes true or false";
  if (known.as_integer() != nullptr && wanted.as_integer() == nullptr) return "takes a number";
  if (known.as_bool() == nullptr && wanted.as_bool() != nullptr) return "takes a text";
  return {};
}

Observation observe_one(const Resource& resource, const ManagerOnPort& manager) {
  const ManagerState& state = manager.state();
  const bool runs = state.is_running(manager.paths().unit_name);
  const auto lying = read_manager(resource, manager.lying(), manager.expected());
  const auto started = read_manager(resource, manager.started_with(), manager.expected());
  const std::string missing = manager.missing_guid();
  Observation observation{resource.address, {}};
  for (const auto& [attribute, desired] : resource.desired) {
    LayeredReading& reading = observation.attributes[attribute];
    if (!state.known) {
      reading.running = Reading::unknown("the node's managers could not be read");
      reading.persistent = reading.running;
    } else if (!missing.empty() && is_judged_by_guids(attribute)) {
      reading.running = attribute == kManages ? manager.manages() : Reading::unknown(missing);
      reading.persistent = Reading::unknown(missing);
    } else if (attribute == kManages) {
      reading.running = manager.manages();
      reading.persistent = manager.is_installed() ? Reading::of(true) : Reading::absent();
    } else {
      reading.running = runs ? started.at(attribute) : Reading::absent();
      reading.persistent = lying.at(attribute);
      if (attribute == kVirtualization)
        reading = virtualization(std::move(reading), desired.value, state);
      if (attribute == kManagerOptions) reading = options(std::move(reading), desired.value, state);
    }
  }
  observe_subnet(observation, manager);
  if (runs) {
    observation.attributes[std::string{keys::kHandedOut}].running =
        handed_out(manager.started_with().partitions, resource.bound_map(keys::kPortGuids));
  }
  return observation;
}

Map port_guids(const Resource& resource) {
  return resource.bound_map(keys::kPortGuids);
}

std::set<std::string> managers_of(const Resource& resource) {
  std::set<std::string> ports;
  for (const Value& port : resource.bound_list(keys::kManagers))
    ports.insert(to_text(port));
  return ports;
}

// The port of the document's nodes that has this GUID; "" if none is known to.
std::string port_with(const Resource& resource, Guid guid) {
  for (const auto& [port, found] : port_guids(resource)) {
    if (to_text(found) == guid.str()) return port;
  }
  return {};
}

std::int64_t priority_of(const Resource& resource) {
  const std::int64_t* priority = or_null(resource.wanted("priority")).as_integer();
  return priority == nullptr ? 0 : *priority;
}

// The manager of that port is fabric's and this plan removes it, once this one manages.
bool is_handed_over(const Resource& resource, const std::string& port) {
  const List& ports = resource.bound_list(keys::kLeaving);
  return !port.empty() &&
         std::ranges::any_of(ports, [&](const Value& each) { return to_text(each) == port; });
}

class Judge {
 public:
  Judge(const NodeFacts& facts, const ManagerState& state, Diagnostics& diagnostics)
      : facts_{facts}, state_{state}, diagnostics_{diagnostics} {}

  void judge(const Resource& resource, const ManagerOnPort& manager) {
    if (!state_.known || is_leaving(resource)) return;
    report_missing(resource);
    report_unknown_members(resource, diagnostics_);
    report_virtualization(resource);
    report_options(resource);
    report_ndr(resource);
    report_engines(resource);
    report_foreign(resource, manager);
    report_unstopped(resource, manager);
    report_foreign_master(resource, manager);
  }

 private:
  void report_missing(const Resource& resource) {
    const bool brought = std::ranges::any_of(resource.after, [](const auto& each) {
      return each.kind == kinds::kPackage && each.name == "opensm";
    });
    if (state_.has_opensm || brought) return;
    report_finding(
        diagnostics_,
        resource,
        "package-missing",
        fmt::format("{}: there is no opensm to manage the subnet", facts_.node.str()))
        .with_help("let fabric install it: packages: [opensm, infiniband-diags]");
  }

  void report_virtualization(const Resource& resource) {
    const auto wanted = resource.desired.find(kVirtualization);
    if (wanted == resource.desired.end() || wanted->second.value != Value{true} ||
        state_.knows_virtualization == true)
      return;
    report_finding_at(
        diagnostics_,
        resource,
        wanted->second.source,
        "sm-virtualization-unsupported",
        state_.knows_virtualization
            ? fmt::format(
                  "{}: its OpenSM has no virtualization support: virt_enabled is none of its "
                  "options",
                  facts_.node.str())
            : fmt::format(
                  "{}: nothing shows whether its OpenSM has virtualization support: {}",
                  facts_.node.str(),
                  state_.has_opensm ? "`opensm -c` does not list its options"
                                    : "it is not installed"))
        .with_help(
            "install the OpenSM of MLNX_OFED or DOCA there first, or let a switch manage the "
            "subnet: subnet_manager: {external: true, virtualization: true}");
  }

  // By the options of the installed OpenSM; one that the plan installs is judged after that.
  void report_options(const Resource& resource) {
    const Map* options = or_null(resource.wanted(kManagerOptions)).as_map();
    if (options == nullptr || state_.options.empty()) return;
    for (const auto& [name, value] : *options) {
      const auto known = state_.options.find(name);
      std::string why = "is not an option of its OpenSM";
      if (known != state_.options.end()) why = unfit(value, known->second);
      if (why.empty()) continue;
      report_finding_at(
          diagnostics_,
          resource,
          place_of_option(resource, name),
          "sm-option-unfit",
          fmt::format("{}: the option '{}' of its subnet manager {}", facts_.node.str(), name, why))
          .with_help(
              known != state_.options.end()
                  ? fmt::format("the default there is {}", known->second)
                  : likely(name) + "`opensm -c /dev/stdout` on the node lists its options");
    }
  }

  static SourceRange place_of_option(const Resource& resource, const std::string& name) {
    const auto found = std::ranges::find_if(resource.features, [&](const Feature& feature) {
      return feature.name == std::string{kManagerOption} + name;
    });
    return found == resource.features.end() ? resource.origin : found->range;
  }

  std::string likely(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& [each, fallback] : state_.options)
      names.push_back(each);
    const std::string near = nearest(name, names);
    return near.empty() ? std::string{} : fmt::format("did you mean '{}'? ", near);
  }

  // An OpenSM that the plan installs is the distribution's, unless the document names another
  // stack.
  bool is_of_distribution(const Resource& resource) const {
    const auto stack = resource.binding.find(keys::kStack);
    if (state_.has_opensm) return state_.knows_virtualization == false;
    return stack != resource.binding.end() && to_text(stack->second) == "inbox";
  }

  void report_engines(const Resource& resource) {
    const auto wanted = resource.desired.find("routing_engine");
    if (wanted == resource.desired.end() || !is_of_distribution(resource)) return;
    const std::vector<std::string> lacking = vendor_engines(to_text(wanted->second.value));
    if (lacking.empty()) return;
    diagnostics_
        .warning(
            "routing-engine-lacking",
            wanted->second.source,
            fmt::format(
                "{}: the OpenSM of its distribution has no routing engine {}",
                facts_.node.str(),
                join(lacking, ", ")))
        .about(facts_.node)
        .with_help("install the OpenSM of MLNX_OFED or DOCA there first, or choose updn or ftree");
  }

  // If the document leaves the speed open, the link may have a speed that OpenSM supports.
  void report_ndr(const Resource& resource) {
    const auto ndr = resource.binding.find(keys::kNdr);
    if (ndr == resource.binding.end() || !is_of_distribution(resource)) return;
    const Value* declared = ndr->second.find("declared");
    // An OpenSM that is not installed yet may come from another source than the document names.
    const bool certain = declared != nullptr && *declared == Value{true} && state_.has_opensm;
    std::string message = fmt::format(
        "{}: its OpenSM {} the one of a distribution, which does not manage NDR links properly, "
        "and {} {}",
        facts_.node.str(),
        state_.has_opensm ? "is" : "will be",
        ndr->second.string_or_empty("card"),
        certain ? "runs NDR in its network" : "can do NDR");
    Diagnostic& finding =
        certain ? report_finding(diagnostics_, resource, "sm-ndr-unsupported", std::move(message))
                : diagnostics_.warning("sm-ndr-unsupported", resource.origin, std::move(message));
    finding.with_help(
        "install the OpenSM of MLNX_OFED or DOCA there first, let a switch manage the subnet, or "
        "give the cables their `speed` if it is HDR or less");
  }

  // Reports files of another OpenSM that an adoption would silently put out of force. After it they
  // stay where they are.
  void report_foreign(const Resource& resource, const ManagerOnPort& manager) {
    if (adopts(resource)) {
      const std::string* own = text_at(state_.files, manager.paths().options);
      if (own != nullptr && is_owned(*own)) return;
      const auto statements = manager_statements(resource, manager);
      report_would_lose(
          diagnostics_, resource, "the subnet manager", would_be_lost(resource, statements));
      return;
    }
    const std::vector<Statement> statements = manager_statements(resource, manager);
    for (const std::string& path : foreign_manager_files(state_)) {
      // RHEL has one of defaults.
      const bool says =
          path.starts_with("/etc/opensm/") ||
          std::ranges::any_of(statements, [&](const auto& each) { return each.file == path; });
      if (!says) continue;
      report_foreign(resource, fmt::format("{} configures OpenSM here", path), "remove it");
    }
    for (const Statement& each : statements) {
      if (!each.file.empty() || each.said < StatementClass::sayable) continue;
      report_foreign(
          resource,
          fmt::format(
              "OpenSM runs here with {}, which the document does not have", statement_text(each)),
          "add it to the document");
    }
  }

  void report_foreign(const Resource& resource, const std::string& what, std::string_view else_do) {
    report_finding(
        diagnostics_,
        resource,
        "foreign-configuration",
        fmt::format("{}: {}", facts_.node.str(), what))
        .with_help(fmt::format("take over from it with adopt: true at the node, or {}", else_do));
  }

  // Of a unit that the start of ours does not stop: ours would find the port taken, and so it would
  // be after each boot.
  void report_unstopped(const Resource& resource, const ManagerOnPort& manager) {
    const InfinibandPort* port = manager.port();
    const bool is_ours = std::ranges::any_of(state_.units, [](const auto& unit) {
      return unit.first.starts_with("fabric-opensm-") && unit.second.first == "active";
    });
    if (port == nullptr || is_ours) return;
    const std::optional<SubnetManager> own = port->own ? port->own->manager : std::nullopt;
    const bool runs = own && manager.guid() == own->guid &&
                      (own->state == SmState::master || own->state == SmState::standby);
    const auto process = std::ranges::find_if(state_.processes, [&](const OpensmProcess& each) {
      if (each.unit.empty() || each.unit.starts_with("opensm")) return false;
      const std::vector<SaidOption> options = options_of_process(each.words);
      const auto named =
          std::ranges::find_if(options, [](const auto& one) { return one.key == "guid"; });
      if (named == options.end()) return runs || !state_.has_sminfo;
      const Result<Guid> guid = Guid::parse(named->value);
      return guid && manager.guid() == *guid;
    });
    const bool is_seen = process != state_.processes.end();
    if (!is_seen && (!runs || !state_.foreign_units().empty())) return;
    const std::string unit = is_seen ? process->unit : "";
    report_finding(
        diagnostics_,
        resource,
        "foreign-configuration",
        fmt::format(
            "{}: a subnet manager runs on {}/{}{} by {}, which fabric does not stop",
            facts_.node.str(),
            port->device,
            port->number,
            runs ? fmt::format(" with priority {}", own->priority) : "",
            unit.empty() ? "a unit of another name than OpenSM's" : unit))
        .with_help(
            unit.ends_with(".service")
                ? fmt::format("let it run no more: `systemctl disable --now {}`", unit)
                : "stop it on the node, and what starts it; `systemctl status $(pidof opensm)` "
                  "names that");
  }

  void report_foreign_master(const Resource& resource, const ManagerOnPort& manager) {
    const InfinibandPort* port = manager.port();
    if (port == nullptr || !port->master || !port->master->manager) return;
    const SubnetManager& master = *port->master->manager;
    if (master.state != SmState::master || manager.guid() == master.guid) return;
    const std::set<std::string> managers = managers_of(resource);
    const std::string where = port_with(resource, master.guid);
    if (managers.contains(where) || is_handed_over(resource, where)) return;
    if (!where.empty() && master.priority < priority_of(resource)) {
      report_stray(resource, master, where);
      return;
    }
    // A manager that was not reached may be the master.
    const Map known = port_guids(resource);
    const bool knows_all = std::ranges::all_of(
        managers, [&known](const std::string& each) { return known.contains(each); });
    if (where.empty() && !knows_all) return;
    const std::string who = where.empty()
                                ? "which is not in the document"
                                : fmt::format("on {}, where the document places no manager", where);
    report_finding(
        diagnostics_,
        resource,
        "sm-foreign-master",
        fmt::format(
            "{}: the subnet of {}/{} is managed by {} (LID {}, priority {}), {}",
            facts_.node.str(),
            port->device,
            port->number,
            master.guid.str(),
            master.lid.value_or(0),
            master.priority,
            who))
        .with_help("if it is to stay, write subnet_manager: {external: true}; else stop it first");
  }

  // Reports a manager that a distribution usually starts where opensm is installed. The manager of
  // higher priority takes over from it.
  void report_stray(
      const Resource& resource, const SubnetManager& master, const std::string& where) {
    diagnostics_
        .warning(
            "sm-stray",
            resource.origin,
            fmt::format(
                "{}: the subnet is managed from {} (priority {}), where the document places no "
                "manager; the one of the document has priority {} and takes over",
                facts_.node.str(),
                where,
                master.priority,
                priority_of(resource)))
        .with_help(
            "stop the other manager (systemctl disable --now opensm): it takes over, without these "
            "partitions, when the one of the document ends");
  }

  const NodeFacts& facts_;
  const ManagerState& state_;
  Diagnostics& diagnostics_;
};

std::vector<Probe> probes_of_subnet_manager() {
  return {pci_probe(), manager_state_probe(), manager_files_probe(), manager_digests_probe()};
}

bool subnet_manager_supports(const Resource& /*resource*/, std::string_view feature) {
  return feature == "adopt" || feature == kPartitions || feature.starts_with(kManagerOption);
}

std::vector<Observation> observe_subnet_manager(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const std::vector<Card>& cards = inventory_of(facts);
  ManagerState state = manager_state(facts);
  for (const Resource& resource : wanted) {
    const FoundPort found = find_port(cards, resource.binding);
    if (found.port != nullptr && found.port->port_guid) state.ours.insert(*found.port->port_guid);
  }
  Judge judge{facts, state, diagnostics};
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const ManagerOnPort manager{resource, cards, state};
    observation = observe_one(resource, manager);
    judge.judge(resource, manager);
  });
}

std::vector<Resource> subnet_manager_orphans(
    std::span<const Resource> wanted, const NodeFacts& facts) {
  FileTexts files = manager_state(facts).files;
  // The copy of a running manager is no file that makes anything.
  std::erase_if(files, [](const auto& file) { return file.first.starts_with("/run/"); });
  return left_in_files(files, facts.node, kinds::kSubnetManager, wanted);
}

// A manager that is to be removed still runs on its port, and may be the master of others.
std::map<std::string, std::string, std::less<>> subnet_manager_port_guids(
    const Resource& resource, const NodeFacts& facts) {
  const std::vector<Card>& cards = inventory_of(facts);
  const FoundPort found = find_port(cards, resource.binding);
  if (found.port == nullptr || !found.port->port_guid) return {};
  const std::vector<std::string_view> words = split(resource.address.name, '.');
  if (words.size() < 2) return {};
  return {
      {fmt::format("{}/{}/{}", facts.node.str(), words[words.size() - 2], words.back()),
       found.port->port_guid->str()}};
}

std::map<std::string, std::string, std::less<>> subnet_manager_noted_guids(
    const Resource& resource, const NodeFacts& facts) {
  if (resource.address.kind != kinds::kSubnetManager) return {};
  const FileTexts files = manager_state(facts).files;
  const std::string* text = text_at(files, manager_paths(resource.address).partitions);
  return text == nullptr ? std::map<std::string, std::string, std::less<>>{} : noted_members(*text);
}

std::map<std::string, Guid> subnet_manager_masters_heard(const NodeFacts& facts) {
  std::map<std::string, Guid> masters;
  for (const InfinibandPort& port : manager_state(facts).ports) {
    const bool has_master =
        port.master && port.master->manager && port.master->manager->state == SmState::master;
    if (has_master)
      masters.emplace(fmt::format("{}/{}", port.device, port.number), port.master->manager->guid);
  }
  return masters;
}

}  // namespace

// "subnet_manager": OpenSM on one InfiniBand port of a Linux host, with its partitions. Persistent
// values are those of this resource's files (manager_files.hpp); running values are those that
// OpenSM was started with. `manages`: the unit and its rule exist, and the manager on the port
// answers as master or standby; a running process proves nothing (E-ib-sminfo). Beside the desired
// attributes, running: `state` of the manager on the port ("master", "standby", "none") and
// `master`, the port GUID of the subnet's; `routed_by`, the engine that the manager reports for its
// routing ("none" if none could), and `routing_error`, the errors before that. Diagnostics:
// package-missing without opensm; sm-foreign-master where the port hears a master that the document
// does not have, sm-stray where that is on one of the document's nodes and has the lower priority;
// foreign-configuration where OpenSM has files of another program.
Provider subnet_manager_provider() {
  return {
      .kind = kinds::kSubnetManager,
      .probes = probes_of_subnet_manager,
      .supports = subnet_manager_supports,
      .observe = observe_subnet_manager,
      .orphans = subnet_manager_orphans,
      .relate = hand_over_subnets,
      .port_guids = subnet_manager_port_guids,
      .noted_guids = subnet_manager_noted_guids,
      .masters_heard = subnet_manager_masters_heard,
      // Every option needs a restart (E-opensm-restart), members of partitions do not
      // (E-opensm-reload); traffic continues meanwhile.
      .disruption = always(Disruption::runtime),
      .work = manager_work,
      .folders = {"/etc/opensm/", "/etc/systemd/system/", "/etc/udev/rules.d/"},
  };
}

}  // namespace fabric::providers
