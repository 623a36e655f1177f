// SPDX-License-Identifier: Apache-2.0
// Interfaces that a card's settings take away: a host that is reached by one of them is cut off.
#pragma once

#include "engine/provider/change.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"

namespace fabric::providers {

// Says in ActionDraft::disturbs what interfaces of the card become something else at the boot that
// activates the change. Where nothing is left to be set and a reboot is planned, which does it all
// the same, it adds an action of stage activate that only says so.
void add_disturbed_ports(const Change& change, const Card& card, bool reboot_planned, Work& work);

}  // namespace fabric::providers
