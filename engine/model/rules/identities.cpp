// SPDX-License-Identifier: Apache-2.0
// Identities: what the cards of several nodes say they are.
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/model/rules/context.hpp"
#include "engine/model/rules/facts.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kIdentityRules[] = {
    {"identity-duplicate",
     Severity::error,
     RuleStage::plan,
     "Cards of two nodes have one GUID or one MAC address, or a card has a GUID of only ones or "
     "zeros, as after an image without GUIDs was burned. A subnet manager takes two ports with one "
     "GUID for one port, and two ports with one address take each other's frames. The hosts of a "
     "multi-host card share the card: its system image GUID shows that.",
     "E-ib-guid: InfiniBand Architecture 1.3, 4.1.1; E-mac-duplicate: IEEE 802; manual of "
     "the firmware tool, -guid and -mac",
     "Give the card its own identity with the firmware tool (flint -guid, -mac), as the label on "
     "it says."},
};

struct Owner {
  const NodeSpec* node;
  const AdapterFacts* adapter;
  std::uint32_t port;

  std::string text() const {
    return fmt::format("{}/{}/{}", node->name.str(), adapter->adapter, port);
  }
};

bool is_one_card(const AdapterFacts& one, const AdapterFacts& other) {
  return (!one.serial.empty() && one.serial == other.serial) ||
         (!one.system_image.empty() && one.system_image == other.system_image);
}

SourceRange place(const Owner& owner) {
  const AdapterSpec* adapter = owner.node->find_adapter(owner.adapter->adapter);
  return adapter == nullptr ? owner.node->range : adapter->range;
}

void report(const Owner& first, const Owner& second, const std::string& what, Diagnostics& found) {
  const About about{found, {second.node->name, second.adapter->adapter}};
  found
      .error(
          "identity-duplicate",
          place(second),
          fmt::format("{} and {} have the same {}", first.text(), second.text(), what))
      .with_note(place(first), "the other card")
      .with_help(
          "one card has the identity of the other: restore its own, which its label shows, with "
          "the firmware tool (flint -guid, -mac)");
}

bool is_nobodys(const Guid& guid) {
  return guid.bits() == 0 || guid.bits() == std::numeric_limits<std::uint64_t>::max();
}

class Identities {
 public:
  explicit Identities(Diagnostics& found) : found_{found} {}

  void add(const Owner& owner) {
    const auto mac = owner.adapter->macs.find(owner.port);
    if (mac != owner.adapter->macs.end()) take("MAC address " + mac->second.str(), owner);
    const auto guid = owner.adapter->port_guids.find(owner.port);
    if (guid == owner.adapter->port_guids.end()) return;
    if (!is_nobodys(guid->second)) return take("port GUID " + guid->second.str(), owner);
    const About about{found_, {owner.node->name, owner.adapter->adapter}};
    found_
        .error(
            "identity-duplicate",
            place(owner),
            fmt::format(
                "{} has the port GUID {}, which no card can have",
                owner.text(),
                guid->second.str()))
        .with_help("give the card its GUIDs, which its label shows, with the firmware tool");
  }

 private:
  // The ports of one node may share an address, as those of a bond do.
  void take(const std::string& what, const Owner& owner) {
    const auto [first, is_new] = owners_.emplace(what, owner);
    const Owner& other = first->second;
    if (is_new || other.node == owner.node || is_one_card(*other.adapter, *owner.adapter)) return;
    report(other, owner, what, found_);
  }

  Diagnostics& found_;
  std::map<std::string, Owner> owners_;
};

}  // namespace

RuleRows identity_rules() {
  return kIdentityRules;
}

void check_identities(
    const FabricSpec& spec, const std::vector<HostFacts>& hosts, Diagnostics& diagnostics) {
  Identities identities{diagnostics};
  for (const HostFacts& host : hosts) {
    const auto node = spec.nodes.find(host.node);
    if (node == spec.nodes.end()) continue;
    for (const AdapterFacts& adapter : host.adapters) {
      std::set<std::uint32_t> ports;
      for (const auto& [port, guid] : adapter.port_guids)
        ports.insert(port);
      for (const auto& [port, mac] : adapter.macs)
        ports.insert(port);
      for (const std::uint32_t port : ports)
        identities.add({&node->second, &adapter, port});
    }
  }
}

}  // namespace fabric::rules
