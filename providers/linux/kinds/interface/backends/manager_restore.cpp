// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/backends/manager_restore.hpp"

#include "providers/linux/kinds/sh/scripts.hpp"

namespace fabric::providers {

std::vector<remote::Argv> restore_by_manager() {
  return {
      {"systemctl", "start", "NetworkManager"},
      {"nmcli", "connection", "reload"},
      {"sh", "-c", sh::nmcli_up_all, "fabric", kProfileStart}};
}

}  // namespace fabric::providers
