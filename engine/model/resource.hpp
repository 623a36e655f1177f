// SPDX-License-Identifier: Apache-2.0
// Resource: one managed thing of one node, with its desired attributes.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/interned_text.hpp"
#include "engine/base/node_name.hpp"
#include "engine/base/shared_map.hpp"
#include "engine/base/source.hpp"
#include "engine/model/platform.hpp"
#include "engine/value/value.hpp"

namespace fabric {

// Prints as "pve1/settings/cx5". Total order: node, kind, name.
struct ResourceAddress {
  NodeName node;
  InternedText kind;
  InternedText name;

  std::string str() const { return node.str() + "/" + kind + "/" + name; }
  // The name may hold '/' itself. Fails with ErrorCode::invalid, saying which part is wrong.
  static Result<ResourceAddress> parse(std::string_view text);
  friend auto operator<=>(const ResourceAddress&, const ResourceAddress&) = default;
};

struct DesiredAttribute {
  Value value;         // null: the attribute is to be absent or removed
  SourceRange source;  // the YAML line that asks for it
  std::string reason;  // "mode chain needs Ethernet on both ports"
};

using DesiredAttributes = std::map<std::string, DesiredAttribute, std::less<>>;

// An ability that a resource needs and that not every provider of its kind has, with its name as
// the author wrote it. A plan refuses by these names an ability that no provider has.
struct Feature {
  // "" = the kind itself: any provider of it will do. The name of a desired attribute: the rest of
  // the resource can be observed without it. Else a form of the whole resource: "infiniband".
  std::string name;
  std::string written;  // "mode lag", "`gateway`"
  SourceRange range;    // where the document asks for it
};

struct Resource {
  ResourceAddress address;
  // The keys by which the provider finds the thing on the node, never compared: adapter selector,
  // model, port number, ... See resource_keys.hpp for the content of each.
  SharedMap<Map> binding;
  SharedMap<DesiredAttributes> desired;
  // Resources that must be right before this one is touched, also of other nodes.
  std::vector<ResourceAddress> after;
  SourceRange origin;
  // Resources of this node on which this one lies (a bond on its slaves). They must be right before
  // it, as with `after` (which adds nothing between them), but both are written (Stage::prepare)
  // before either is activated; and where both lower their MTU, this one is activated first.
  std::vector<ResourceAddress> beneath{};
  // The resource without which this one is not touched either: the bond of a slave, which lies on
  // it.
  std::optional<ResourceAddress> part_of{};
  std::vector<Feature> features{};
  // Only for `verify`: a plan can observe or change nothing of it.
  bool check_only = false;
  // The platform of the node.
  Platform platform = kUsualPlatform;

  // The value of a desired attribute; null where none is wanted, or not any more.
  const Value* wanted(std::string_view attribute) const;
  // What `binding` has of a key: null, or empty, where it has none of that type.
  const Value* bound(std::string_view key) const;
  std::string bound_text(std::string_view key) const;
  const List& bound_list(std::string_view key) const;
  const Map& bound_map(std::string_view key) const;
};

// True for a resource of a node with `state: observe`: shown, never written.
bool only_observed(const Resource& resource);

// The error of a change that can't be made, which begins with the resource's address.
Error impossible(const Resource& resource, std::string_view why);

}  // namespace fabric
