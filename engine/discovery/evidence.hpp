// SPDX-License-Identifier: Apache-2.0
// Evidence: what the nodes say about the ports of the document, gathered once for all judgements.
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
#include "engine/platform/neighbour.hpp"
#include "engine/platform/net_device.hpp"

namespace fabric::discovery {

// What a switch calls a port of its own by LLDP, against what the document calls it.

enum class Told : std::uint8_t {
  unknown,  // the two can't be compared: a MAC, a number of the vendor's own, a name by itself
  other,    // in no way to read it is it that port
  same
};
// `port` as the document keeps it: "7", "1/7", "swp4s0". The kind of the id counts: a MAC or a
// local number names no port, and then the description beside it is asked.
Told compare_port(const Neighbour& neighbour, std::string_view port);
// How to write it in a document; nullopt where it can't be read.
std::optional<std::string> told_port(const Neighbour& neighbour);

struct PortEvidence {
  std::optional<NetDevice> device;
  std::optional<PciAddress> card;  // of the card's first function
  std::string why_unknown;         // when there is no device: "pve3 was not reached: ..."
  // What the other end said it is, and where that is in the document if that is known.
  std::vector<Neighbour> neighbours;

  std::optional<bool> carrier() const { return device ? device->carrier : std::nullopt; }
  // It was set down, so it can show no carrier.
  bool is_shut() const { return device && !device->carrier && device->operstate == "down"; }
};

struct NodeEvidence {
  bool reached = false;
  std::string why_not;   // the failure of discovery
  std::string hostname;  // as the node calls itself in LLDP
  std::vector<NetDevice> devices;
  bool lldp = false;  // lldpcli answered
  std::string why_no_lldp;
};

class Evidence {
 public:
  Evidence(const FabricSpec& spec, const Snapshot& snapshot);

  // Never null: for an unknown node or port the evidence says so.
  const NodeEvidence& node(const NodeName& name) const;
  PortEvidence port(const PortRef& port) const;
  // It was reached and lists all its network devices, so that one that is not there is missing.
  bool lists_devices(const NodeName& node) const;
  // The neighbours that a switch heard at one of its ports, under whatever name the switch gives
  // the port; none if the switch was not asked.
  std::vector<Neighbour> heard_at_switch(const PortRef& port) const;
  // The port of the document that a neighbour describes; nullopt if it is none of ours, or if it is
  // not told which.
  std::optional<PortRef> identify(const Neighbour& neighbour) const;
  // Whether it is this port. Unknown where the other end was not read and can't be recognised, and
  // where what it calls itself or its port can't be mapped.
  Told compare(const Neighbour& neighbour, const PortRef& expected) const;
  // The only node of the document that calls itself so; null: none, or several may.
  const NodeSpec* owner(const Neighbour& neighbour) const;
  // True if the neighbour is identified by the address of a port of the document, whatever name it
  // gives itself.
  bool is_known_by_mac(const Neighbour& neighbour) const;
  // The running firmware of the adapter behind a port; "" = unknown.
  std::string firmware(const NodeName& node, const std::string& adapter) const;
  // What was read of the adapter itself, "pcie_speed"; "" = unknown.
  std::string adapter_text(
      const NodeName& node, const std::string& adapter, std::string_view attribute) const;
  // Was the resource looked at at all?
  bool observed(const ResourceAddress& address) const;
  // What a provider read of a resource, {node, "bond", "bond0"}, "mtu"; null = nothing was asked.
  const Reading* running(const ResourceAddress& address, std::string_view attribute) const;
  // The same as text; "" = unknown.
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
  std::map<NodeName, std::set<PortRef>> switch_ports_;  // of the document
  // In lower case: what nodes are called in the document, and what they call themselves as well.
  std::map<std::string, std::vector<const NodeSpec*>> own_names_, by_name_;
  std::set<std::string> chassis_names_;  // in lower case, of all that was heard
};

// The document releases the node: nothing of it is judged.
bool is_absent(const FabricSpec& spec, const NodeName& node);

// An end of the cable is a node that is known to be offline, or a host that is released: it may be
// dark, and nothing that has to cross it is expected to.
bool leads_to_offline(const FabricSpec& spec, const CableSpec& cable);

}  // namespace fabric::discovery
