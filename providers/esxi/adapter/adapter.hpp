// SPDX-License-Identifier: Apache-2.0
// Provider "adapter" on ESXi: that the card of the document is there, and what it is. Lists NICs,
// RDMA devices and cards.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "providers/esxi/reading_provider.hpp"

namespace fabric::providers::esxi {

class AdapterProvider final : public ReadingProvider {
 public:
  std::string_view kind() const override { return kinds::kAdapter; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Map inventory(const NodeFacts& facts) const override;
};

}  // namespace fabric::providers::esxi
