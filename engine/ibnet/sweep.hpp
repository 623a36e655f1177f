// SPDX-License-Identifier: Apache-2.0
// One sweep of libibnetdisc. Part of look.hpp, and only built where the library is.
#pragma once

#include <string>

#include "engine/base/result.hpp"
#include "engine/subnet/observed_topology.hpp"

namespace fabric::ibnet {

// Everything that is reached from the port, in order of node GUID. Not for two threads at once: the
// library counts its transactions in a static. Fails with ErrorCode::unreachable if nothing
// answers.
Result<ObservedTopology> sweep(const std::string& adapter, int port);

}  // namespace fabric::ibnet
