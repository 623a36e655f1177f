// SPDX-License-Identifier: Apache-2.0
// The rules of a schema for the keys of one mapping, apart from their values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/schema/path.hpp"
#include "engine/schema/rule_set.hpp"
#include "engine/yaml/node.hpp"

namespace fabric::schema {

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
