// SPDX-License-Identifier: Apache-2.0
// The networks of mode chain, in order, as reach::Fabric: by the document alone, or as their hosts
// are now.
#pragma once

#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/topology/path_losses.hpp"
#include "engine/verify/evidence/evidence.hpp"

namespace fabric::verify {

// Each with every host as its plan leaves it, with all cables; away is who is offline. Of hosts
// that are not Linux's nobody knows how they send.
std::vector<reach::NetworkNow> declared_paths(const FabricSpec& spec);

// The same networks in the same order, as their hosts are now. Away are offline nodes, those that
// could not be asked, ends that have no carrier; ends that have one though their peer may be away
// are said. A host that could not be asked is as the document says, and nobody knows whether it is
// there.
std::vector<reach::NetworkNow> observed_paths(
    const FabricSpec& spec, const discovery::Snapshot& snapshot);
std::vector<reach::NetworkNow> observed_paths(
    const FabricSpec& spec, const discovery::Snapshot& snapshot, const Evidence& evidence);

}  // namespace fabric::verify
