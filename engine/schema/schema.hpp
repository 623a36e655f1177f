// SPDX-License-Identifier: Apache-2.0
// Schema: the subset of JSON Schema for the documents of fabric.
//
// The subset: type (one or list), properties, required, additionalProperties (bool or schema),
// patternProperties, propertyNames.pattern, items, minItems, maxItems, enum, const, minimum,
// maximum, pattern, minLength, oneOf, anyOf, $ref to "#/$defs/...", minProperties, maxProperties,
// $schema, $id, $defs, description, title, default, examples, and x-fabric-* annotations. A schema
// with any other keyword is refused when it is loaded, so that no rule is silently ignored.
// Patterns use the common part of ECMAScript and POSIX extended expressions (no \d, no groups that
// begin with ?, no lazy repetition).
#pragma once

#include <memory>
#include <string_view>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::schema {

struct RuleSet;

class Schema {
 public:
  // Fails with ErrorCode::invalid naming the keyword and its place.
  static Result<Schema> load(std::string_view json_text);

  const Value& root() const { return root_; }
  // The schema, resolved and compiled (rule_set.hpp). Shared by copies of the schema.
  const RuleSet& rules() const { return *rules_; }

 private:
  Schema(Value root, std::shared_ptr<const RuleSet> rules)
      : root_{std::move(root)}, rules_{std::move(rules)} {}
  Value root_;
  std::shared_ptr<const RuleSet> rules_;
};

}  // namespace fabric::schema
