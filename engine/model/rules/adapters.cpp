// SPDX-License-Identifier: Apache-2.0
// Adapters: which card is meant, and the names of its interfaces.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/partition_ports.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kAdapterRules[] = {
    {"adapter-selector-invalid",
     Severity::error,
     RuleStage::document,
     "A selector does not have its form, so it would match no card.",
     "E-grammar: docs/document.md; E-ib-guid: InfiniBand Architecture 1.3, 4.1.1; "
     "ibnetdiscover(8)",
     "Write pci as \"0000:5e:00.0\", a GUID as \"0x0002c903000e0b72\", a MAC address as "
     "\"24:8a:07:11:22:33\"."},
    {"adapter-selector-reused",
     Severity::error,
     RuleStage::document,
     "Two adapters of the document are selected by one identity, so one card would be "
     "configured twice.",
     "E-serial-reuse: Mellanox/nic-configuration-operator issue 496",
     "Correct one of the two."},
    {"adapter-ambiguous",
     Severity::warning,
     RuleStage::document,
     "A node has several cards of one family, and this adapter does not say which of them is "
     "meant. If the node does not show it either, the plan fails and lists the candidates.",
     "E-linux-names-move: nmstate issues 2380 and 2710",
     "Add pci, node_guid, mac or serial."},
    {"interface-name-reused",
     Severity::error,
     RuleStage::document,
     "Two ports of one node ask for one interface name.",
     "E-linux-names: systemd.net-naming-scheme(7); systemd.link(5)",
     "Give each port its own name."},
    {"interface-name-unfit",
     Severity::error,
     RuleStage::document,
     "The kernel gives names of the form eth0 by itself, and `lo` is there already. udev and the "
     "kernel race for such a name, and the winner differs from boot to boot. A name has at most 15 "
     "characters, of a VLAN too: the name of the bond or port, a dot and the number. ifupdown "
     "makes a "
     "VLAN of each interface of such a name.",
     "E-linux-names: systemd.net-naming-scheme(7); systemd.link(5)",
     "Choose a short name that the kernel does not give, such as `rail0` or `eth40a`."},
};

// An identity in its canonical spelling, or why it is none.
Result<std::string> canonical(std::string_view kind, const std::string& text) {
  if (kind == "pci") return FABRIC_TRY(PciAddress::parse(text)).str();
  if (kind == "mac") {
    const MacAddress mac = FABRIC_TRY(MacAddress::parse(text));
    constexpr std::uint64_t kAllOnes = 0xffff'ffff'ffff;
    if (mac.bits() == 0 || mac.bits() == kAllOnes)
      return Error{ErrorCode::invalid, fmt::format("'{}' is the address of no card", text)};
    return mac.str();
  }
  if (kind == "node_guid") {
    const Guid guid = FABRIC_TRY(Guid::parse(text));
    if (guid.bits() == 0 || guid.bits() == std::numeric_limits<std::uint64_t>::max())
      return Error{ErrorCode::invalid, fmt::format("'{}' is the GUID of no card", text)};
    return guid.str();
  }
  return text;
}

struct Selected {
  const NodeSpec* node;
  const AdapterSpec* adapter;
  SourceRange range;
};

// The key for an identity of a card. A PCI address counts on its own node only, where the functions
// of one device are one card.
std::string key_of(const NodeSpec& node, std::string_view kind, const std::string& identity) {
  if (kind != "pci") return fmt::format("{} {}", kind, identity);
  return fmt::format(
      "{} {} {}", kind, node.name.str(), PciAddress::parse(identity)->with_function(0).str());
}

