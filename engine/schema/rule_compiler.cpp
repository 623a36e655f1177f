// SPDX-License-Identifier: Apache-2.0
#include "engine/schema/rule_compiler.hpp"

#include <fmt/format.h>

namespace fabric::schema {

const std::map<std::string_view, RuleCompiler::Keyword>& RuleCompiler::keywords() {
  static const std::map<std::string_view, Keyword> table{
      {"$schema", &RuleCompiler::annotation},
      {"$id", &RuleCompiler::annotation},
      {"title", &RuleCompiler::annotation},
      {"default", &RuleCompiler::annotation},
      {"$defs", &RuleCompiler::definitions},
      {"$ref", &RuleCompiler::reference},
      {"type", &RuleCompiler::type},
      {"anyOf", &RuleCompiler::alternatives_any},
      {"oneOf", &RuleCompiler::alternatives_one},
      {"enum", &RuleCompiler::choices},
      {"const", &RuleCompiler::constant},
      {"pattern", &RuleCompiler::pattern},
      {"contentMediaType", &RuleCompiler::content},
      {"minimum", &RuleCompiler::minimum},
      {"maximum", &RuleCompiler::maximum},
      {"minLength", &RuleCompiler::min_length},
      {"items", &RuleCompiler::items},
      {"minItems", &RuleCompiler::min_items},
      {"maxItems", &RuleCompiler::max_items},
      {"properties", &RuleCompiler::properties},
      {"patternProperties", &RuleCompiler::pattern_properties},
      {"additionalProperties", &RuleCompiler::additional},
      {"propertyNames", &RuleCompiler::property_names},
      {"required", &RuleCompiler::required},
      {"minProperties", &RuleCompiler::min_properties},
      {"maxProperties", &RuleCompiler::max_properties},
      {"description", &RuleCompiler::description},
      {"examples", &RuleCompiler::examples},
  };
  return table;
}

void RuleCompiler::fail(const std::string& where, std::string_view what) {
  if (error_.empty()) error_ = fmt::format("schema {}: {}", where, what);
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse_json
Rule* RuleCompiler::add(const Value& schema, const std::string& where) {
  Rule& rule = set_.rules.emplace_back();
  const Map* members = schema.as_map();
  if (members == nullptr) {
    fail(where, "a schema must be an object");
    return &rule;
  }
  for (const auto& [name, value] : *members) {
    if (name == "x-fabric-synonyms" && value.as_map() != nullptr) {
      for (const auto& [word, meant] : *value.as_map())
        rule.synonyms.emplace(word, to_text(meant));
    }
    if (std::string_view{name}.substr(0, 9) == "x-fabric-") continue;
    const auto keyword = keywords().find(name);
    if (keyword == keywords().end()) {
      fail(where, fmt::format("keyword '{}' is not in the subset", name));
      return &rule;
    }
    (this->*keyword->second)(rule, value, where + "/" + name);
  }
  return &rule;
}

void RuleCompiler::resolve_references() {
  for (const auto& [rule, target] : references_) {
    const auto found = definitions_.find(target);
    if (found == definitions_.end()) return fail(target, "there is no such definition");
    rule->base = found->second;
  }
}

// A rule that refers to itself without looking deeper into the value would never end.
// NOLINTNEXTLINE(misc-no-recursion): every rule is entered once
void RuleCompiler::refuse_cycles(
    const Rule& rule, std::set<const Rule*>& open, std::set<const Rule*>& done) {
  if (done.contains(&rule) || !error_.empty()) return;
  if (!open.insert(&rule).second) return fail("$ref", "a definition refers to itself");
  if (rule.base != nullptr) refuse_cycles(*rule.base, open, done);
  for (const Rule* alternative : rule.any_of)
    refuse_cycles(*alternative, open, done);
  for (const Rule* alternative : rule.one_of)
    refuse_cycles(*alternative, open, done);
  open.erase(&rule);
  done.insert(&rule);
}

Result<std::shared_ptr<const RuleSet>> RuleCompiler::compile(const Value& root) {
  set_.root = add(root, "#");
  for (Rule& rule : set_.rules)
    rule.one_line = rule.one_line && root.find("x-fabric-texts-of-one-line") != nullptr;
  resolve_references();
  std::set<const Rule*> open;
  std::set<const Rule*> done;
  for (const Rule& rule : set_.rules)
    refuse_cycles(rule, open, done);
  if (!error_.empty()) return Error{ErrorCode::invalid, error_};
  return std::make_shared<const RuleSet>(std::move(set_));
}

}  // namespace fabric::schema
