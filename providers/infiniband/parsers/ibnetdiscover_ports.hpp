// SPDX-License-Identifier: Apache-2.0
// The list of ports that `ibnetdiscover -p` prints. Part of ibnetdiscover.hpp.
#pragma once

#include <string_view>

#include "engine/base/result.hpp"
#include "engine/subnet/observed_topology.hpp"

namespace fabric::providers {

// "CA   134  1 0x7cfe9003003b4bde 4x EDR - SW ..."
bool is_port_list_line(std::string_view line);
// As parse_ibnetdiscover, but no nodes is no failure. The form has port GUIDs only, so each port of
// an adapter is a node of its own. Names that hold "' - '" can't be told apart and are left out.
Result<ObservedTopology> read_port_list(std::string_view text);

}  // namespace fabric::providers
