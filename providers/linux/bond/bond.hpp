// SPDX-License-Identifier: Apache-2.0
// Provider "bond": the bond of a network of mode lag, its options and its slaves, now and after a
// boot. Whatever the slaves need to become its slaves is its work too, so that a port is moved into
// a bond once and not twice.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "providers/linux/interface/link_provider.hpp"

namespace fabric::providers {

class BondProvider final : public LinkProvider {
 public:
  std::string_view kind() const override { return kinds::kBond; }
};

}  // namespace fabric::providers
