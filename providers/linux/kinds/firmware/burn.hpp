// SPDX-License-Identifier: Apache-2.0
// The steps that burn an image: save the flash, copy the image to the node, check it, burn it.
#pragma once

#include <optional>
#include <string>

#include "engine/provider/change.hpp"
#include "providers/linux/kinds/firmware/card_firmware.hpp"

namespace fabric::providers {

// The image on the control host: binding.image.
struct Image {
  std::string source;  // path on the control host
  std::string sha256;  // 64 hex digits
  std::uint64_t bytes = 0;
};
// Nullopt: the resource has no image, or the image could not be read.
std::optional<Image> image_of(const Resource& resource);

// Two persistent attributes that only the actions read: the digest of the image on the node, and
// the version of the saved flash image.
inline constexpr const char* kUpload = "upload";
inline constexpr const char* kBackup = "backup";

struct BurnInputs {
  const Resource& resource;
  const Card& card;
  const CardFirmware& firmware;
  const Image& image;
  std::string version, psid;  // of the image; the PSID is the card's too
  std::string settings_tool;  // "mstconfig"
};

// REQUIRES: the flash has another version, and both its version and its PSID are known.
Work burn_work(const BurnInputs& inputs);

}  // namespace fabric::providers
