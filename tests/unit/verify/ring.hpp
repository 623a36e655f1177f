// SPDX-License-Identifier: Apache-2.0
// A ring of ConnectX-5 nodes, made by hand: the document and what the nodes say about it.
#pragma once

#include <string>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/paths/topology.hpp"
#include "engine/verify/verify.hpp"
#include "providers/linux/machine/linux_platform.hpp"

namespace fabric::verify::test {

inline NodeName node(int number) {
  return *NodeName::parse("pve" + std::to_string(number));
}

inline PortRef port(int number, int which) {
  return {node(number), "cx5", std::to_string(which)};
}

inline std::string mac(int number, int which) {
  return "0c:42:a1:00:0" + std::to_string(number) + ":0" + std::to_string(which);
}

inline std::string address(int number, int which) {
  return "10.30.0." + std::to_string((number - 1) * 2 + which);
}

// A NodeSpec has no default (a node has a name), and only its name matters here.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
inline NodeSpec bare_node(const NodeName& name) {
  return NodeSpec{name};
}
#pragma GCC diagnostic pop

// Port 1 of each node to port 2 of the next, closed.
inline FabricSpec ring(int nodes, std::uint32_t mtu = 9000) {
  FabricSpec spec;
  spec.reached = {Platform::linux};
  NetworkSpec network;
  network.name = "storage";
  network.mode.value = Mode::chain;
  network.mtu.value = mtu;
  for (int n = 1; n <= nodes; ++n) {
    NodeSpec added = bare_node(node(n));
    AdapterSpec adapter;
    adapter.name = "cx5";
    adapter.ports.value = 2;
    added.adapters.edit().push_back(adapter);
    spec.nodes.emplace(added.name, added);
    CableSpec cable{{port(n, 1), {}}, {port(n % nodes + 1, 2), {}}, {}, {}, {}, {}, {}};
    network.cables.push_back(cable);
    for (int which : {1, 2}) {
      network.ipv4.addresses[port(n, which)].push_back({*IpAddress::parse(address(n, which)), {}});
    }
  }
  spec.networks.emplace(network.name, network);
  return spec;
}

inline std::string link_state(int number, bool carrier1 = true, bool carrier2 = true) {
  std::string text;
  for (int which : {1, 2}) {
    const bool carrier = which == 1 ? carrier1 : carrier2;
    text += "netdev ens1f" + std::to_string(which - 1) + "np" + std::to_string(which - 1) + "\n";
    text +=
        "pci /sys/devices/pci0000:00/0000:00:01.0/0000:01:00." + std::to_string(which - 1) + "\n";
    text += "address " + mac(number, which) + "\ndev_port 0\n";
    text += std::string{"operstate "} + (carrier ? "up" : "down") + "\ncarrier " +
            (carrier ? "1" : "0") + "\n";
    text += std::string{"speed "} + (carrier ? "100000" : "-1") + "\nmtu 9000\n";
  }
  return text;
}

inline std::string neighbour(int which, int other, int other_which) {
  return R"({"name":"ens1f)" + std::to_string(which - 1) + "np" + std::to_string(which - 1) +
         R"(","via":"LLDP","chassis":[{"id":[{"type":"mac","value":")" + mac(other, 1) +
         R"("}],"name":[{"value":"pve)" + std::to_string(other) +
         R"("}]}],"port":[{"id":[{"type":"mac","value":")" + mac(other, other_which) + R"("}]}]})";
}

inline std::string lldp(const std::string& interfaces) {
  return R"({"lldp":[{"interface":[)" + interfaces + "]}]}";
}

// What a correctly cabled node of the ring hears.
inline std::string lldp_of(int number, int nodes) {
  const int next = number % nodes + 1;
  const int previous = (number + nodes - 2) % nodes + 1;
  return lldp(neighbour(1, next, 2) + "," + neighbour(2, previous, 1));
}

inline discovery::ObservedNode observed(
    int number, const std::string& links, const std::string& heard) {
  discovery::ObservedNode result{NodeFacts{node(number), {}, {}, {}, {}}, {}};
  result.platform = &platform::linux_platform();
  result.facts.probes["link-state"] = {"", 0, links, ""};
  if (heard.empty()) {
    result.facts.probes["lldp"] = {"", 127, "", "lldpcli is not installed\n"};
  } else {
    result.facts.probes["lldp"] = {"", 0, heard, ""};
  }
  Observation adapter{{node(number), "adapter", "cx5"}, {}};
  adapter.attributes["pci"].running = Reading::of("0000:01:00.0");
  adapter.attributes["firmware"].running = Reading::of("16.35.4030");
  result.observations.emplace(adapter.address, adapter);
  return result;
}

inline discovery::Snapshot healthy(int nodes) {
  discovery::Snapshot snapshot;
  for (int n = 1; n <= nodes; ++n) {
    snapshot.nodes.emplace(node(n), observed(n, link_state(n), lldp_of(n, nodes)));
  }
  return snapshot;
}

inline void set_firmware(discovery::Snapshot& snapshot, int number, const std::string& version) {
  snapshot.nodes.at(node(number))
      .observations.at({node(number), "adapter", "cx5"})
      .attributes["firmware"]
      .running = Reading::of(version);
}

inline void lose(discovery::Snapshot& snapshot, int number, const std::string& why) {
  discovery::ObservedNode& gone = snapshot.nodes.at(node(number));
  gone.facts.failure = Error{ErrorCode::unreachable, why};
  gone.facts.probes.clear();
  gone.observations.clear();
}

inline const Diagnostic* find(const Report& report, const std::string& rule) {
  for (const Diagnostic& finding : report.findings) {
    if (finding.rule == rule) return &finding;
  }
  return nullptr;
}

}  // namespace fabric::verify::test
