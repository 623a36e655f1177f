// SPDX-License-Identifier: Apache-2.0
// Random documents over every key and platform. What `validate` passes has to be planned, applied
// and then be as the document says: what a platform can't do is no matter of a plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fabric::simulation {

// Hosts of one platform, a switch of one, one or two networks, and keys that fit or don't.
std::string any_document(std::uint64_t seed);

// Keys of the table of platforms (engine/model/platform_keys.hpp) that no document of
// any_document() can have: what a new key has to be added to.
std::vector<std::string> keys_left_out();

struct AnyResult {
  bool valid = false;             // what `validate` says
  std::vector<std::string> said;  // what went wrong, and then the trace; nothing: it went well
};
AnyResult play_any(std::uint64_t seed);

}  // namespace fabric::simulation
