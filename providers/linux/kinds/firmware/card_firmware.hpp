// SPDX-License-Identifier: Apache-2.0
// The firmware of a node's cards: the tool's query, and fabric's files on the node.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/provider.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"

namespace fabric::providers {

struct CardFirmware {
  std::string tool;      // "mstflint", "flint"; "" = the node has none
  std::string running;   // the running version; "" = unknown
  std::string flash;     // the version after the next boot; "" = unknown: see why
  std::string psid;      // of the flash; "" = unknown
  std::string why;       // why there is no query of it
  bool secure = false;   // the card takes signed images only, and gives none back
  bool burning = false;  // a burn of ours is under way
  std::map<std::string, std::string, std::less<>> uploads;  // path to its present SHA-256
  std::set<std::string, std::less<>> backups;               // paths of backups made in this boot
};

std::vector<Probe> firmware_probes();
// A ConnectX-3 is queried only by a tool that still knows it (mstflint before 4.26; newer ones
// crash). Without a query, `running` and `psid` are those of the kernel.
CardFirmware firmware_of(const NodeFacts& facts, const Card& card);

inline constexpr const char* kFirmwareFolder = "/var/lib/fabric/firmware";
// The path on the node of an image with this digest: one for each card, removed after its burn.
std::string upload_path(const PciAddress& card, std::string_view sha256);
// The path of the backup of the present flash: a file for each card, PSID and version. Beside it
// are the settings of the card (.settings, .settings.raw) and the boot id (.boot) at that time.
// Secure firmware can't be read back: its file is the answer of the tool (.query in place of .bin).
std::string backup_path(const Card& card, const CardFirmware& firmware);

// The steps that burn an image: save the flash, copy the image to the node, check it, burn it.
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
