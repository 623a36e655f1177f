// SPDX-License-Identifier: Apache-2.0
// The characters that Unicode calls White_Space (PropList.txt), which programs trim.
#pragma once

#include <cstdint>

namespace fabric {

constexpr bool is_white_space(std::uint32_t code) {
  return (code >= 0x09 && code <= 0x0d) || code == 0x20 || code == 0x85 || code == 0xa0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 ||
         code == 0x202f || code == 0x205f || code == 0x3000;
}

}  // namespace fabric
