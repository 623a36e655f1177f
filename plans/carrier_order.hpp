// SPDX-License-Identifier: Apache-2.0
// Carrier order: where an MTU grows, the resources that carry frames are changed before the
// resources that send them, and after them where it shrinks, on every platform. Carriers are the
// ports, channels and peer links of all switches that forward to each other, and the managers of an
// InfiniBand subnet, whose group has the MTU. Senders are interfaces, bonds, VLANs and virtual
// switches of hosts. A manager that is removed is removed after the IPoIB that is removed.
#pragma once

#include <vector>

#include "engine/model/spec.hpp"
#include "engine/provider/change.hpp"
#include "plans/changes/order.hpp"

namespace fabric::plans {

// `changes` in order of address.
Order carrier_order(const FabricSpec& spec, const std::vector<Change>& changes);

}  // namespace fabric::plans
