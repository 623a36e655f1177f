// SPDX-License-Identifier: Apache-2.0
// Provider "interface": MTU, addresses and routes of one port of a card, or its being a slave of a
// bond; on InfiniBand the mode of IPoIB. Now and after a boot.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "providers/linux/interface/link_provider.hpp"

namespace fabric::providers {

class InterfaceProvider final : public LinkProvider {
 public:
  std::string_view kind() const override { return kinds::kInterface; }
};

}  // namespace fabric::providers
