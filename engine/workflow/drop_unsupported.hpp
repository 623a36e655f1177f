// SPDX-License-Identifier: Apache-2.0
// What of a document no provider supports is dropped, for a verb that changes nothing and can go on
// without it.
#pragma once

#include <string>
#include <vector>

#include "engine/workflow/wanted.hpp"

namespace fabric::workflow {

// From here on it is only looked at, as if the document said `state: observe` there. Says of each
// what it is and where it is written: "platform mlnx-os (fabric.yaml:20) has no provider yet".
std::vector<std::string> drop_unsupported(Wanted& wanted);

}  // namespace fabric::workflow
