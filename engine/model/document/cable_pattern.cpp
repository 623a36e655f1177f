// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/cable_pattern.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"

namespace fabric {

std::optional<Repetition> Repetition::read(const yaml::Node* variables, Findings& findings) {
  Repetition repetition;
  if (variables == nullptr) return repetition;
  for (const yaml::Entry& entry : variables->entries) {
    if (!entry.value.is_scalar()) return std::nullopt;
    Result<NodeSet> values = NodeSet::parse(fmt::format("[{}]", entry.value.text));
    if (!values || values->group_count() != 1) {
      findings
          .error(
              "bad-node-set",
              entry.value.range,
              fmt::format("'{}' is not a range for '{}'", entry.value.text, entry.key))
          .with_help("write ranges without brackets, as 1-32 or 0-7,12");
      return std::nullopt;
    }
    // Sizes are at most kNodeSetMembers and the product so far kCables: no overflow.
    repetition.size_ *= values->size();
    if (repetition.size_ > limits::kCables) {
      findings.error(
          "bad-node-set",
          variables->range,
          fmt::format("'for' makes more than {} cables", limits::kCables));
      return std::nullopt;
    }
    repetition.names_.push_back(entry.key);
    repetition.values_.push_back(std::move(values).value());
  }
  return repetition;
}

Result<std::string> Repetition::apply(std::string_view text, std::size_t index) const {
  std::string result;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    result += text.substr(0, close == std::string_view::npos ? close : open);
    if (close == std::string_view::npos) break;
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
      return Error{
          ErrorCode::invalid,
          names_.empty() ? fmt::format("'{{{}}}' stands without a 'for'", name)
                         : fmt::format("'for' has no '{}', only {}", name, join(names_, ", "))};
    }
    std::size_t combinations = 1;
    for (std::size_t later = names_.size(); later-- > 0 && names_[later] != name;) {
      combinations *= values_[later].size();
    }
    const NodeSet& values = values_[static_cast<std::size_t>(found - names_.begin())];
    result += values.at(index / combinations % values.size());
    text.remove_prefix(close + 1);
  }
  return result;
}

}  // namespace fabric
