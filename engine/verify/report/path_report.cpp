#include "engine/verify/report/path_report.hpp"

namespace fabric::verify {

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

}  // namespace fabric::verify
