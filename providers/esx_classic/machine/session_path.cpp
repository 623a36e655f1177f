// SPDX-License-Identifier: Apache-2.0
#include "providers/esx_classic/machine/session_path.hpp"

#include "providers/esx_classic/machine/sh/scripts.hpp"
#include "providers/esxi/machine/session_path.hpp"

namespace fabric::platform {

// The address that the session came in by is that of an interface of the console, which is on a
// port group, which is on a virtual switch, which has uplinks. Names of port groups may have single
// blanks in them: two of them end a cell (E-esx-classic-tables). A port group of a distributed
// switch is not among them.
Probe esx_classic_session_probe() {
  return {"session", std::string{sh::probe_esx_session.text}};
}

// The same words as those of ESXi.
SessionPath esx_classic_session_path(const NodeFacts& facts) {
  return esxi_session_path(facts);
}

}  // namespace fabric::platform
