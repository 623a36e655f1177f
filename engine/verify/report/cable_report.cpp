// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/report/cable_report.hpp"

namespace fabric::verify {

std::string_view to_string(CableState state) {
  switch (state) {
    case CableState::ok:
      return "ok";
    case CableState::mis_wired:
      return "mis-wired";
    case CableState::missing:
      return "missing";
    case CableState::one_sided:
      return "one-sided";
    case CableState::loopback:
      return "loopback";
    case CableState::shut:
      return "shut";
    case CableState::degraded:
      return "degraded";
    case CableState::no_data:
      return "no-data";
    case CableState::offline:
      return "offline";
  }
  return "no-data";
}

std::string_view to_string(Proof proof) {
  switch (proof) {
    case Proof::none:
      return "nothing";
    case Proof::carrier:
      return "carrier only";
    case Proof::mac:
      return "MAC";
    case Proof::lldp:
      return "LLDP";
    case Proof::subnet:
      return "subnet";
    case Proof::serial:
      return "serial number";
  }
  return "nothing";
}

bool is_broken(CableState state) {
  return state == CableState::mis_wired || state == CableState::missing ||
         state == CableState::one_sided || state == CableState::loopback ||
         state == CableState::shut;
}

}  // namespace fabric::verify
