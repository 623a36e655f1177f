// SPDX-License-Identifier: Apache-2.0
// The resource that is the whole configuration of a switch which keeps what runs only when it is
// told to. Nothing is asked of it: it shows what another login has typed and not saved.
//   configuration "saved"  {ports: ["1/7"] of the document, channels: [number] over a pair,
//                          vlans: [id], partitions: [NAME]}; observed: foreign: [line]
#pragma once

#include <string_view>

namespace fabric::switch_configuration {

inline constexpr std::string_view kKind = "configuration";
inline constexpr std::string_view kName = "saved";
inline constexpr std::string_view kPorts = "ports";
inline constexpr std::string_view kChannels = "channels";
inline constexpr std::string_view kVlans = "vlans";
inline constexpr std::string_view kPartitions = "partitions";
inline constexpr std::string_view kForeign = "foreign";

// Key of a port or bond of a switch: true where its network has VLANs and no untagged frames.
inline constexpr std::string_view kTagsOnly = "tags_only";
// The same, where its network has VLANs and untagged frames.
inline constexpr std::string_view kTags = "tags";

}  // namespace fabric::switch_configuration