// `taken` is keyed by key_of().
void check_selector(
    const NodeSpec& node,
    const AdapterSpec& adapter,
    std::map<std::string, Selected>& taken,
    Diagnostics& diagnostics) {
  const AdapterSelector& selector = adapter.selector;
  const std::pair<std::string_view, const Sourced<std::string>*> all[] = {
      {"pci", &selector.pci},
      {"node_guid", &selector.node_guid},
      {"mac", &selector.mac},
      {"serial", &selector.serial}};
  for (const auto& [kind, value] : all) {
    if (value->value.empty()) continue;
    const Result<std::string> identity = canonical(kind, value->value);
    if (!identity) {
      diagnostics
          .error(
              "adapter-selector-invalid",
              value->range,
              fmt::format(
                  "{} of adapter {} of {}: {}",
                  kind,
                  adapter.name,
                  node.name.str(),
                  identity.error().message))
          .with_help(
              "write pci as \"0000:5e:00.0\", node_guid as \"0x0002c903000e0b72\", mac as "
              "\"24:8a:07:11:22:33\"");
      continue;
    }
    if (kind == "pci" && node.adapters->size() < 2) continue;
    const std::string key = key_of(node, kind, *identity);
    const auto [found, fresh] = taken.emplace(key, Selected{&node, &adapter, value->range});
    if (fresh) continue;
    diagnostics
        .error(
            "adapter-selector-reused",
            value->range,
            fmt::format(
                "adapter {} of {} has the {} of adapter {} of {}, {}",
                adapter.name,
                node.name.str(),
                kind,
                found->second.adapter->name,
                found->second.node->name.str(),
                *identity))
        .with_note(found->second.range, "the other adapter")
        .with_help("one card is one adapter; correct one of the two");
  }
}

// False, and reported: the card has no such port.
bool check_port(
    const NodeSpec& node,
    const AdapterSpec& adapter,
    std::uint32_t port,
    const Sourced<std::string>& named,
    Diagnostics& diagnostics) {
  if (port <= adapter.ports.value || adapter.ports.value == 0) return true;
  diagnostics
      .error(
          "port-unknown",
          named.range,
          fmt::format(
              "adapter {} of {} has no port {}, which {} is for",
              adapter.name,
              node.name.str(),
              port,
              named.value))
      .with_note(
          is_known(adapter.ports.range) ? adapter.ports.range : adapter.range,
          "the adapter is declared here");
  return false;
}

void check_port_guids(
    const NodeSpec& node,
    const AdapterSpec& adapter,
    std::map<std::string, Selected>& taken,
    Diagnostics& diagnostics) {
  for (const auto& [port, text] : adapter.port_guids) {
    if (!check_port(node, adapter, port, text, diagnostics)) continue;
    const Result<Guid> guid = Guid::parse(text.value);
    if (!guid) {
      diagnostics
          .error(
              "adapter-selector-invalid",
              text.range,
              fmt::format(
                  "port_guid of {}/{}/{}: {}",
                  node.name.str(),
                  adapter.name,
                  port,
                  guid.error().message))
          .with_help("write port_guid as {1: \"0x0002c903000e0b73\"}");
      continue;
    }
    const auto [found, fresh] =
        taken.emplace("port_guid " + guid->str(), Selected{&node, &adapter, text.range});
    if (fresh) continue;
    diagnostics
        .error(
            "adapter-selector-reused",
            text.range,
            fmt::format(
                "{}/{}/{} has the port_guid of a port of adapter {} of {}, {}",
                node.name.str(),
                adapter.name,
                port,
                found->second.adapter->name,
                found->second.node->name.str(),
                guid->str()))
        .with_note(found->second.range, "the other port")
        .with_help("a GUID is of one port; correct one of the two");
  }
}

void check_ambiguity(const NodeSpec& node, Diagnostics& diagnostics) {
  if (node.adapters->size() < 2) return;
  std::map<std::string, std::vector<const AdapterSpec*>> families;
  for (const AdapterSpec& adapter : *node.adapters) {
    if (adapter.hardware != nullptr) families[adapter.hardware->family].push_back(&adapter);
  }
  for (const auto& [family, adapters] : families) {
    if (adapters.size() < 2) continue;
    for (const AdapterSpec* adapter : adapters) {
      if (!adapter->selector.empty()) continue;
      const AdapterSpec* other = adapter == adapters.front() ? adapters[1] : adapters.front();
      diagnostics
          .warning(
              "adapter-ambiguous",
              adapter->range,
              fmt::format(
                  "{} has {} adapters of one family; no key says which card '{}' is",
                  node.name.str(),
                  adapters.size(),
                  adapter->name))
          .with_note(other->range, "another one")
          .with_help("add pci, node_guid, mac or serial");
      break;
    }
  }
}

