// SPDX-License-Identifier: Apache-2.0
// The OpenSM processes of a node, the subnet managers that its InfiniBand ports hear, and their
// files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/names.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/provider.hpp"
#include "providers/infiniband/parsers/opensm.hpp"

namespace fabric::providers {

struct InfinibandPort {
  std::string device;            // "mlx5_0"
  std::uint32_t number = 1;      // of the RDMA device
  std::string state;             // "ACTIVE", "INIT", "DOWN"; "" = unknown
  std::optional<SmInfo> master;  // the answer of the manager that the port was told of
  std::optional<SmInfo> own;     // of the manager on the port itself
  // The port's LMC and subnet prefix ("0xfe80000000000000"), set by the subnet's manager. "" = not
  // told.
  std::string lmc{}, prefix{};
};

// An OpenSM that runs and is not ours.
struct OpensmProcess {
  std::string unit;  // "my-sm.service"; "" = not told
  std::vector<std::string> words;
};

struct ManagerState {
  bool known = false;  // false: the probe did not run
  bool has_opensm = false, has_sminfo = false;
  // True if virt_enabled is among the options that this OpenSM writes out; nullopt: OpenSM is not
  // there, or did not answer (E-opensm-virtualization).
  std::optional<bool> knows_virtualization;
  // The options of this OpenSM with their defaults ("(null)" where there is none); empty: not all
  // were told, as in older facts (E-opensm-options).
  std::map<std::string, std::string, std::less<>> options{};
  // Services by name with their active state and sub-state: "fabric-opensm-ib.cx5.1.service",
  // "opensm@0x....service".
  std::map<std::string, std::pair<std::string, std::string>, std::less<>> units;
  std::vector<InfinibandPort> ports;
  // For each manager ("ib.cx5.1") that has routed switches: its routing, from its log.
  std::map<std::string, RoutingRecord, std::less<>> routing{};
  std::map<std::string, StateRecord, std::less<>> entered{};
  FileTexts files;
  // Files that are missing and that another OpenSM has in its options, or would read.
  std::set<std::string, std::less<>> missing{};
  std::vector<OpensmProcess> processes{};
  // GUIDs of the ports of this node with managers of the document, as far as they are known.
  std::set<Guid> ours{};

  const InfinibandPort* find_port(const std::string& device, std::uint32_t number) const;
  bool is_running(const std::string& unit) const;
  // Running units of the distribution or of MLNX_OFED.
  std::vector<std::string> foreign_units() const;
};

// Costs a few seconds for a port without an answer, since `sminfo` asks over the network.
Probe manager_state_probe();
Probe manager_files_probe();
Probe manager_digests_probe();
ManagerState manager_state(const NodeFacts& facts);

}  // namespace fabric::providers
