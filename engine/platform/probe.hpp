// SPDX-License-Identifier: Apache-2.0
// Probe: a question to a machine.
#pragma once

#include <string>

namespace fabric {

// A command that changes nothing, in the language of the provider's platform (engine/platform). On
// Linux a POSIX sh snippet (dash and BusyBox ash), run in a subshell with LC_ALL=C and a PATH that
// has the sbin folders. It loops over devices itself: probes are the same for every document, so
// saved facts serve any. Two providers of a platform may name the same probe id with the same
// script.
struct Probe {
  std::string id;  // "mlxconfig", "pci", "ip-link"
  std::string script;
};

}  // namespace fabric
