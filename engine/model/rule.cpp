// SPDX-License-Identifier: Apache-2.0
#include "engine/model/rule.hpp"

namespace fabric {

std::string_view to_string(RuleStage stage) {
  switch (stage) {
    case RuleStage::reader:
      return "reader";
    case RuleStage::document:
      return "document";
    case RuleStage::plan:
      return "plan";
    case RuleStage::verify:
      return "verify";
  }
  return "reader";
}

}  // namespace fabric
