// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/link_statements.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/address.hpp"
#include "engine/model/lag_options.hpp"
#include "engine/model/resource_keys.hpp"
#include "providers/linux/kinds/interface/backends/backend_signs.hpp"
#include "providers/linux/kinds/interface/bound.hpp"
#include "providers/linux/kinds/interface/live_claims.hpp"
#include "providers/linux/kinds/interface/live_options.hpp"
#include "providers/linux/kinds/interface/statements/file_statement.hpp"

namespace fabric::providers {

namespace {

// "fd00:0:0::1/64" and "fd00::1/64" are one.
std::string canonical(const std::string& address) {
  const std::size_t slash = address.find('/');
  const Result<IpAddress> parsed = IpAddress::parse(std::string_view{address}.substr(0, slash));
  if (!parsed) return address;
  return parsed->str() + (slash == std::string::npos ? "" : address.substr(slash));
}

std::string canonical_route(const std::string& route) {
  const std::size_t space = route.find(' ');
  const Result<Subnet> to = Subnet::of_destination(route.substr(0, space));
  return (to ? to->str() : route.substr(0, space)) + " " + canonical(route.substr(space + 1));
}

constexpr std::string_view kBondOptions[] = {
    "mode",
    "miimon",
    "updelay",
    "downdelay",
    "min_links",
    "lacp_rate",
    "hash_policy",
    "ad_select",
    "primary"};

bool is_bond_option(std::string_view attribute) {
  return std::find(std::begin(kBondOptions), std::end(kBondOptions), attribute) !=
         std::end(kBondOptions);
}

// The running attributes of an interface that a file can have.
constexpr std::string_view kCompared[] = {
    "addresses",
    "gateway",
    "gateway6",
    "routes",
    "mtu",
    "updelay",
    "downdelay",
    "min_links",
    "lacp_rate",
    "hash_policy",
    "ad_select",
    "primary"};

// A running value that is not the kernel's default; null = there is none.
const Value* beyond_kernel(
    const RunningAttributes& running, const std::string& attribute, const LinkTarget& target) {
  const auto found = running.find(attribute);
  const Value* value = found == running.end() ? nullptr : found->second.value();
  if (value == nullptr || *value == Value{List{}}) return nullptr;
  const std::optional<Value> own = kernels_own(attribute, target);
  // The author of a value that drivers choose is unknown.
  if (attribute == "mtu" && !own) return nullptr;
  return own && *own == *value ? nullptr : value;
}

bool is_a_port(const RunningLinks& links, const std::string& device) {
  return !links.master(device).empty();
}

// The bond or bridge that has it as a port decides about these.
bool is_decided_above(std::string_view attribute) {
  return attribute == "mtu" || attribute == "addresses" || attribute == "routes" ||
         attribute.starts_with("gateway");
}

class Judge {
 public:
  Judge(
      const Resource& resource,
      const LinkTarget& target,
      const LinkConfig& wanted,
      const std::set<std::tuple<std::string, std::string, std::string>>& ours)
      : resource_{resource},
        target_{target},
        wanted_{wanted},
        attributes_{attributes_of(wanted, target)},
        ours_{ours} {
    for (const std::string& address : wanted.addresses)
      addresses_.insert(canonical(address));
    for (const Route& route : wanted.routes) {
      if (route.table == 0) routes_.insert(canonical_route(route.to + " " + route.via));
    }
  }

  // Pairs addresses that the document does not have with addresses of the document, one for one.
  void pair_addresses(const std::vector<FileStatement>& all) {
    std::set<std::string> found;
    for (const FileStatement& each : all) {
      if (each.attribute == said::kGateway)
        first_gateway_.try_emplace(is_ipv6(each.meaning), canonical(each.meaning));
      if (each.attribute != said::kAddress) continue;
      found.insert(canonical(each.meaning));
      first_address_.try_emplace(is_ipv6(each.meaning), canonical(each.meaning));
    }
    std::vector<std::string> free;
    for (const std::string& address : addresses_) {
      if (!found.contains(address)) free.push_back(address);
    }
    for (const std::string& address : found) {
      if (addresses_.contains(address)) continue;
      const auto instead = std::ranges::find_if(
          free, [&address](const auto& each) { return is_ipv6(each) == is_ipv6(address); });
      if (instead == free.end()) continue;
      instead_of_.emplace(address, *instead);
      free.erase(instead);
    }
  }

