// SPDX-License-Identifier: Apache-2.0
#include "engine/model/node_set.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"

namespace fabric {

namespace {

// Numbers in names: longer ones are refused, so that counting can't overflow.
constexpr std::size_t kMostDigits = 12;
constexpr std::size_t kMostGroups = 32;  // brackets in one name
// The most bytes of all names of a list: the most names, each of the greatest length.
constexpr std::size_t kMostBytes = limits::kNodeSetMembers * 253;

Error invalid(std::string message) {
  return {ErrorCode::invalid, std::move(message)};
}

Result<std::uint64_t> parse_number(std::string_view text, std::string_view range, int base = 10) {
  const std::optional<std::uint64_t> number = parse_unsigned(text, base);
  if (!number || text.size() > kMostDigits) {
    return invalid(fmt::format("'{}' is not a range of numbers", range));
  }
  return *number;
}

Error too_many() {
  return invalid(fmt::format("names more than {} members", limits::kNodeSetMembers));
}

// The end of the name that begins at `begin`: a comma outside of brackets.
std::size_t end_of_name(std::string_view text, std::size_t begin) {
  bool inside = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    inside = text[i] == '[' || (inside && text[i] != ']');
    if (text[i] == ',' && !inside) return i;
  }
  return text.size();
}

}  // namespace

Result<NodeSet::Range> NodeSet::parse_range(std::string_view text, int base) {
  const std::size_t slash = text.find('/');
  const std::string_view bounds = text.substr(0, slash);
  const std::size_t dash = bounds.find('-');
  const std::string_view low = bounds.substr(0, dash);
  const std::string_view high = dash == std::string_view::npos ? low : bounds.substr(dash + 1);
  Range range;
  range.first = FABRIC_TRY(parse_number(low, text, base));
  const std::uint64_t last = FABRIC_TRY(parse_number(high, text, base));
  if (slash != std::string_view::npos) {
    range.step = FABRIC_TRY(parse_number(text.substr(slash + 1), text));
  }
  if (range.step == 0) return invalid(fmt::format("the range '{}' has the step 0", text));
  if (last < range.first) return invalid(fmt::format("the range '{}' runs backwards", text));
  const auto padded = [](std::string_view digits) {
    return digits.size() > 1 && digits[0] == '0';
  };
  const bool mixed =
      low.size() != high.size() && (padded(high) || (padded(low) && high.size() < low.size()));
  if (mixed) return invalid(fmt::format("the range '{}' mixes two widths of padding", text));
  if (padded(low)) range.width = low.size();
  const std::uint64_t steps = (last - range.first) / range.step;
  if (steps >= limits::kNodeSetMembers) return too_many();
  range.count = static_cast<std::size_t>(steps) + 1;
  return range;
}

Result<NodeSet::Group> NodeSet::parse_group(std::string_view text, int base) {
  Group group;
  for (const std::string_view part : split(text, ',')) {
    Range range = FABRIC_TRY(parse_range(part, base));
    range.before = group.size;
    group.size += range.count;
    if (group.size > limits::kNodeSetMembers) return too_many();
    group.ranges.push_back(range);
  }
  return group;
}

Result<void> NodeSet::append_group(std::string_view body) {
  if (groups_.size() == kMostGroups)
    return invalid(fmt::format("has more than {} brackets", kMostGroups));
  Group group = FABRIC_TRY(parse_group(body, base_));
  // Both factors are at most kNodeSetMembers, so the product can't overflow.
  if (size_ * group.size > limits::kNodeSetMembers) return too_many();
  size_ *= group.size;
  groups_.push_back(std::move(group));
  literals_.emplace_back();
  return {};
}

Result<NodeSet> NodeSet::parse(std::string_view text, int base) {
  NodeSet set;
  set.base_ = base;
  set.text_ = text;
  set.literals_.emplace_back();
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bracket = text.find_first_of("[]", at);
    set.literals_.back() += text.substr(at, bracket - at);
    if (bracket == std::string_view::npos) break;
    const std::size_t close = text.find_first_of("[]", bracket + 1);
    if (text[bracket] == ']' || close == std::string_view::npos || text[close] == '[') {
      return invalid(fmt::format("'{}' has brackets that do not pair", text));
    }
    const std::string_view body = text.substr(bracket + 1, close - bracket - 1);
    if (body.find(':') != std::string_view::npos) {
      set.literals_.back() += text.substr(bracket, close + 1 - bracket);
    } else {
      const Result<void> appended = set.append_group(body);
      if (!appended) return with_context(appended.error(), fmt::format("'{}'", text));
    }
    at = close + 1;
  }
  return set;
}

std::string NodeSet::at(std::size_t index) const {
  FABRIC_CHECK(index < size_, "a node set was asked for a member it does not have");
  std::string member = literals_.front();
  std::size_t combinations = size_;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    combinations /= group.size;
    const std::size_t place = index / combinations % group.size;
    const auto after = std::upper_bound(
        group.ranges.begin(), group.ranges.end(), place, [](std::size_t wanted, const Range& each) {
          return wanted < each.before;
        });
    const Range& range = *std::prev(after);
    const std::uint64_t value = range.first + range.step * (place - range.before);
    const std::string number = base_ == 16 ? fmt::format("{:x}", value) : std::to_string(value);
    if (number.size() < range.width) member.append(range.width - number.size(), '0');
    member += number;
    member += literals_[i + 1];
  }
  return member;
}

Result<void> check_zip(const NodeSet& a, const NodeSet& b) {
  const auto describe = [](const NodeSet& set) {
    return set.group_count() == 0 ? fmt::format("'{}' is one", set.text())
                                  : fmt::format("'{}' names {}", set.text(), set.size());
  };
  if ((a.group_count() == 0) != (b.group_count() == 0) || a.size() != b.size()) {
    return invalid(fmt::format("sets do not zip: {}, {}", describe(a), describe(b)));
  }
  return {};
}

Result<std::string> zip_value(
    std::string_view value, const NodeSet& key, std::size_t index, int base) {
  if (value.find_first_of("[]") == std::string_view::npos) return std::string{value};
  const NodeSet set = FABRIC_TRY(NodeSet::parse(value, base));
  if (set.group_count() == 0) return std::string{value};
  FABRIC_TRY(check_zip(key, set));
  return set.at(index);
}

Result<std::vector<std::string>> expand_name_list(std::string_view text) {
  std::vector<std::string> names;
  std::size_t bytes = 0;
  for (std::size_t begin = 0, end = 0; begin <= text.size(); begin = end + 1) {
    end = end_of_name(text, begin);
    const NodeSet set = FABRIC_TRY(NodeSet::parse(trim(text.substr(begin, end - begin))));
    bytes += set.size() * set.at(0).size();
    if (names.size() + set.size() > limits::kNodeSetMembers || bytes > kMostBytes)
      return too_many();
    for (std::size_t i = 0; i < set.size(); ++i)
      names.push_back(set.at(i));
  }
  return names;
}

}  // namespace fabric
