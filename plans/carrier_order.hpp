// SPDX-License-Identifier: Apache-2.0
// Carrier order: what carries frames is changed before what sends them where an MTU grows, and
// after it where it shrinks, whatever the platforms are. What carries are the ports, channels and
// peer links of all switches that forward to each other, and the managers of an InfiniBand subnet,
// whose group has the MTU; what is carried are interfaces, bonds, VLANs and virtual switches of
// hosts. Managers that go do so after the IPoIB that goes.
#pragma once

#include <vector>

#include "engine/model/spec.hpp"
#include "engine/provider/change.hpp"
#include "plans/changes/order.hpp"

namespace fabric::plans {

// `changes` in order of address.
Order carrier_order(const FabricSpec& spec, const std::vector<Change>& changes);

}  // namespace fabric::plans
