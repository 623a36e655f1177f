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
    case CableState::degraded:
      return "degraded";
    case CableState::no_data:
      return "no-data";
  }
  return "no-data";
}

bool is_broken(CableState state) {
  return state == CableState::mis_wired || state == CableState::missing ||
         state == CableState::one_sided || state == CableState::loopback;
}

}  // namespace fabric::verify