  void judge(Statement& statement, const FileStatement& read) const {
    if (read.attribute == said::kNothing ||
        ours_.contains(std::tuple{read.key, read.value, read.context})) {
      statement.said = StatementClass::said;
    } else if (read.attribute == said::kAddress) {
      address(statement, canonical(read.meaning));
    } else if (read.attribute == said::kGateway) {
      gateway(statement, read.meaning);
    } else if (read.attribute == said::kRoute) {
      route(statement, canonical_route(read.meaning));
    } else if (read.attribute == said::kSlave) {
      slave(statement, read.meaning);
    } else if (read.attribute == said::kMaster) {
      const bool same = read.meaning == wanted_.master || read.meaning == target_.bridge;
      if (same) statement.said = StatementClass::said;
    } else if (read.attribute == said::kName) {
      if (read.meaning == target_.name) statement.said = StatementClass::said;
      if (read.meaning != target_.name) otherwise(statement, target_.name);
    } else if (read.attribute == said::kFunctions) {
      functions(statement, read.meaning);
    } else if (read.attribute == said::kPrimarySlave) {
      primary(statement);
    } else if (read.attribute == said::kChildren) {
      children(statement, read.meaning);
    } else if (read.attribute == "vlan") {
      vlan(statement, read.meaning);
    } else if (read.attribute != said::kUnknown) {
      scalar(statement, read.attribute, read.meaning);
    }
  }

 private:
  static void otherwise(Statement& statement, std::string instead) {
    statement.said = StatementClass::said_otherwise;
    statement.instead = std::move(instead);
  }

  // The document's path of this interface's keys: "networks: {storage: {%}}".
  void sayable(Statement& statement, std::string_view yaml) const {
    const std::string network = bound_text(resource_, keys::kNetwork);
    // A port of a bond has no IP of its own, and its bond's MTU.
    if (network.empty() || !wanted_.master.empty()) return;
    statement.said = StatementClass::sayable;
    statement.instead = fmt::format("networks: {{{}: {{{}}}}}", network, yaml);
  }

  // The same for keys of the IP configuration of this interface.
  void sayable_of_ip(Statement& statement, bool ipv6, std::string_view yaml) const {
    const std::string ip = fmt::format("{}: {{{}}}", ipv6 ? "ipv6" : "ipv4", yaml);
    const bool plain = target_.kind != LinkKind::vlan && !target_.infiniband;
    if (target_.kind == LinkKind::ipoib_child || (ipv6 && !plain)) return;  // there is no such key
    if (target_.kind == LinkKind::vlan) {
      const std::string rest =
          resource_.address.name.str().substr(bound_text(resource_, keys::kNetwork).size() + 1);
      return sayable(
          statement, fmt::format("vlans: {{{}: {{{}}}}}", rest.substr(0, rest.find('.')), ip));
    }
    if (target_.infiniband) return sayable(statement, fmt::format("ipoib: {{{}}}", ip));
    sayable(statement, ip);
  }

  static std::string by_slash(std::string label) {
    std::replace(label.begin(), label.end(), '.', '/');
    return label;
  }

  // As `addresses` of the document names it: "n1", or "n1/cx5/1".
  std::string station() const {
    const std::string node = resource_.address.node.str();
    if (target_.kind != LinkKind::port) return node;
    return node + "/" + by_slash(resource_.address.name.str());
  }

  void address(Statement& statement, const std::string& address) const {
    if (addresses_.contains(address)) {
      statement.said = StatementClass::said;
    } else if (const auto other = instead_of_.find(address); other != instead_of_.end()) {
      otherwise(statement, other->second);
    } else {
      const bool ipv6 = is_ipv6(address);
      const bool has_one =
          std::ranges::any_of(addresses_, [ipv6](const auto& a) { return is_ipv6(a) == ipv6; });
      const Result<Subnet> subnet = Subnet::of_address(address);
      // An interface has one address of each family, and a network more than two.
      const std::uint32_t bits = ipv6 ? 128 : 32;
      if (has_one || !subnet || subnet->prefix_length() + 1 >= bits ||
          !is_first(first_address_, address))
        return;
      sayable_of_ip(
          statement,
          ipv6,
          fmt::format(
              "subnet: \"{}\", addresses: {{{}: \"{}\"}}",
              subnet->str(),
              station(),
              address.substr(0, address.find('/'))));
    }
  }

  // The first one of its family: a network has one subnet and one gateway of each.
  static bool is_first(const std::map<bool, std::string>& of_family, const std::string& text) {
    const auto first = of_family.find(is_ipv6(text));
    return first != of_family.end() && first->second == canonical(text);
  }

