// SPDX-License-Identifier: Apache-2.0
// Withheld: why a plan does nothing about something that differs, as a value. Whatever decides by
// it reads `why`; words are for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/model/resource.hpp"
#include "engine/provider/observation.hpp"

namespace fabric::plans {

struct Withheld {
  enum class Why : std::uint8_t {
    observed,     // the node has `state: observe`
    unknown,      // an attribute can't be read
    waits,        // it comes after `on`, which is withheld, or is a part of it
    next_round,   // this plan brings what is needed to plan it
    rollout,      // its node must not be disturbed now
    staged,       // it is as the next boot needs it, and a staged plan boots nobody
    many_boots,   // it takes more than one boot, and this plan boots nobody
    own_machine,  // fabric runs on the node, whose reboot is left to its operator
    errors        // the plan has errors
  };
  Why why = Why::observed;
  std::optional<ResourceAddress> on{};  // of `waits`
  Need needs{};                         // of `unknown` and `next_round`
  // What only the place knows that decides it: which attribute is unknown and why, who else is
  // down. Of `unknown`, `next_round` and `rollout`.
  std::string detail{};
  friend bool operator==(const Withheld&, const Withheld&) = default;
};

// Why the changes of a node that would disturb it are withheld, and what would release it; "" =
// they are not.
struct NodeWithheld {
  std::string why, release;
  bool own_machine = false;  // fabric runs on it; else the rollout withholds it
  friend bool operator==(const NodeWithheld&, const NodeWithheld&) = default;
};

std::string_view to_string(Withheld::Why why);  // "next_round"
// In words. `of`: the node that it is said of, whose own name is left out.
std::string withheld_text(const Withheld& withheld, const NodeName* of = nullptr);

}  // namespace fabric::plans
