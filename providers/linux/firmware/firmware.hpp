// SPDX-License-Identifier: Apache-2.0
// Provider "firmware": the firmware in the flash of a card, burned from an image of the document.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

// Attributes: version (running: what the card runs; next boot: what is in its flash) and psid
// (running; only checked). Beside them, for the actions' own conditions: upload and backup
// (persistent; see card_firmware.hpp). Nothing is burned unless binding.image names an image, whose
// version and PSID are the desired ones; the node checks that before it burns.
// Diagnostics: firmware-psid-mismatch, firmware-downgrade.
class FirmwareProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kFirmware; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers
