// SPDX-License-Identifier: Apache-2.0
// Flows between nodes, measured one round after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/model/spec.hpp"
#include "engine/provider/registry.hpp"
#include "engine/remote/runner.hpp"
#include "engine/verify/flows/flow.hpp"
#include "engine/workflow/listener.hpp"

namespace fabric::workflow {

// Results in the order of `flows`. REQUIRES: `registry` has the platform of both ends. `duration`
// of each flow: 0 = only whether RDMA works. Flows that are not to be tried are reported as
// untested with their reason.
std::vector<verify::FlowReport> measure(
    Listener& listener,
    const std::vector<verify::Flow>& flows,
    const FabricSpec& spec,
    const Registry& registry,
    Duration duration,
    remote::StepRunner& runner,
    Random& random);

}  // namespace fabric::workflow
