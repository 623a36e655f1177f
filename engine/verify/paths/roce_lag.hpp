// SPDX-License-Identifier: Apache-2.0
// Bonds whose ports should be one RDMA device and are not.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/evidence.hpp"

namespace fabric::verify {

// Rule `roce-lag-missing`: for bonds of which the document, or their policy and card, asks for RoCE
// LAG. No finding about a bond that does not exist, or whose RDMA devices are unknown.
std::vector<Diagnostic> missing_roce_lags(
    const FabricSpec& spec, const discovery::Evidence& evidence);

}  // namespace fabric::verify
