// SPDX-License-Identifier: Apache-2.0
// The networks of mode chain, in order, as reach::Fabric: by the document alone, or as their hosts
// are now.
#pragma once

#include <vector>

#include "engine/discovery/evidence.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/topology/path_losses.hpp"

namespace fabric::discovery {

// The networks as the plans of all hosts leave them, with all cables. Offline hosts are away. How
// hosts other than Linux's send is unknown.
std::vector<reach::NetworkNow> declared_paths(const FabricSpec& spec);

// The same networks in the same order, as their hosts are now. Offline nodes, nodes that could not
// be asked, and ends without a carrier are away; ends with a carrier whose peer may be away are
// Away::lit. A host that could not be asked is taken as in the document, and whether it is there is
// unknown.
std::vector<reach::NetworkNow> observed_paths(const FabricSpec& spec, const Snapshot& snapshot);
std::vector<reach::NetworkNow> observed_paths(
    const FabricSpec& spec, const Snapshot& snapshot, const Evidence& evidence);

}  // namespace fabric::discovery
