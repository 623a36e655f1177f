// SPDX-License-Identifier: Apache-2.0
// The rules of a schema for the keys of one mapping, apart from their values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/schema/rule_set.hpp"
#include "engine/yaml/node.hpp"

namespace fabric::schema {

// Path: the validator's place in the document, kept on its stack and written out only for a
// message.
struct Path {
  const Path* parent = nullptr;  // null for the document itself
  std::string_view key;          // key of a mapping's value
  std::size_t index = 0;         // index of a list's item
  bool is_item = false;
  SourceRange key_range;         // place of `key`; none for items
  std::string_view description;  // the schema's description of the value
};

// "networks.storage.cables[0]", or "the document".
std::string to_text(const Path& path);

// The words of the validator's findings.
// "a text or a list".
std::string describe_types(Types types);
// "the text 'big'", "the whole number 16", "a mapping", "nothing".
std::string describe_found(const yaml::Node& node);
// "infiniband, ethernet, chain, lag" or "'fabric/v1'".
std::string describe_choices(const std::vector<std::string>& words);
// "a number from 1 to 65535", "at least 1", "at most 5".
std::string describe_range(const Bounds<double>& range);
// "exactly 2 items", "at least 1 item".
std::string describe_count(const Bounds<std::size_t>& count, std::string_view noun);

// The cure for a value of the wrong type; "" if there is none.
std::string help_for_type(const yaml::Node& node, Types accepted);
// The schema's description of a value, and an example.
std::string help_from(const Rule& rule, const Path& path);

inline constexpr std::string_view kDidYouMean = "did you mean ";
std::string did_you_mean(std::string_view word);

// The keys that a mapping could have and lacks, computed once for all its unknown keys.
class UnusedKeys {
 public:
  UnusedKeys(const yaml::Node& mapping, const Rule& rule) : mapping_{mapping}, rule_{rule} {}
  const std::vector<std::string>& names();
  const yaml::Node& mapping() const { return mapping_; }
  const Rule& rule() const { return rule_; }

 private:
  const yaml::Node& mapping_;
  const Rule& rule_;
  std::optional<std::vector<std::string>> names_;
};

// Reports unknown-key, with the key that was probably meant or else the possible keys.
void report_unknown_key(
    UnusedKeys& unused, const yaml::Entry& entry, const Path& path, Diagnostics& diagnostics);

// Reports missing-key for every required key, except one that an unknown key is a typo of.
void check_required_keys(UnusedKeys& unused, const Path& path, Diagnostics& diagnostics);

// Reports missing-key or out-of-range for a number of keys against minProperties or maxProperties.
void check_key_count(
    const yaml::Node& mapping, const Rule& rule, const Path& path, Diagnostics& diagnostics);

}  // namespace fabric::schema
