// SPDX-License-Identifier: Apache-2.0
// RuleCompiler: turns the JSON of a schema into a RuleSet. Private to this layer.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/schema/rule_set.hpp"
#include "engine/value/value.hpp"

namespace fabric::schema {

// For one use. The first problem is the result.
class RuleCompiler {
 public:
  Result<std::shared_ptr<const RuleSet>> compile(const Value& root);

 private:
  using Keyword = void (RuleCompiler::*)(Rule& rule, const Value& value, const std::string& where);
  static const std::map<std::string_view, Keyword>& keywords();

  Rule* add(const Value& schema, const std::string& where);
  void fail(const std::string& where, std::string_view what);
  void resolve_references();
  void refuse_cycles(const Rule& rule, std::set<const Rule*>& open, std::set<const Rule*>& done);

  // One function per keyword; `where` is its place in the schema, for messages.
  void annotation(Rule& /*rule*/, const Value& /*value*/, const std::string& /*where*/) {}
  void definitions(Rule& rule, const Value& value, const std::string& where);
  void reference(Rule& rule, const Value& value, const std::string& where);
  void type(Rule& rule, const Value& value, const std::string& where);
  void alternatives_any(Rule& rule, const Value& value, const std::string& where);
  void alternatives_one(Rule& rule, const Value& value, const std::string& where);
  void choices(Rule& rule, const Value& value, const std::string& where);
  void add_choice(Rule& rule, const Value& value, const std::string& where);
  void constant(Rule& rule, const Value& value, const std::string& where);
  void pattern(Rule& rule, const Value& value, const std::string& where);
  void content(Rule& rule, const Value& value, const std::string& where);
  void minimum(Rule& rule, const Value& value, const std::string& where);
  void maximum(Rule& rule, const Value& value, const std::string& where);
  void min_length(Rule& rule, const Value& value, const std::string& where);
  void items(Rule& rule, const Value& value, const std::string& where);
  void min_items(Rule& rule, const Value& value, const std::string& where);
  void max_items(Rule& rule, const Value& value, const std::string& where);
  void properties(Rule& rule, const Value& value, const std::string& where);
  void pattern_properties(Rule& rule, const Value& value, const std::string& where);
  void additional(Rule& rule, const Value& value, const std::string& where);
  void property_names(Rule& rule, const Value& value, const std::string& where);
  void required(Rule& rule, const Value& value, const std::string& where);
  void min_properties(Rule& rule, const Value& value, const std::string& where);
  void max_properties(Rule& rule, const Value& value, const std::string& where);
  void description(Rule& rule, const Value& value, const std::string& where);
  void examples(Rule& rule, const Value& value, const std::string& where);

  std::optional<Pattern> compile_pattern(const Value& value, const std::string& where);
  double number(const Value& value, const std::string& where);
  std::size_t count(const Value& value, const std::string& where);
  std::vector<const Rule*> alternatives(const Value& value, const std::string& where);

  RuleSet set_;
  std::map<std::string, const Rule*> definitions_;
  std::vector<std::pair<Rule*, std::string>> references_;  // to be resolved at the end
  std::string error_;
};

}  // namespace fabric::schema
