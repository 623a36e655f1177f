// The keys and spellings of the plan file, shared by its writer and its reader.
#pragma once

#include <string_view>

#include "engine/base/check.hpp"
#include "engine/provider/change.hpp"

namespace fabric::plans {

inline constexpr std::string_view kFormatVersion = "1.0";

inline std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::prepare:
      return "prepare";
    case Stage::activate:
      return "activate";
  }
  FABRIC_CHECK(false, "a stage without a name");
}

}  // namespace fabric::plans
