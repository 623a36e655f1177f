// SPDX-License-Identifier: Apache-2.0
// Words that sources and the writer share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fabric::description {

// A name that a node or an adapter of a document may have, as near to `text` as can be.
std::string safe_name(std::string_view text);

// The part of `text` that `lower`, a part of it in lower case, is.
std::string as_written(std::string_view text, const std::string& lower);

// The model that stands for a card that no source has.
inline constexpr const char* kAssumedModel = "connectx-6-vpi";

// "1 cable", "2 cables"
std::string counted(std::size_t count, std::string_view noun);

}  // namespace fabric::description
