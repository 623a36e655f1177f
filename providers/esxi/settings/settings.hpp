// SPDX-License-Identifier: Apache-2.0
// Provider "settings" on ESXi: the firmware parameters of a card, by the vendor's mlxconfig.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"
#include "providers/cards/card_settings.hpp"
#include "providers/esxi/cards.hpp"

namespace fabric::providers::esxi {

// What mlxconfig tells of the card.
CardSettings settings_of(const NodeFacts& facts, const EsxCard& card);

class SettingsProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSettings; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource&, std::string_view) const override { return false; }
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  // What decides of virtual functions and of how a card shows itself.
  Map inventory(const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers::esxi
