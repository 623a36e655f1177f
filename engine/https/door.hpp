// SPDX-License-Identifier: Apache-2.0
// The door to a machine that answers requests over HTTPS: logs in, keeps its session, and logs in
// again where that has ended.
#pragma once

#include "engine/https/target.hpp"
#include "engine/remote/door.hpp"

namespace fabric::https {

// `clock` must outlive what it makes. To be called before any thread starts.
remote::MakeDoor door_to(Target target, const Clock& clock);

}  // namespace fabric::https
