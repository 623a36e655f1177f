// SPDX-License-Identifier: Apache-2.0
// The interface of one port of a card, found on the node itself under any name.
#pragma once

#include "engine/remote/command.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"

namespace fabric::providers {

// Runs a script that has port_interface.sh in it: `$interfaces` are the names of its interfaces
// (normally one), without IPoIB children and representors; `$1` is its PCI function, `$4` and on
// are the `words`. Used by the undo of a boot, which may rename the port.
remote::Argv at_interface_of(
    const Card& card,
    const AdapterPort& port,
    bool infiniband,
    const remote::Script& script,
    const remote::Argv& words = {});

}  // namespace fabric::providers