  // `validate` wants a gateway in the subnet of the network, or in that of the address that is
  // shown beside it.
  bool is_in_reach(const std::string& via) const {
    const bool ipv6 = is_ipv6(via);
    const auto has_it = [&via](const std::string& address) {
      const Result<Subnet> subnet = Subnet::of_address(address);
      const Result<IpAddress> there = IpAddress::parse(via);
      return subnet && there && subnet->contains(*there);
    };
    const auto is_alike = [ipv6](const std::string& address) {
      return is_ipv6(address) == ipv6;
    };
    if (std::ranges::any_of(addresses_, is_alike)) return std::ranges::any_of(addresses_, has_it);
    const auto first = first_address_.find(ipv6);
    return first != first_address_.end() && has_it(first->second);
  }

  void gateway(Statement& statement, const std::string& gateway) const {
    const bool ipv6 = is_ipv6(gateway);
    const std::string& wanted = ipv6 ? wanted_.gateway6 : wanted_.gateway;
    if (canonical(wanted) == canonical(gateway)) {
      statement.said = StatementClass::said;
    } else if (!wanted.empty()) {
      otherwise(statement, wanted);
    } else if (is_first(first_gateway_, gateway) && is_in_reach(gateway)) {
      sayable_of_ip(statement, ipv6, fmt::format("gateway: \"{}\"", gateway));
    }
  }

  void route(Statement& statement, const std::string& route) const {
    const std::string to = route.substr(0, route.find(' ') + 1);
    const auto same = std::ranges::find_if(
        routes_, [&to](const std::string& each) { return each.starts_with(to); });
    if (same == routes_.end()) {
      if (!is_in_reach(route.substr(to.size()))) return;
      sayable_of_ip(
          statement,
          is_ipv6(to),
          fmt::format(
              "routes: [{{to: \"{}\", via: \"{}\"}}]",
              to.substr(0, to.size() - 1),
              route.substr(to.size())));
    } else if (*same == route) {
      statement.said = StatementClass::said;
    } else {
      otherwise(statement, *same);
    }
  }

  void slave(Statement& statement, const std::string& name) const {
    const bool same = std::ranges::any_of(target_.slaves, [&name](const Slave& each) {
      return each.name == name || (each.port != nullptr && each.port->netdev == name);
    });
    if (same) {
      statement.said = StatementClass::said;
    } else if (target_.kind == LinkKind::bond) {
      std::vector<std::string> names;
      for (const Slave& each : target_.slaves)
        names.push_back(called(each));
      otherwise(statement, join(names, " "));
    }
  }

  void functions(Statement& statement, const std::string& count) const {
    const std::string wanted = resource_.bound_text(keys::kVfs);
    const std::string name = resource_.address.name.str();
    if (wanted == count) {
      statement.said = StatementClass::said;
    } else if (!wanted.empty()) {
      otherwise(statement, wanted);
    } else if (target_.kind == LinkKind::port && parse_unsigned(count, 10)) {
      statement.said = StatementClass::sayable;
      statement.instead = fmt::format(
          "nodes: {{{}: {{adapters: {{{}: {{sriov: {{vfs: {}}}}}}}}}}}",
          resource_.address.node.str(),
          name.substr(0, name.rfind('.')),
          count);
    }
  }

  void primary(Statement& statement) const {
    const bool same = !bound_text(resource_, keys::kPrimary).empty();
    statement.said = same ? StatementClass::said : StatementClass::sayable;
    const std::string name = resource_.address.name.str();
    if (!same)
      statement.instead = fmt::format(
          "networks: {{{}: {{{}: {{{}primary: {}}}}}}}{}",
          bound_text(resource_, keys::kNetwork),
          target_.infiniband ? "ipoib" : "lag",
          target_.infiniband ? "bond: {" : "",
          by_slash(name),
          target_.infiniband ? "}" : "");
  }

  void children(Statement& statement, const std::string& numbers) const {
    const List& ids = resource_.bound_list(keys::kVlans);
    const auto is_ours = [&ids](std::string_view number) {
      return std::ranges::any_of(
          ids, [number](const Value& each) { return to_text(each) == number; });
    };
    const std::vector<std::string_view> all = split_words(numbers);
    if (std::ranges::all_of(all, is_ours)) statement.said = StatementClass::said;
  }

