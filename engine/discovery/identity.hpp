// Who a node is and what it runs, from the probe "identity" that every discovery includes.
#pragma once

#include <string>

#include "engine/provider/facts.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::discovery {

struct Identity {
  std::string machine_id;  // "" = unknown
  std::string boot_id;     // a UUID, strictly; "" = unknown
  std::string hostname;
  std::string kernel;      // uname -r
  std::string os_id;       // "debian"; ID of os-release
  std::string os_version;  // VERSION_ID
};

Probe identity_probe();
Identity identity_of(const NodeFacts& facts);
// 8-4-4-4-12 lower-case hex digits and nothing else.
bool is_boot_id(std::string_view text);

}  // namespace fabric::discovery
