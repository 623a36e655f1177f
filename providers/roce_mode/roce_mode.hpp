// SPDX-License-Identifier: Apache-2.0
// The one mode that makes a switch lossless for RoCE, on Cumulus Linux as on Onyx: its settings and
// its limits.
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

// The reading of an attribute of kind qos; `trust` reads as `desired` if the mode trusts it too.
Reading roce_reading(const RoceMode& mode, std::string_view attribute, const Value& desired);

// The orphan for a switch that is lossless while no document asks for it.
Resource left_roce(const NodeName& node, std::string_view mode);

// "pcp,dscp" as words.
std::vector<std::string> split_to_words(std::string_view text);

}  // namespace fabric::providers