  // For networkd, whose interfaces name the VLANs on them.
  void vlan(Statement& statement, const std::string& name) const {
    for (const Value& id : resource_.bound_list(keys::kVlans)) {
      if (name == fmt::format("{}.{}", target_.name, to_text(id)))
        statement.said = StatementClass::said;
    }
  }

  void scalar(Statement& statement, std::string_view attribute, const std::string& meaning) const {
    if (attribute == "parent") {
      if (meaning == target_.parent) statement.said = StatementClass::said;
      if (meaning != target_.parent) otherwise(statement, target_.parent);
      return;
    }
    const auto found = attributes_.find(attribute);
    if (found == attributes_.end()) return unsaid(statement, attribute, meaning);
    const std::string wanted = to_text(found->second);
    const bool same = attribute == "primary"
                          ? interface_of(target_, wanted) == interface_of(target_, meaning)
                          : wanted == meaning;
    if (same) {
      statement.said = StatementClass::said;
    } else {
      otherwise(statement, wanted);
    }
  }

  void unsaid(Statement& statement, std::string_view attribute, const std::string& meaning) const {
    const std::optional<Value> own = kernels_own(attribute, target_);
    const bool option = is_bond_option(attribute);
    // A bond of this policy does without it.
    const bool idle = option && wanted_.bond && find_bond_policy(wanted_.bond->mode) != nullptr &&
                      !policy_has(wanted_.bond->mode, attribute);
    if (idle || (own && to_text(*own) == meaning)) {
      statement.said = StatementClass::said;
    } else if (option && target_.kind == LinkKind::bond && attribute == "primary") {
      const auto slave = std::ranges::find_if(target_.slaves, [&](const Slave& each) {
        return each.name == meaning || each.port->netdev == meaning || each.label == meaning;
      });
      if (slave == target_.slaves.end()) return;
      const char* yaml =
          target_.infiniband ? "ipoib: {{bond: {{primary: {}}}}}" : "lag: {{primary: {}}}";
      sayable(statement, fmt::format(fmt::runtime(yaml), by_slash(slave->label)));
    } else if (option && target_.kind == LinkKind::bond && !target_.infiniband) {
      sayable(statement, fmt::format("lag: {{{}: {}}}", attribute, meaning));
    } else if (attribute == said::kMtu && parse_unsigned(meaning, 10).value_or(0) == 0) {
      return;
    } else if (attribute == said::kMtu && target_.infiniband) {
      sayable(statement, fmt::format("ipoib: {{mtu: {}}}", meaning));
    } else if (attribute == said::kMtu && target_.kind != LinkKind::ipoib_child) {
      sayable(statement, fmt::format("mtu: {}", meaning));
    } else if (attribute == "ipoib_mode" && target_.infiniband) {
      sayable(statement, fmt::format("ipoib: {{mode: {}}}", meaning));
    }
  }

