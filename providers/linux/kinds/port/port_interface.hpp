// SPDX-License-Identifier: Apache-2.0
// The interface of one port of a card, found on the node itself under any name.
#pragma once

#include "engine/remote/command.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"

namespace fabric::providers {

// Runs a script that has port_interface.sh in it: `$interfaces` are the names of what is there
// (one, where nothing is odd), without children of IPoIB and representors, which share the place of
// the port; `$1` its PCI function, `$4` and on the `words`. For what undoes a boot, which may
// rename the port.
remote::Argv at_interface_of(
    const Card& card,
    const AdapterPort& port,
    bool infiniband,
    const remote::Script& script,
    const remote::Argv& words = {});

}  // namespace fabric::providers
