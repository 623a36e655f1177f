// Schema: the subset of JSON Schema that the documents of fabric are described in.
//
// The subset: type (one or list), properties, required, additionalProperties (bool or schema),
// patternProperties, propertyNames.pattern, items, minItems, maxItems, enum, const, minimum,
// maximum, pattern, minLength, oneOf, anyOf, $ref to "#/$defs/...", minProperties, maxProperties,
// $schema, $id, $defs, description, title, default, examples, and x-fabric-* annotations. A schema
// with any other keyword is refused when it is loaded, so that no rule is silently ignored.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::schema {

class Schema {
 public:
  // Fails with ErrorCode::invalid naming the keyword and its place.
  static Result<Schema> load(std::string_view json_text);

  const Value& root() const { return root_; }

 private:
  explicit Schema(Value root) : root_{std::move(root)} {}
  Value root_;
};

}  // namespace fabric::schema
