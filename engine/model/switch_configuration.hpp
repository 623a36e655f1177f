// SPDX-License-Identifier: Apache-2.0
// The whole configuration of a switch that saves its running lines only on command, as a resource
// without desired attributes: it shows the lines that another login has typed and not saved.
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
