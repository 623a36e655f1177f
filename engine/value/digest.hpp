// Digests by OpenSSL.
#pragma once

#include <string>
#include <string_view>

#include "engine/value/value.hpp"

namespace fabric {

// "sha256:" and 64 lower-case hex digits.
std::string sha256(std::string_view bytes);
// Of the canonical one-line JSON.
std::string sha256(const Value& value);

}  // namespace fabric
