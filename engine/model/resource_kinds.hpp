// SPDX-License-Identifier: Apache-2.0
// The kinds of resource as expansion writes them and providers read them: the binding of each, and
// its possible attributes. docs/resources.md is printed from it, and a test holds what expansion
// makes of every document of the tests against it.
#pragma once

#include <set>
#include <span>
#include <string_view>

#include "engine/model/platform.hpp"
#include "engine/value/value.hpp"

namespace fabric {

// `binding` and `attributes` are names (resource_keys.hpp) between blanks; PORT and its like stand
// for the names of a group (resource_key_groups), `*` for any, and FACTS for names that are added
// once the facts of the nodes are known.
struct ResourceKind {
  std::string_view kind;
  std::string_view name;  // the name of its resources, or an example
  bool of_switch;         // the kind on managed switches
  std::string_view binding;
  std::string_view attributes;
  // The forms of the kind that a provider may lack (Resource::features), besides single attributes.
  std::string_view features;
  std::string_view meaning;
  // What a machine shows of an attribute, unless in a file, where nobody has set it or the thing is
  // not there: "loaded=false".
  std::string_view nothing{};
};

struct KeyGroup {
  std::string_view name, keys, meaning;
};

std::span<const ResourceKind> resource_kinds();
std::span<const KeyGroup> resource_key_groups();

// Returns null if there is no such kind.
const ResourceKind* find_resource_kind(std::string_view kind, Platform platform);
// The names in `words` of a row, with groups expanded.
std::set<std::string_view> key_names(std::string_view words);

// {"kinds": [..], "groups": [..]}, for the documentation.
Value resource_kind_table();

}  // namespace fabric
