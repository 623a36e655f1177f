// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/bond_faults.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::bond_faults {

std::string text_of_members(std::string_view kind, const std::vector<std::string>& ports) {
  return fmt::format(
      "{} {} {} {} ({})",
      ports.size() == 1 ? "port" : "ports",
      join(ports, ", "),
      ports.size() == 1 ? "is" : "are",
      kind,
      kind == kSuspended ? "LACP hears another partner, key or speed there"
                         : "no LACP is heard there");
}

}  // namespace fabric::bond_faults
