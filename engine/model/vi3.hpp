// SPDX-License-Identifier: Apache-2.0
// VMware Infrastructure 3 (ESX 3.5) as against vSphere 4: its drivers know other parameters and
// limits (E-esx-uplinks, E-esx-ipoib-mtu).
#pragma once

#include "engine/model/spec.hpp"

namespace fabric {

// True by `os.release`: "VI 3.5", "esx-3.5". Without it the node has vSphere 4.
bool is_vi3(const NodeSpec& node);

}  // namespace fabric
