// SPDX-License-Identifier: Apache-2.0
// The steps that burn an image: save the flash, bring the image, check it, burn it.
#pragma once

#include <optional>
#include <string>

#include "engine/provider/change.hpp"
#include "providers/linux/kinds/firmware/card_firmware.hpp"

namespace fabric::providers {

// The image as the control host has it: binding.image.
struct Image {
  std::string source;  // path on the control host
  std::string sha256;  // 64 hex digits
  std::uint64_t bytes = 0;
};
// Nullopt: the resource has none, or it could not be read.
std::optional<Image> image_of(const Resource& resource);

// Attributes that only the actions look at, both persistent: the digest of the image on the node,
// and the version that the saved flash image has.
inline constexpr const char* kUpload = "upload";
inline constexpr const char* kBackup = "backup";

struct BurnInputs {
  const Resource& resource;
  const Card& card;
  const CardFirmware& firmware;
  const Image& image;
  std::string version, psid;  // that the image must have; the PSID is the card's too
  std::string settings_tool;  // "mstconfig"
};

// REQUIRES: the flash has another version, and both its version and its PSID are known.
Work burn_work(const BurnInputs& inputs);

}  // namespace fabric::providers
