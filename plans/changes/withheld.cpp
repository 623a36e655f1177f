// SPDX-License-Identifier: Apache-2.0
#include "plans/changes/withheld.hpp"

#include <fmt/format.h>

#include "engine/base/check.hpp"

namespace fabric::plans {

std::string_view to_string(Withheld::Why why) {
  switch (why) {
    case Withheld::Why::observed:
      return "observed";
    case Withheld::Why::unknown:
      return "unknown";
    case Withheld::Why::waits:
      return "waits";
    case Withheld::Why::next_round:
      return "next_round";
    case Withheld::Why::rollout:
      return "rollout";
    case Withheld::Why::staged:
      return "staged";
    case Withheld::Why::many_boots:
      return "many_boots";
    case Withheld::Why::own_machine:
      return "own_machine";
    case Withheld::Why::left:
      return "left";
    case Withheld::Why::errors:
      break;
  }
  return "errors";
}

std::string withheld_text(const Withheld& withheld, const NodeName* of) {
  switch (withheld.why) {
    case Withheld::Why::observed:
      return "only observed (state: observe)";
    case Withheld::Why::waits:
      FABRIC_CHECK(withheld.on, "a change that waits names the resource that it waits for");
      if (of != nullptr && *of == withheld.on->node)
        return fmt::format("waits for {}/{}", withheld.on->kind, withheld.on->name);
      return fmt::format("waits for {}", withheld.on->str());
    case Withheld::Why::next_round:
      return fmt::format("planned in the next round, with {}", withheld.detail);
    case Withheld::Why::staged:
      return "it is already set for the next boot of the node, and runs from that boot on";
    case Withheld::Why::many_boots:
      return "it takes more than one boot, and this plan boots no node";
    case Withheld::Why::own_machine:
      return "fabric runs on this node, so you reboot it yourself; the node is ready for that boot";
    case Withheld::Why::errors:
      return "the plan has errors";
    case Withheld::Why::unknown:
    case Withheld::Why::rollout:
    case Withheld::Why::left:
      break;
  }
  return withheld.detail;
}

}  // namespace fabric::plans
