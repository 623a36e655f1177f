// SPDX-License-Identifier: Apache-2.0
// One mode makes a switch lossless for RoCE, on Cumulus Linux as on Onyx: its settings and its
// limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/observation.hpp"

namespace fabric::providers {

struct RoceMode {
  std::string mode;                // "lossless", "lossy"; "" = off
  std::vector<std::string> trust;  // "pcp", "dscp"
  List pfc;                        // priorities
  bool ecn = false;
};

// Of the attributes of kind qos of a switch, as `desired` has them where they do for it.
Reading roce_reading(const RoceMode& mode, std::string_view attribute, const Value& desired);

// A switch that is lossless, where nothing is asked of it.
Resource left_roce(const NodeName& node, std::string_view mode);

// "pcp,dscp"
std::vector<std::string> split_to_words(std::string_view text);

}  // namespace fabric::providers
