// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/schema/rule_compiler.hpp"

namespace fabric::schema {

namespace {

constexpr std::string_view kDefinitions = "#/$defs/";

constexpr std::array<std::pair<std::string_view, Types>, 7> kTypeNames{{
    {"null", kNull},
    {"boolean", kBoolean},
    {"integer", kInteger},
    {"number", kInteger | kFraction},
    {"string", kString},
    {"array", kArray},
    {"object", kObject},
}};

Types type_of(const Value& value) {
  constexpr std::array<Types, 7> kByIndex{
      kNull, kBoolean, kInteger, kFraction, kString, kArray, kObject};
  return kByIndex.at(value.storage().index());
}

// 0 for what is no name of a type.
Types types_by_name(const Value& value) {
  const std::string* name = value.as_string();
  if (name == nullptr) return 0;
  const auto known =
      std::ranges::find_if(kTypeNames, [&](const auto& entry) { return entry.first == *name; });
  return known == kTypeNames.end() ? 0 : known->second;
}

std::optional<yaml::ScalarValue> as_choice(const Value& value) {
  if (value.is_null()) return yaml::ScalarValue{std::monostate{}};
  if (const bool* flag = value.as_bool()) return yaml::ScalarValue{*flag};
  if (const std::int64_t* number = value.as_integer()) return yaml::ScalarValue{*number};
  if (const std::string* text = value.as_string()) return yaml::ScalarValue{*text};
  return std::nullopt;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse_json
void RuleCompiler::definitions(Rule& /*rule*/, const Value& value, const std::string& where) {
  if (value.as_map() == nullptr) return fail(where, "an object expected");
  for (const auto& [name, schema] : *value.as_map()) {
    definitions_[std::string{kDefinitions} + name] = add(schema, where + "/" + name);
  }
}

void RuleCompiler::reference(Rule& rule, const Value& value, const std::string& where) {
  const std::string* target = value.as_string();
  if (target == nullptr) return fail(where, "a text expected");
  references_.emplace_back(&rule, *target);
}

void RuleCompiler::type(Rule& rule, const Value& value, const std::string& where) {
  Types types = 0;
  const auto see = [&](const Value& name) {
    const Types named = types_by_name(name);
    if (named == 0) fail(where, "not a type: " + to_text(name));
    types |= named;
  };
  if (value.as_list() == nullptr) {
    see(value);
  } else {
    for (const Value& name : *value.as_list())
      see(name);
  }
  rule.types &= types;
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse_json
std::vector<const Rule*> RuleCompiler::alternatives(const Value& value, const std::string& where) {
  std::vector<const Rule*> rules;
  const List* list = value.as_list();
  if (list == nullptr || list->empty()) {
    fail(where, "a list of schemas expected");
    return rules;
  }
  for (const Value& schema : *list) {
    rules.push_back(add(schema, fmt::format("{}/{}", where, rules.size())));
  }
  return rules;
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse_json
void RuleCompiler::alternatives_any(Rule& rule, const Value& value, const std::string& where) {
  rule.any_of = alternatives(value, where);
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse_json
void RuleCompiler::alternatives_one(Rule& rule, const Value& value, const std::string& where) {
  rule.one_of = alternatives(value, where);
}

void RuleCompiler::add_choice(Rule& rule, const Value& value, const std::string& where) {
  const std::optional<yaml::ScalarValue> choice = as_choice(value);
  if (!choice) return fail(where, "only texts, integers, booleans and null can be choices");
  rule.choices.push_back(*choice);
  rule.choice_words.push_back(to_text(value));
}

void RuleCompiler::choices(Rule& rule, const Value& value, const std::string& where) {
  if (value.as_list() == nullptr || value.as_list()->empty()) return fail(where, "a list expected");
  Types types = 0;
  for (const Value& choice : *value.as_list()) {
    add_choice(rule, choice, where);
    types |= type_of(choice);
  }
  rule.types &= types;
}

void RuleCompiler::constant(Rule& rule, const Value& value, const std::string& where) {
  add_choice(rule, value, where);
  rule.types &= type_of(value);
}

std::optional<Pattern> RuleCompiler::compile_pattern(const Value& value, const std::string& where) {
  const std::string* expression = value.as_string();
  if (expression == nullptr) {
    fail(where, "a text expected");
    return std::nullopt;
  }
  Result<Pattern> compiled = Pattern::compile(*expression);
  if (compiled) return *std::move(compiled);
  fail(where, compiled.error().message);
  return std::nullopt;
}

void RuleCompiler::pattern(Rule& rule, const Value& value, const std::string& where) {
  rule.pattern = compile_pattern(value, where);
}

void RuleCompiler::content(Rule& rule, const Value& value, const std::string& where) {
  if (value.as_string() == nullptr) return fail(where, "a text expected");
  rule.one_line = false;
}

double RuleCompiler::number(const Value& value, const std::string& where) {
  if (const std::int64_t* integer = value.as_integer()) return static_cast<double>(*integer);
  if (const double* fraction = std::get_if<double>(&value.storage())) return *fraction;
  fail(where, "a number expected");
  return 0;
}

std::size_t RuleCompiler::count(const Value& value, const std::string& where) {
  const std::int64_t* integer = value.as_integer();
  if (integer != nullptr && *integer >= 0) return static_cast<std::size_t>(*integer);
  fail(where, "a whole number from 0 expected");
  return 0;
}

void RuleCompiler::minimum(Rule& rule, const Value& value, const std::string& where) {
  rule.range.least = number(value, where);
}

void RuleCompiler::maximum(Rule& rule, const Value& value, const std::string& where) {
  rule.range.most = number(value, where);
}

void RuleCompiler::min_length(Rule& rule, const Value& value, const std::string& where) {
  rule.least_characters = count(value, where);
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse_json
void RuleCompiler::items(Rule& rule, const Value& value, const std::string& where) {
  rule.items = add(value, where);
}

void RuleCompiler::min_items(Rule& rule, const Value& value, const std::string& where) {
  rule.item_count.least = count(value, where);
}

void RuleCompiler::max_items(Rule& rule, const Value& value, const std::string& where) {
  rule.item_count.most = count(value, where);
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse_json
void RuleCompiler::properties(Rule& rule, const Value& value, const std::string& where) {
  if (value.as_map() == nullptr) return fail(where, "an object expected");
  for (const auto& [name, schema] : *value.as_map()) {
    rule.properties[name] = add(schema, where + "/" + name);
    rule.property_names.push_back(name);
  }
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse_json
void RuleCompiler::pattern_properties(Rule& rule, const Value& value, const std::string& where) {
  if (value.as_map() == nullptr) return fail(where, "an object expected");
  for (const auto& [expression, schema] : *value.as_map()) {
    std::optional<Pattern> compiled = compile_pattern(expression, where);
    const Rule* property = add(schema, where + "/" + expression);
    if (compiled) rule.pattern_properties.emplace_back(*std::move(compiled), property);
  }
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse_json
void RuleCompiler::additional(Rule& rule, const Value& value, const std::string& where) {
  if (const bool* allowed = value.as_bool()) {
    rule.closed = !*allowed;
  } else {
    rule.additional = add(value, where);
  }
}

void RuleCompiler::property_names(Rule& rule, const Value& value, const std::string& where) {
  const Map* members = value.as_map();
  if (members == nullptr || members->size() != 1 || value.find("pattern") == nullptr) {
    return fail(where, "{\"pattern\": ...} expected");
  }
  rule.key_pattern = compile_pattern(*value.find("pattern"), where);
}

void RuleCompiler::required(Rule& rule, const Value& value, const std::string& where) {
  if (value.as_list() == nullptr) return fail(where, "a list expected");
  for (const Value& name : *value.as_list()) {
    if (name.as_string() == nullptr) return fail(where, "a list of texts expected");
    rule.required.push_back(*name.as_string());
  }
}

void RuleCompiler::min_properties(Rule& rule, const Value& value, const std::string& where) {
  rule.key_count.least = count(value, where);
}

void RuleCompiler::max_properties(Rule& rule, const Value& value, const std::string& where) {
  rule.key_count.most = count(value, where);
}

void RuleCompiler::description(Rule& rule, const Value& value, const std::string& where) {
  if (value.as_string() == nullptr) return fail(where, "a text expected");
  rule.description = *value.as_string();
}

namespace {

// The text as in a document, quoted if YAML requires it.
std::string flow_scalar(std::string text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/' ||
           c == '-';
  });
  return plain ? text : fmt::format("\"{}\"", text);
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse_json
std::string as_flow(const Value& value) {
  std::vector<std::string> parts;
  if (const List* list = value.as_list()) {
    for (const Value& item : *list)
      parts.push_back(item.as_list() || item.as_map() ? as_flow(item) : flow_scalar(to_text(item)));
    return fmt::format("[{}]", join(parts, ", "));
  }
  if (const Map* map = value.as_map()) {
    for (const auto& [key, item] : *map) {
      parts.push_back(fmt::format(
          "{}: {}",
          flow_scalar(key),
          item.as_list() || item.as_map() ? as_flow(item) : flow_scalar(to_text(item))));
    }
    return fmt::format("{{{}}}", join(parts, ", "));
  }
  return to_text(value);
}

}  // namespace

void RuleCompiler::examples(Rule& rule, const Value& value, const std::string& where) {
  if (value.as_list() == nullptr) return fail(where, "a list expected");
  if (value.as_list()->empty()) return;
  // An example that fills the line explains less than it hides.
  constexpr std::size_t kLongest = 80;
  std::string example = as_flow(value.as_list()->front());
  if (example.size() <= kLongest) rule.example = std::move(example);
}

}  // namespace fabric::schema
