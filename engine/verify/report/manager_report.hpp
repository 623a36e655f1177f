// SPDX-License-Identifier: Apache-2.0
// The state of a subnet manager of the document.
#pragma once

#include <string>

#include "engine/model/names.hpp"

namespace fabric::verify {

// A subnet manager that the document places on a host.
struct ManagerReport {
  std::string network;
  PortRef port;
  // "master", "standby", "none"; "" = unknown; "external" = a master outside the document.
  std::string state;
  std::string
      master;  // port GUID of the manager that the port takes for its master; "" = none or unknown
  bool asked = false;
  std::string since{};          // start of `state` by the node's clock; "" = unknown
  std::string routed_by{};      // "ftree"; "none" = no engine could; "" = unknown
  std::string routing_error{};  // the manager's log before that; "" = nothing
  bool virtualizes = false;     // its OpenSM has virtualization support, and runs with it
  bool foreign = false;         // it answers on the port, and is none that fabric started
};

}  // namespace fabric::verify
