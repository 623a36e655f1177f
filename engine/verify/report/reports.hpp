// SPDX-License-Identifier: Apache-2.0
// The reports of a verify beside those of cables and paths.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/source.hpp"
#include "engine/model/names.hpp"
#include "engine/platform/link_readings.hpp"
#include "engine/verify/report/counter_report.hpp"

namespace fabric::verify {

// The true state of the link of each port of the document.
struct LinkReport {
  PortRef port;
  std::string interface;          // network device
  platform::LinkReading reading;  // empty if `why_unknown` is set
  std::string why_unknown;
  // The firmware version, PSID and model of the adapter; "" = unknown.
  std::string firmware, psid, model;
};

// The state of a subnet manager of the document.
// A subnet manager that the document places on a host.
struct ManagerReport {
  std::string network;
  PortRef port;
  // "master", "standby", "none"; "" = unknown; "external" = a master outside the document.
  std::string state;
  std::string
      master;  // port GUID of the manager that the port takes for its master; "" = none or unknown
  bool asked = false;
  std::string since{};          // start of `state` by the node's clock; "" = unknown
  std::string routed_by{};      // "ftree"; "none" = no engine could; "" = unknown
  std::string routing_error{};  // the manager's log before that; "" = nothing
  bool virtualizes = false;     // its OpenSM has virtualization support, and runs with it
  bool foreign = false;         // it answers on the port, and is none that fabric started
};

// Lossless RoCE of a port, or of a switch as a whole: desired and observed.
struct QosPart {
  std::string name;           // "trust", "PFC", "ECN", "ToS", and "mode" of a switch
  std::string wanted, found;  // as text; `found` "" = unknown
  std::string why_unknown{};
  bool is_right() const { return wanted == found; }
};

struct QosReport {
  NodeName node;
  std::string where;  // "n7/cx5/1", or the name of a switch
  std::string network;
  std::vector<QosPart> parts;
  std::vector<std::string>
      far{};  // the nodes at the other ends of its cables, in the form of `where`
  // The counters that moved while the verify ran, and those of them that count losses.
  std::vector<MovedCounter> moved{}, lost{};

  bool is_right() const;
  const QosPart* find(std::string_view part) const;
};

// The result for each address of the document: whether RDMA can use it.
struct RoceAddressReport {
  PortRef port;
  std::string address;
  std::string rdma;  // "rocep1s0f0/1"; "" = no device of the node has a GID of `address`
  // The index of its RoCE v2 GID, found by the address and never stored: the next boot may give
  // another one (E-roce-gid).
  std::optional<std::uint32_t> index;
  SourceRange range;
};

// The state of an InfiniBand port as its subnet manager set it.
// A P_Key of a partition that a port lacks or has with another membership.
struct WrongKey {
  std::string partition;     // "storage"
  std::uint16_t wanted = 0;  // bit 15: full member
  std::uint16_t found = 0;   // the port's key of that partition; 0 = none
};

// A P_Key of a port that the document does not give it.
struct SurplusKey {
  std::string partition;    // "storage"; "" = the document has no such partition
  std::uint16_t found = 0;  // bit 15: full member
  bool is_member = false;   // a limited member by the document
};

// The IPoIB group of a partition that is missing or has another MTU than the document's.
struct WrongGroup {
  std::string partition;     // "storage"
  std::uint16_t pkey = 0;    // without bit 15
  std::uint32_t wanted = 0;  // bytes; 0 = the document does not say
  std::uint32_t found = 0;   // bytes; 0 = there is no group
};

// A port of an InfiniBand network, as read on its host.
struct SubnetPortReport {
  std::string network;
  PortRef port;
  std::string rdma;   // "mlx5_0/1"
  std::string state;  // "ACTIVE", "INIT", "DOWN"
  std::vector<WrongKey> wrong;
  std::vector<SurplusKey> surplus;
  std::vector<WrongGroup> wrong_groups;  // known at the master's port alone
  std::string
      master{};  // port GUID of the manager that the port takes for its master; "" = unknown
};

}  // namespace fabric::verify
