// SPDX-License-Identifier: Apache-2.0
#include "engine/schema/schema.hpp"

#include "engine/schema/rule_compiler.hpp"
#include "engine/schema/rule_set.hpp"
#include "engine/value/json.hpp"

namespace fabric::schema {

// NOLINTNEXTLINE(misc-no-recursion): load() has refused cycles
Types accepted_types(const Rule& rule) {
  Types types = rule.types;
  if (rule.base != nullptr) types &= accepted_types(*rule.base);
  for (const auto* alternatives : {&rule.any_of, &rule.one_of}) {
    if (alternatives->empty()) continue;
    Types together = 0;
    for (const Rule* alternative : *alternatives)
      together |= accepted_types(*alternative);
    types &= together;
  }
  return types;
}

Result<Schema> Schema::load(std::string_view json_text) {
  Value root = FABRIC_TRY(parse_json(json_text));
  std::shared_ptr<const RuleSet> rules = FABRIC_TRY(RuleCompiler{}.compile(root));
  return Schema{std::move(root), std::move(rules)};
}

}  // namespace fabric::schema
