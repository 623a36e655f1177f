// SPDX-License-Identifier: Apache-2.0
// Provider "ipoib": an IPoIB child interface in one partition of the port's InfiniBand subnet, now
// and after a boot.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "providers/linux/interface/link_provider.hpp"

namespace fabric::providers {

class IpoibProvider final : public LinkProvider {
 public:
  std::string_view kind() const override { return kinds::kIpoib; }
};

}  // namespace fabric::providers
