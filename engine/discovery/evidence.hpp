// SPDX-License-Identifier: Apache-2.0
// Evidence: the readings of the document's ports by their nodes, gathered once for all judgements.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/platform/host_network.hpp"
#include "engine/platform/neighbour.hpp"

namespace fabric::discovery {

// The name of a switch's port by LLDP, compared with the document's.

enum class Told : std::uint8_t {
  unknown,  // the two can't be compared: a MAC, a number of the vendor's own, a name by itself
  other,    // however it is read, another port
  same
};
// `port` in the document's form: "7", "1/7", "swp4s0". The kind of the id counts: a MAC or a local
// number names no port, and then its description is compared.
Told compare_port(const Neighbour& neighbour, std::string_view port);
// The neighbour's port as a document writes it; nullopt if it can't be read.
std::optional<std::string> told_port(const Neighbour& neighbour);

struct PortEvidence {
  std::optional<NetDevice> device;
  std::optional<PciAddress> card;  // PCI address of the card's first function
  std::string why_unknown;         // if there is no device: "pve3 was not reached: ..."
  // The neighbours by LLDP at the other end.
  std::vector<Neighbour> neighbours;

  std::optional<bool> carrier() const { return device ? device->carrier : std::nullopt; }
  // True if the port was set down, so that it can show no carrier.
  bool is_shut() const { return device && !device->carrier && device->operstate == "down"; }
};

struct NodeEvidence {
  bool reached = false;
  std::string why_not;   // the failure of discovery
  std::string hostname;  // the node's own name in LLDP
  std::vector<NetDevice> devices;
  bool lldp = false;  // lldpcli answered
  std::string why_no_lldp;
};

class Evidence {
 public:
  Evidence(const FabricSpec& spec, const Snapshot& snapshot);

  // The evidence of a node or port; of an unknown one, the reason.
  const NodeEvidence& node(const NodeName& name) const;
  PortEvidence port(const PortRef& port) const;
  // True if the node was reached and lists all its network devices, so that any other is missing.
  bool lists_devices(const NodeName& node) const;
  // The neighbours that a switch heard at one of its ports, by whatever name the switch has for the
  // port; none if the switch was not asked.
  std::vector<Neighbour> heard_at_switch(const PortRef& port) const;
  // The document's port that a neighbour describes; nullopt if it describes none, or several.
  std::optional<PortRef> identify(const Neighbour& neighbour) const;
  // Compares the neighbour with this port. Unknown if the other end was not read and can't be
  // recognised, or if its own name or that of its port can't be mapped.
  Told compare(const Neighbour& neighbour, const PortRef& expected) const;
  // The document's only node with the neighbour's name; null if there is none or more than one.
  const NodeSpec* owner(const Neighbour& neighbour) const;
  // True if the neighbour is identified by the address of a port of the document, whatever name it
  // gives itself.
  bool is_known_by_mac(const Neighbour& neighbour) const;
  // The running firmware of the adapter behind a port; "" = unknown.
  std::string firmware(const NodeName& node, const std::string& adapter) const;
  // The reading of an attribute of the adapter, "pcie_speed"; "" = unknown.
  std::string adapter_text(
      const NodeName& node, const std::string& adapter, std::string_view attribute) const;
  // True if the resource was observed.
  bool observed(const ResourceAddress& address) const;
  // The reading of a provider for a resource, {node, "bond", "bond0"}, "mtu"; null = not observed.
  const Reading* running(const ResourceAddress& address, std::string_view attribute) const;
  // running() as text; "" = unknown.
  std::string running_text(const ResourceAddress& address, std::string_view attribute) const;
  // The running value of a card's setting as text; "" = unknown.
  std::string setting(
      const NodeName& node, const std::string& adapter, std::string_view name) const;

 private:
  std::vector<const NodeSpec*> owners(const Neighbour& neighbour) const;
  bool is_known_by_name(const NodeSpec& node) const;
  void index_names();
  std::optional<PortRef> host_port(const Neighbour& neighbour, const NodeName& node) const;
  std::optional<PortRef> with_mac_of(const Neighbour& neighbour) const;
  void read_nodes();
  void index_ports(const NodeSpec& node, const std::set<PortRef>& infiniband);
  void index_front_port(const PortRef& port);
  std::optional<PciAddress> pci_of(const NodeName& node, const AdapterSpec& adapter) const;

  const FabricSpec& spec_;
  const Snapshot& snapshot_;
  std::map<NodeName, NodeEvidence> nodes_;
  std::map<NodeName, std::vector<Neighbour>> neighbours_;
  std::map<PortRef, NetDevice> devices_;
  std::map<PortRef, PciAddress> cards_;
  std::map<MacAddress, PortRef> by_mac_;
  std::map<NodeName, std::set<PortRef>> switch_ports_;  // ports of switches in the document
  // Nodes by name in lower case: by their names in the document, and by their host names too.
  std::map<std::string, std::vector<const NodeSpec*>> own_names_, by_name_;
  std::set<std::string> chassis_names_;  // in lower case, of all neighbours heard
};

// True if the document releases the node: nothing of it is judged.
bool is_absent(const FabricSpec& spec, const NodeName& node);

// True if an end of the cable is a node that is known to be offline, or a host that is released: it
// may be dark, and nothing that has to cross it is expected to.
bool leads_to_offline(const FabricSpec& spec, const CableSpec& cable);

}  // namespace fabric::discovery
