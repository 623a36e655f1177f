// Who a node is and what it runs, as far as its platform can tell.
#pragma once

#include <string>

namespace fabric::platform {

// "" = unknown.
struct Identity {
  std::string machine_id;  // of this machine alone, as long as it lives
  std::string boot_id;     // of this boot alone: another one proves that the machine has booted
  std::string hostname;
  std::string kernel;      // the release of it
  std::string os_id;       // "debian"
  std::string os_version;  // "12"
};

}  // namespace fabric::platform
