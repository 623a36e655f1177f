// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fmt/format.h>

#include "engine/provider/diagnose.hpp"
#include "engine/provider/orphan.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/interface/bound.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/linux/parsers/nft_ruleset.hpp"

namespace fabric::providers {

namespace {

// The provider of this kind with the kernel's keys, as for "sysctl".
const Provider& of_keys() {
  static const Provider row = sysctl_provider(kinds::kForwarding);
  return row;
}

constexpr std::string_view kForwardingFolder = "net/ipv4/conf/";
constexpr std::string_view kRulesProbe = "forward-rules";

// True for a key that fabric's file has recorded with its interface.
bool is_whole(std::string_view key) {
  return key.starts_with(kForwardingFolder);
}

// The same resource with the kernel's keys.
struct ByInterface {
  Resource resource;
  std::string name{};  // of the interface after the next boot; "" = see why
  std::string why{};
  bool is_there = false;    // an interface is called so now
  bool is_to_come = false;  // with the boot that gives the port its type

  std::string key(const std::string& attribute) const {
    return is_whole(attribute) ? attribute
                               : fmt::format("{}{}/{}", kForwardingFolder, name, attribute);
  }
  // The reverse, for a wanted key.
  std::string attribute(const std::string& key) const {
    const std::string own = fmt::format("{}{}/", kForwardingFolder, name);
    return !name.empty() && key.starts_with(own) ? key.substr(own.size()) : key;
  }
};

ByInterface by_interface(const Resource& resource, const std::vector<Card>& cards) {
  ByInterface found{resource};
  const FoundPort port = find_port(cards, resource.binding);
  const bool has_netdev =
      port.port != nullptr && !port.port->netdev.empty() && port.port->netdev_is_ethernet;
  found.name = bound_text(resource, keys::kName);
  if (found.name.empty() && has_netdev) found.name = port.port->netdev;
  found.is_there = has_netdev && port.port->netdev == found.name;
  found.is_to_come = found.name.empty() && port.port != nullptr;
  if (found.name.empty()) {
    found.why = port.port == nullptr ? port.why
                                     : fmt::format(
                                           "port {} of card {} has no interface yet",
                                           port.port->number,
                                           port.card->address.str());
  }
  found.resource.desired.clear();
  for (const auto& [attribute, desired] : resource.desired)
    found.resource.desired.emplace(found.key(attribute), desired);
  return found;
}

Observation all_unknown(const Resource& resource, const std::string& why, const Need& needs) {
  Observation observation{resource.address, {}};
  for (const auto& [attribute, desired] : resource.desired) {
    observation.attributes[attribute] = {
        Reading::unknown(why, needs), std::nullopt, Reading::unknown(why, needs)};
  }
  return observation;
}

std::vector<Probe> probes_of_forwarding() {
  std::vector<Probe> probes = of_keys().probes();
  probes.push_back(pci_probe());
  probes.push_back({std::string{kRulesProbe}, std::string{sh::probe_forward_rules.text}});
  return probes;
}

// How to let packets pass, in the words of the program that made the dropping chain.
std::string way_to_let_pass(
    const NftRuleset& rules, const NftChain& drops, std::string_view in, std::string_view out) {
  const auto has = [&](std::string_view name) {
    return rules.find(drops.family, drops.table, name) != nullptr;
  };
  if (has("DOCKER-USER"))
    return fmt::format("iptables -I DOCKER-USER -i {} -o {} -j ACCEPT", in, out);
  if (has("ufw-user-forward")) return fmt::format("ufw route allow in on {} out on {}", in, out);
  if (drops.table == "firewalld")
    return fmt::format(
        "firewall-cmd --permanent --zone=trusted --add-interface={} --add-interface={}", in, out);
  return fmt::format(
      "nft insert rule {} {} {} iifname {} oifname {} accept",
      drops.family,
      drops.table,
      drops.name,
      in,
      out);
}

// Packets from port to port of the network that a firewall or a runtime of containers does not let
// pass: each node is told once.
void report_dropped(
    std::span<const Resource> wanted,
    const std::vector<Card>& cards,
    const NodeFacts& facts,
    Diagnostics& diagnostics) {
  const NftRuleset& rules = facts.parsed_or_none(kRulesProbe, parse_nft_ruleset);
  if (rules.chains.empty()) return;
  for (const Resource& from : wanted) {
    for (const Resource& to : wanted) {
      if (&from == &to || is_orphan(from) || is_orphan(to) ||
          bound_text(from, keys::kNetwork) != bound_text(to, keys::kNetwork))
        continue;
      const std::string in = by_interface(from, cards).name;
      const std::string out = by_interface(to, cards).name;
      const NftChain* drops = in.empty() || out.empty() ? nullptr : drops_forwarded(rules, in, out);
      if (drops == nullptr) continue;
      diagnostics
          .warning(
              "transit-filtered",
              from.origin,
              fmt::format(
                  "{} is to forward from {} to {}, and chain {} of table {} {} drops these packets",
                  facts.node.str(),
                  in,
                  out,
                  drops->name,
                  drops->family,
                  drops->table))
          .with_help(
              "let it pass between all ports of the network, in both directions: " +
              way_to_let_pass(rules, *drops, in, out));
      return;
    }
  }
}

std::vector<Observation> observe_forwarding(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const std::vector<Card>& cards = inventory_of(facts);
  report_dropped(wanted, cards, facts, diagnostics);
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const ByInterface found = by_interface(resource, cards);
    if (found.name.empty() && !is_orphan(resource)) {
      observation = all_unknown(resource, found.why, {.boot = found.is_to_come});
      return;
    }
    const std::vector<Resource> one{found.resource};
    Observation seen = std::move(of_keys().observe(one, facts, diagnostics).front());
    for (auto& [key, reading] : seen.attributes) {
      const bool is_wanted = resource.desired.contains(found.attribute(key));
      // Parameters of an interface go with it.
      const bool gone = !is_wanted || !found.is_there;
      if (gone && reading.running && reading.running->is_unknown())
        reading.running = Reading::absent();
      observation.attributes.emplace(is_wanted ? found.attribute(key) : key, std::move(reading));
    }
  });
}

