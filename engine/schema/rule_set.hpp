// SPDX-License-Identifier: Apache-2.0
// RuleSet: a schema with its references resolved and its patterns compiled, for validate.cpp.
// Private to this layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/yaml/scalar.hpp"

namespace fabric::schema {

// Pattern: a compiled regular expression. POSIX, because std::regex is slow and its recursion grows
// with the text.
class Pattern {
 public:
  // Fails with ErrorCode::invalid on bad syntax, or if POSIX and ECMAScript read it differently.
  static Result<Pattern> compile(const std::string& expression);

  // True if the expression matches somewhere in `text`.
  bool matches(std::string_view text) const;

 private:
  struct Compiled;
  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_{std::move(compiled)} {}
  std::shared_ptr<const Compiled> compiled_;
};

// Sets of JSON types, as bits.
using Types = std::uint32_t;
inline constexpr Types kNull = 1;
inline constexpr Types kBoolean = 2;
inline constexpr Types kInteger = 4;
inline constexpr Types kFraction = 8;  // a number that is no integer
inline constexpr Types kString = 16;
inline constexpr Types kArray = 32;
inline constexpr Types kObject = 64;
inline constexpr Types kAnyType = 127;

template <class Number>
struct Bounds {
  Number least = std::numeric_limits<Number>::lowest();
  Number most = std::numeric_limits<Number>::max();
  bool contains(Number number) const { return least <= number && number <= most; }
};

struct Rule {
  Types types = kAnyType;
  const Rule* base = nullptr;  // $ref: applies in addition to the rest
  std::vector<const Rule*> any_of, one_of;

  std::vector<yaml::ScalarValue> choices;  // enum, or const alone; empty = no restriction
  std::vector<std::string> choice_words;   // `choices` in their written form
  // x-fabric-synonyms: a word in lower case, and the choice that it means, with its quotes.
  std::map<std::string, std::string, std::less<>> synonyms;
  std::optional<Pattern> pattern;
  std::size_t least_characters = 0;
  bool one_line = true;  // a text is, by the schema; not with a contentMediaType
  Bounds<double> range;

  const Rule* items = nullptr;
  Bounds<std::size_t> item_count;

  std::map<std::string, const Rule*, std::less<>> properties;
  std::vector<std::string> property_names;  // names of `properties`, in order of the schema's Map
  std::vector<std::pair<Pattern, const Rule*>> pattern_properties;
  std::vector<std::string> required;
  bool closed = false;               // additionalProperties: false
  const Rule* additional = nullptr;  // additionalProperties: {...}
  std::optional<Pattern> key_pattern;
  Bounds<std::size_t> key_count;

  std::string description;
  std::string example;  // the first of `examples`, as YAML; "" = too long
};

struct RuleSet {
  std::deque<Rule> rules;  // owns; addresses are stable
  const Rule* root = nullptr;
};

// The types of values that could satisfy `rule`, by the types alone.
Types accepted_types(const Rule& rule);

}  // namespace fabric::schema
