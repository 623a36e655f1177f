// SPDX-License-Identifier: Apache-2.0
// The kinds of resource as expansion writes them and providers read them: what each is bound to,
// and what can be desired of it. docs/resources.md is printed from it, and a test holds what
// expansion makes of every document of the tests against it.
#pragma once

#include <set>
#include <span>
#include <string_view>

#include "engine/model/platform.hpp"
#include "engine/value/value.hpp"

namespace fabric {

// `binding` and `attributes` are names (resource_keys.hpp) between blanks; PORT and its like stand
// for the names of a group (resource_key_groups), `*` for any, and FACTS for those that are added
// once the facts of the nodes are known.
struct ResourceKind {
  std::string_view kind;
  std::string_view name;  // how its resources are called, or one of them
  bool of_switch;         // as managed switches have it
  std::string_view binding;
  std::string_view attributes;
  // The forms of it that a provider may not have (Resource::features), beside single attributes.
  std::string_view features;
  std::string_view meaning;
};

struct KeyGroup {
  std::string_view name, keys, meaning;
};

std::span<const ResourceKind> resource_kinds();
std::span<const KeyGroup> resource_key_groups();

// Null: there is no such kind.
const ResourceKind* find_resource_kind(std::string_view kind, Platform platform);
// `words` of a row with groups spelled out.
std::set<std::string_view> key_names(std::string_view words);

// {"kinds": [..], "groups": [..]}, for the documentation.
Value resource_kind_table();

}  // namespace fabric
