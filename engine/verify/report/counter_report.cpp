// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/report/counter_report.hpp"

namespace fabric::verify {

std::string_view to_string(CounterState state) {
  switch (state) {
    case CounterState::still:
      return "still";
    case CounterState::saturated:
      return "saturated";
    case CounterState::moved:
      return "moved";
    case CounterState::unknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace fabric::verify
