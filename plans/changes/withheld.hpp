// SPDX-License-Identifier: Apache-2.0
// Withheld: the reason, as a value, why a plan leaves a difference as it is. Code decides by `why`;
// the words are for people.
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
    waits,        // the resource comes after `on`, which is withheld, or is a part of it
    next_round,   // this plan has a package or a boot without which it can't be planned
    rollout,      // the node must not be disturbed now
    staged,       // the value is armed for the next boot, and a staged plan boots no node
    many_boots,   // the change takes several boots, and this plan boots no node
    own_machine,  // fabric runs on the node, and its operator reboots it
    left,   // of a run that is undone: changed since by another program, or nothing brings it back
    errors  // the plan has errors
  };
  Why why = Why::observed;
  std::optional<ResourceAddress> on{};  // of `waits`
  Need needs{};                         // of `unknown` and `next_round`
  // The part of the reason that only the deciding function knows: the attribute that is unknown and
  // why, the nodes that are down. For `unknown`, `next_round`, `rollout` and `left`.
  std::string detail{};
  friend bool operator==(const Withheld&, const Withheld&) = default;
};

// Why the disturbing changes of a node are withheld, and what would release them; "" = they are not
// withheld.
struct NodeWithheld {
  std::string why, release;
  bool own_machine = false;  // fabric runs on it; else the rollout withholds it
  friend bool operator==(const NodeWithheld&, const NodeWithheld&) = default;
};

std::string_view to_string(Withheld::Why why);  // "next_round"
// The reason in words. `of`: the node that the reason is about; its own name is left out.
std::string withheld_text(const Withheld& withheld, const NodeName* of = nullptr);

}  // namespace fabric::plans