// "eth0", and what every machine has.
bool is_of_kernel(std::string_view name) {
  constexpr std::string_view kKernel = "eth";
  if (name == "lo" || name == "all" || name == "default") return true;
  return name.starts_with(kKernel) && name.size() > kKernel.size() &&
         name.find_first_not_of("0123456789", kKernel.size()) == std::string_view::npos;
}

// The bonds that the node gets, and the VLANs on bonds and on ports with a name, by their names.
std::map<std::string, SourceRange> made_names(const Context& context, const NodeSpec& node) {
  std::map<std::string, SourceRange> made;
  for (const auto& [name, network] : context.spec().networks) {
    const LagSpec* lag = lag_of(network);
    if (lag != nullptr && is_made_elsewhere(network, node)) continue;
    for (const PortRef& port : context.members(network)) {
      const AdapterSpec* adapter = port.node == node.name ? context.adapter(port) : nullptr;
      if (adapter == nullptr) continue;
      const auto called = adapter->names.find(
          static_cast<std::uint32_t>(parse_unsigned(port.port, 10).value_or(0)));
      std::string parent = called == adapter->names.end() ? "" : called->second.value;
      if (lag != nullptr) {
        parent = lag->bond.value;
        made.emplace(parent, is_known(lag->bond.range) ? lag->bond.range : network.range);
      }
      if (parent.empty()) continue;
      for (const VlanSpec& vlan : network.vlans) {
        const PartitionSpec* carrier = find_partition(network, vlan.partition.value);
        if (network.mode.value != Mode::infiniband) {
          made.emplace(fmt::format("{}.{}", parent, vlan.id.value), vlan.id.range);
        } else if (carrier != nullptr && carrier->pkey.value > 0) {
          constexpr std::int64_t kFullMember = 0x8000;
          made.emplace(
              fmt::format("{}.{:04x}", parent, carrier->pkey.value | kFullMember), vlan.range);
        }
      }
    }
  }
  return made;
}

void check_names(const Context& context, const NodeSpec& node, Diagnostics& diagnostics) {
  std::map<std::string, SourceRange> taken;
  const bool has_names =
      std::any_of(node.adapters->begin(), node.adapters->end(), [](const AdapterSpec& adapter) {
        return !adapter.names.empty();
      });
  if (has_names) taken = made_names(context, node);
  for (const AdapterSpec& adapter : *node.adapters) {
    for (const auto& [port, name] : adapter.names) {
      check_port(node, adapter, port, name, diagnostics);
      const auto [found, fresh] = taken.emplace(name.value, name.range);
      if (is_of_kernel(name.value) || (fresh && is_vlan_name(name.value))) {
        diagnostics
            .error(
                "interface-name-unfit",
                name.range,
                fmt::format(
                    "port {} of {} can't be named {}: {}",
                    port,
                    node.name.str(),
                    name.value,
                    is_of_kernel(name.value) ? "the kernel gives that name by itself"
                                             : "ifupdown makes a VLAN of it"))
            .with_help("choose another name, for example rail0 or eth40a");
      }
      if (fresh) continue;
      diagnostics
          .error(
              "interface-name-reused",
              name.range,
              fmt::format("two interfaces of {} should be named {}", node.name.str(), name.value))
          .with_note(found->second, "the first")
          .with_help("give each port its own name");
    }
  }
}

}  // namespace

RuleRows adapter_rules() {
  return kAdapterRules;
}

void check_adapters(const Context& context, Diagnostics& diagnostics) {
  std::map<std::string, Selected> taken;
  for (const auto& [name, node] : context.spec().nodes) {
    const About about{diagnostics, name};
    for (const AdapterSpec& adapter : *node.adapters) {
      const About card{diagnostics, {name, adapter.name}};
      check_selector(node, adapter, taken, diagnostics);
      check_port_guids(node, adapter, taken, diagnostics);
    }
    check_ambiguity(node, diagnostics);
    check_names(context, node, diagnostics);
  }
}

}  // namespace fabric::rules
