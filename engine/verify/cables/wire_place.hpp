// SPDX-License-Identifier: Apache-2.0
// The place of a port of the document in the subnet, or why it is not known.
#pragma once

#include <optional>
#include <string>

#include "engine/model/names.hpp"
#include "engine/verify/cables/wire_ports.hpp"
#include "engine/verify/report/cable_report.hpp"

namespace fabric::verify {

struct Place {
  std::optional<WirePlace> at;
  std::optional<Guid> port_guid;  // nullopt if unknown; also set for a port that was not seen
  std::string why_not;            // "c101 was not seen in the subnet"; "" if `at` is set
  WireLack lack = WireLack::none;
};

}  // namespace fabric::verify
