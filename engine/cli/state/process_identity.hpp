// Who this process is to those who find its lock on a node, and whether a holder has ended.
#pragma once

#include "engine/base/clock.hpp"
#include "engine/base/random.hpp"
#include "engine/execute/lease/leases.hpp"

namespace fabric::cli {

// This process as the holder of `run`.
execute::LeaseHolder this_holder(const std::string& run);

// True only of a process of this very kernel and process namespace that is not there any more.
// Whether one of another machine, container or boot has ended can't be known from here.
bool has_ended(const execute::LeaseHolder& holder);

// A seed of its own for every process.
Random fresh_random(const Clock& clock);

}  // namespace fabric::cli
