// SPDX-License-Identifier: Apache-2.0
// The state of an InfiniBand port as its subnet manager set it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/names.hpp"

namespace fabric::verify {

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