std::vector<Resource> forwarding_orphans(std::span<const Resource> wanted, const NodeFacts& facts) {
  const std::vector<Card>& cards = inventory_of(facts);
  std::vector<Resource> by_key;
  for (const Resource& resource : wanted)
    by_key.push_back(by_interface(resource, cards).resource);
  return of_keys().orphans(by_key, facts);
}

Result<Work> work_on_forwarding(const Change& change, const WorkContext& context) {
  const ByInterface found = by_interface(change.resource, inventory_of(context.facts));
  const bool removed = change.kind == ChangeKind::remove;
  if (!removed && (found.name.empty() || (!found.is_there && !context.reboot_planned)))
    return impossible(
        change.resource, found.name.empty() ? found.why : "no interface is called " + found.name);
  Change by_key = change;
  by_key.resource = found.resource;
  for (AttributeChange& each : by_key.attributes)
    each.attribute = found.key(each.attribute);
  Observation observation{context.observation.address, {}};
  for (const auto& [attribute, reading] : context.observation.attributes)
    observation.attributes.emplace(found.key(attribute), reading);
  Work work =
      FABRIC_TRY(of_keys().work(by_key, {context.facts, observation, context.reboot_planned}));
  for (ActionDraft& draft : work.actions) {
    for (std::vector<Condition>* conditions : {&draft.preconditions, &draft.postconditions}) {
      for (Condition& each : *conditions) {
        const std::string attribute = found.attribute(each.attribute);
        if (change.resource.desired.contains(attribute)) each.attribute = attribute;
      }
    }
  }
  return work;
}

}  // namespace

// "forwarding": kernel parameters of the interface of one port, in a drop-in of fabric with its
// name: systemd's udev rules apply it whenever an interface of that name appears.
Provider forwarding_provider() {
  Provider row = of_keys();
  row.probes = probes_of_forwarding;
  row.supports = [](const Resource&, std::string_view) {
    return false;
  };
  row.observe = observe_forwarding;
  row.orphans = forwarding_orphans;
  row.work = work_on_forwarding;
  return row;
}

}  // namespace fabric::providers
