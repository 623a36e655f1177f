#include "plans/plan.hpp"

#include <algorithm>

namespace fabric::plans {

bool Plan::complete() const {
  return summary.unknown == 0 && std::all_of(nodes.begin(), nodes.end(), [](const auto& entry) {
           return entry.second.reachable;
         });
}

const Action* Plan::find_action(std::string_view id) const {
  const auto found = std::find_if(
      actions.begin(), actions.end(), [&](const Action& action) { return action.id == id; });
  return found == actions.end() ? nullptr : &*found;
}

}  // namespace fabric::plans
