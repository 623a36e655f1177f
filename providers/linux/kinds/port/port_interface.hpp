// SPDX-License-Identifier: Apache-2.0
// The interface of one port of a card, found on the node itself under any name.
#pragma once

#include "engine/remote/command.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"

namespace fabric::providers {

// The command of a script that includes port_interface.sh: `$interfaces` are the port's interfaces
// (normally one), without IPoIB children and representors; `$1` is the port's PCI function, `$4`
// and on are the `words`. For the undo of a boot that may rename the port.
remote::Argv at_interface_of(
    const Card& card,
    const AdapterPort& port,
    bool infiniband,
    const remote::Script& script,
    const remote::Argv& words = {});

}  // namespace fabric::providers
