// Which node and port of the subnet is which of the document, and what to call the others.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/model/spec.hpp"
#include "engine/verify/cables/wire_ports.hpp"

namespace fabric::verify {

class WireNames {
 public:
  // All must outlive this.
  WireNames(const FabricSpec& spec, const WireEvidence& evidence, const WirePorts& ports);

  struct Place {
    std::optional<WirePlace> at;
    std::optional<Guid> port_guid;  // where it is known, also of a port that nobody saw
    std::string why_not;            // "c101 was not seen in the subnet"; "" if `at` is set
  };
  // A host's port by its port GUID, by `node_guid` of its adapter, or by the node description; a
  // switch by `node_guid`, or by the node description.
  Place place(const PortRef& port) const;
  // The document's name of a port of the subnet; nullopt if its node is none of ours.
  std::optional<PortRef> port_at(const WirePlace& place) const;
  // That name, or "an unknown device, 'sto7 HCA-1' (0x...) port 1".
  std::string text(const WirePlace& place) const;

 private:
  void find_switch(const NodeSpec& node);
  void find_adapter(const NodeSpec& node, const AdapterSpec& adapter);
  Place adapter_port(
      const NodeSpec& node,
      const AdapterSpec& adapter,
      const PortRef& port,
      std::int64_t number) const;
  void put(const PortRef& port, Place place);

  const WireEvidence& evidence_;
  const WirePorts& ports_;
  // By what nodes call themselves, in lower case, in order of index.
  std::unordered_map<std::string, std::vector<std::size_t>> hosts_, switches_;
  std::map<PortRef, Place> places_;  // of member ports of hosts
  std::map<NodeName, std::optional<std::size_t>> switch_nodes_;
  std::map<NodeName, std::string> why_no_switch_;
  std::map<WirePlace, PortRef> declared_;                    // ports as the document writes them
  std::unordered_map<std::size_t, const NodeSpec*> owners_;  // of switches, by index
};

// What a host calls itself in its node description: "node1" of "node1.example.com HCA-1" and of
// "node1 mlx5_0", as rdma-ndd and kernels write it. In lower case.
std::string host_of_description(std::string_view description);
// "leaf1" of "MF0;leaf1:MQM8700/U1", as managed switches write it, else the whole. In lower case.
std::string switch_of_description(std::string_view description);

// The number in the subnet of a switch port as the document writes it: 7 of "7" and of "1/7".
// Nullopt for one of a split port, whose number depends on the switch.
std::optional<std::int64_t> switch_port_number(std::string_view port);

}  // namespace fabric::verify
