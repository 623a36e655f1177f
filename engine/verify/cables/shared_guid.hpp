// SPDX-License-Identifier: Apache-2.0
// A GUID that several adapters of a subnet have, or that can be of none.
#pragma once

#include <string>
#include <vector>

#include "engine/model/names.hpp"

namespace fabric::verify {

struct SharedGuid {
  Guid guid;
  std::string name;                 // how the adapter calls itself
  std::vector<std::string> places;  // where it was seen; none: it is all zeros or all ones
};

}  // namespace fabric::verify
