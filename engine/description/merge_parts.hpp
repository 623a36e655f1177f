// SPDX-License-Identifier: Apache-2.0
// Parts of merge.hpp: nodes told apart, renamed, and finished.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/description/description.hpp"

namespace fabric::description {

// Finds the node, card or port of a description that another source means.
// The identities in a description; valid until the description is changed.
class Identities {
 public:
  explicit Identities(const Description& known);

  // Finds the node by its GUIDs, the GUIDs of its ports, MACs and serial numbers; "" if none of
  // these is known.
  std::string node_by_evidence(const Node& node) const;
  // Finds the node by its name without case, else by what another source calls it, else by that
  // without its domain if one node alone has it, else by its address; "" if it is new.
  std::string node_by_name(const std::string& name, const Node& node) const;
  // The nodes whose names differ only by the domain, in order of name.
  const std::vector<std::string>& nodes_by_label(const std::string& name) const;

  // The port with this evidence, in this order: node GUID, port GUID, MAC, serial number of its
  // card. `number` decides between ports that share all of these.
  std::optional<End> port_by_evidence(const Adapter& adapter, std::uint32_t number) const;
  // The port of `node` with a device of these names; nullopt if none or several have one.
  std::optional<End> port_by_device(
      const std::string& node, const std::string& adapter, const PortEvidence* evidence) const;

 private:
  void add_adapter(const std::string& node, const std::string& name, const Adapter& adapter);

  std::map<std::string, std::string> by_name_, by_address_, by_switch_guid_;
  std::map<std::string, std::vector<std::string>> by_label_;
  std::map<std::string, std::vector<End>> by_node_guid_;
  std::map<std::string, std::vector<End>> by_mac_;  // the slaves of a bond have one
  std::map<std::string, End> by_port_guid_;
  std::map<std::string, std::pair<std::string, std::string>> by_serial_;
  std::map<std::pair<std::string, std::string>, std::vector<End>> by_device_;  // node, device
};

// Renames a node in all parts of a description.
// Replaces each end in a network by the result of `other`; addresses, members and managers whose
// end is nullopt are removed.
void change_ends(Network& network, const std::function<std::optional<End>(const End&)>& other);

// False, without a change, if there is a node `to` already.
bool rename_node(Description& description, const std::string& from, const std::string& to);

// Conclusions that need all sources together.
// Removes ports with a cable from the ports without one; cables the last two of a network of two to
// each other, with a note. Names a switch without a name by the common label of all its hosts:
// Slurm's switch, or else their rack. A root of the routing without a cable gets a port.
void finish(Description& description);

}  // namespace fabric::description
