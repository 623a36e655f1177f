// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/path_tests.hpp"

namespace fabric::platform {

std::string_view to_string(Passage passage) {
  switch (passage) {
    case Passage::untested:
      return "untested";
    case Passage::lost:
      return "lost";
    case Passage::passed:
      return "passed";
  }
  return "untested";
}

}  // namespace fabric::platform