  const Resource& resource_;
  const LinkTarget& target_;
  const LinkConfig& wanted_;
  Map attributes_;
  const std::set<std::tuple<std::string, std::string, std::string>>& ours_;
  std::set<std::string> addresses_, routes_;
  std::map<std::string, std::string> instead_of_;
  std::map<bool, std::string> first_address_, first_gateway_;  // by whether they are of IPv6
};

// The running values, one by one, as statements of files.
std::vector<FileStatement> running_statements(
    const LinkTarget& target,
    const RunningAttributes& running,
    const RunningLinks& links,
    const std::string& device) {
  std::vector<FileStatement> all;
  const auto add = [&all](std::string_view key, std::string_view attribute, std::string meaning) {
    std::string value = meaning;
    all.push_back({{}, 0, std::string{key}, std::move(value), {}, attribute, std::move(meaning)});
  };
  const std::string master = links.master(device);
  const bool theirs = !master.empty() && target.kind == LinkKind::port && master != target.bond;
  if (theirs) add("master", said::kMaster, master);
  for (const std::string_view attribute : kCompared) {
    if (!master.empty() && is_decided_above(attribute)) continue;
    // A VLAN has the MTU of the interface below.
    if (target.kind == LinkKind::vlan && attribute == "mtu") continue;
    const Value* value = beyond_kernel(running, std::string{attribute}, target);
    if (value == nullptr) continue;
    const List* list = value->as_list();
    if (attribute == "addresses") {
      for (const Value& each : list == nullptr ? List{} : *list)
        add("address", said::kAddress, to_text(each));
    } else if (attribute == "routes") {
      for (const Value& each : list == nullptr ? List{} : *list)
        add("route",
            each.find("table") == nullptr && each.find("hops") == nullptr ? said::kRoute
                                                                          : said::kUnknown,
            each.string_or_empty("to") + " " + each.string_or_empty("via"));
    } else if (attribute.starts_with("gateway")) {
      add("gateway", said::kGateway, to_text(*value));
    } else {
      add(attribute, attribute, to_text(*value));
    }
  }
  return all;
}

// The key for `adopt: {drop: ["running KEY"]}`.
std::string live_key(std::string_view attribute) {
  if (attribute == "table_routes") return "route";
  if (attribute == "queueing") return "qdisc";
  return std::string{
      attribute.ends_with('s') ? attribute.substr(0, attribute.size() - 1) : attribute};
}

bool is_explained(const FileStatement& runs, const std::vector<FileStatement>& files) {
  return std::ranges::any_of(files, [&runs](const FileStatement& each) {
    return each.attribute == runs.attribute &&
           (each.meaning == runs.meaning || canonical(each.meaning) == canonical(runs.meaning));
  });
}

}  // namespace

std::vector<Statement> link_statements(
    const Resource& resource,
    const FoundLink& link,
    const NetworkBackend& backend,
    const std::vector<ForeignEntry>& entries,
    const NodeFacts& facts) {
  const LinkTarget& target = link.target;
  const FileTexts& files = network_files(facts);
  const LinkConfig wanted = config_of(resource, target);
  std::set<std::tuple<std::string, std::string, std::string>> ours;
  for (const ConfigFile& file : backend.render(target, wanted)) {
    for (const FileStatement& each :
         file_statements(target, {file.path}, {{file.path, file.content}}))
      ours.emplace(each.key, each.value, each.context);
  }
  std::vector<FileStatement> read;
  for (const ForeignEntry& entry : entries) {
    for (FileStatement& each : file_statements(target, entry, files))
      read.push_back(std::move(each));
  }
  const RunningLinks& links = running_links(facts);
  if (!link.device.empty() && !has_file_of_ours(resource, files)) {
    const RunningAttributes running = running_attributes(facts, links, link.device, target);
    for (FileStatement& each : running_statements(target, running, links, link.device)) {
      if (!is_explained(each, read)) read.push_back(std::move(each));
    }
    // Whoever makes a VLAN names what it stands on; that name goes.
    const bool is_renamed =
        target.kind == LinkKind::port && target.is_named && link.device != target.name;
    for (const std::string& name :
         is_renamed ? links.above(link.device) : std::vector<std::string>{}) {
      if (const RunningLinks::Vlan* vlan = links.vlan(name))
        read.push_back({{}, 0, "vlan", name, {}, said::kChildren, std::to_string(vlan->id)});
    }
    for (const auto& [attribute, values] : live_attributes(link, links, facts, files, entries)) {
      for (const Value& value : *values.value()->as_list()) {
        const std::string text = to_text(value);
        if (!is_made_by(attribute, text, link.device, files, entries))
          read.push_back({{}, 0, live_key(attribute), text});
      }
    }
  }
  Judge judge{resource, target, wanted, ours};
  judge.pair_addresses(read);
  std::vector<Statement> statements;
  for (const FileStatement& each : read) {
    const std::string_view kind =
        each.file.empty() ? std::string_view{"running"} : statement_kind(each.file);
    Statement statement{std::string{kind}, each.key, each.value, each.file, each.line};
    judge.judge(statement, each);
    statements.push_back(std::move(statement));
  }
  return statements;
}

std::set<std::string> running_beyond(
    const Resource& resource,
    const FoundLink& link,
    const std::vector<ForeignEntry>& entries,
    const NodeFacts& facts) {
  std::set<std::string> attributes;
  const RunningLinks& links = running_links(facts);
  if (link.device.empty()) return attributes;
  const RunningAttributes running = running_attributes(facts, links, link.device, link.target);
  for (const std::string_view attribute : kCompared) {
    const std::string name{attribute};
    if (resource.desired.contains(name)) continue;
    if (is_a_port(links, link.device) && is_decided_above(attribute)) continue;
    if (link.target.kind == LinkKind::vlan && attribute == "mtu") continue;
    if (beyond_kernel(running, name, link.target) != nullptr) attributes.insert(name);
  }
  for (const auto& [attribute, values] :
       live_attributes(link, links, facts, network_files(facts), entries))
    attributes.insert(attribute);
  return attributes;
}

}  // namespace fabric::providers
