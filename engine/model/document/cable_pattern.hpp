// SPDX-License-Identifier: Apache-2.0
// The two ends of a cable that stands for many: `for` variables and zipped node sets.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/findings.hpp"
#include "engine/model/node_set.hpp"
#include "engine/yaml/node.hpp"

namespace fabric {

// `for: {i: 1-32, r: 0-7}`: all combinations, the last variable varying fastest.
class Repetition {
 public:
  // `variables` null: once. Broken ranges are `bad-node-set`.
  static std::optional<Repetition> read(const yaml::Node* variables, Findings& findings);

  std::size_t size() const { return size_; }
  const std::vector<std::string>& names() const { return names_; }
  // `text` with every {name} replaced, in combination `index`. Fails with ErrorCode::invalid for a
  // name that `for` does not have.
  Result<std::string> apply(std::string_view text, std::size_t index) const;

 private:
  std::vector<std::string> names_;
  std::vector<NodeSet> values_;
  std::size_t size_ = 1;
};

}  // namespace fabric
