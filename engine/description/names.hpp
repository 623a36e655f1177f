// SPDX-License-Identifier: Apache-2.0
// Common words of sources and the writer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fabric::description {

// A valid name for a node or an adapter of a document, as near to `text` as possible.
std::string safe_name(std::string_view text);

// The part of `text` that is `lower` but for its case.
std::string as_written(std::string_view text, const std::string& lower);

// The model of a card for which no source has one.
inline constexpr const char* kAssumedModel = "connectx-6-vpi";

// "1 cable", "2 cables"
std::string counted(std::size_t count, std::string_view noun);

}  // namespace fabric::description
