// SPDX-License-Identifier: Apache-2.0
// Provider "vlan": an 802.1Q VLAN on a port or a bond, now and after a boot.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "providers/linux/interface/link_provider.hpp"

namespace fabric::providers {

class VlanProvider final : public LinkProvider {
 public:
  std::string_view kind() const override { return kinds::kVlan; }
};

}  // namespace fabric::providers
