// SPDX-License-Identifier: Apache-2.0
// What of a document no provider supports is dropped, for a verb that changes nothing and can go on
// without it.
#pragma once

#include <string>
#include <vector>

#include "engine/workflow/wanted.hpp"

namespace fabric::workflow {

// Nodes without a provider are only observed from here on, as if the document said `state: observe`
// there. Returns for each its platform and place: "platform mlnx-os (fabric.yaml:20) has no
// provider yet".
std::vector<std::string> drop_unsupported(Wanted& wanted);

}  // namespace fabric::workflow
