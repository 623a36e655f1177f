// SPDX-License-Identifier: Apache-2.0
// Files of network configuration that another program writes: what is taken out of them comes back
// when that program runs again.
#pragma once

#include <string>
#include <string_view>

namespace fabric::providers {

struct Generator {
  std::string_view name;  // "Proxmox SDN"; "" = none that is known
  std::string_view told;  // how that program is told to leave the interface alone
  bool known() const { return !name.empty(); }
};

// By its path, or by what the comments at its head say.
Generator generator_of(std::string_view path, std::string_view content);

}  // namespace fabric::providers
