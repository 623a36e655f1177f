// Resource: one managed thing of one node, with what is desired of it.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/node_name.hpp"
#include "engine/base/source.hpp"
#include "engine/value/value.hpp"

namespace fabric {

// Prints as "pve1/settings/cx5". Total order: node, kind, name.
struct ResourceAddress {
  NodeName node;
  std::string kind;
  std::string name;

  std::string str() const { return node.str() + "/" + kind + "/" + name; }
  // The name may hold '/' itself. Fails with ErrorCode::invalid, saying which part is wrong.
  static Result<ResourceAddress> parse(std::string_view text);
  friend auto operator<=>(const ResourceAddress&, const ResourceAddress&) = default;
};

struct DesiredAttribute {
  Value value;
  SourceRange source;  // the YAML line that asks for it
  std::string reason;  // "mode chain needs Ethernet on both ports"
};

struct Resource {
  ResourceAddress address;
  // What the provider needs to find the thing on the node, never compared: adapter selector,
  // model, port number, ... See expand.cpp for what each kind carries.
  Map binding;
  std::map<std::string, DesiredAttribute, std::less<>> desired;
  // Must be right before this one is touched; may be resources of other nodes.
  std::vector<ResourceAddress> after;
  SourceRange origin;
};

}  // namespace fabric
