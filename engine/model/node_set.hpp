// SPDX-License-Identifier: Apache-2.0
// NodeSet: ClusterShell/Slurm notation for many names in one text: "pve[1-4]", "c[001-128,140]",
// "r[1-2]n[1-16]", "leaf1/[1-36]", "[0-30/2]". Never expanded as a whole before its size is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"

namespace fabric {

class NodeSet {
 public:
  // A text without brackets is a set of one, and so is an IPv6 literal in brackets
  // ("root@[2001:db8::1]"). Fails with ErrorCode::invalid, saying what is wrong, for brackets that
  // do not pair, an empty or reversed range, mixed padding, or more members than
  // limits::kNodeSetMembers. `base`: of the numbers in brackets, 10, or 16 for PCI addresses.
  static Result<NodeSet> parse(std::string_view text, int base = 10);

  const std::string& text() const { return text_; }
  // Bracket groups. 0 = plain text.
  std::size_t group_count() const { return groups_.size(); }
  // Number of members, at least 1.
  std::size_t size() const { return size_; }
  // Member `index`, in the order of the text, the last group varying fastest. REQUIRES: index <
  // size().
  std::string at(std::size_t index) const;

 private:
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t step = 1;
    std::size_t count = 0;
    std::size_t before = 0;  // number of members of the group's earlier ranges
    std::size_t width = 0;   // digits to pad to
  };
  struct Group {
    std::vector<Range> ranges;
    std::size_t size = 0;
  };

  static Result<Range> parse_range(std::string_view text, int base);
  static Result<Group> parse_group(std::string_view text, int base);
  Result<void> append_group(std::string_view body);

  std::string text_;
  std::vector<std::string> literals_;  // texts around the groups: one more than there are groups
  std::vector<Group> groups_;
  std::size_t size_ = 1;
  int base_ = 10;
};

// Fails, naming both, unless `a` and `b` can be paired member by member: brackets in both and equal
// sizes. The number of brackets may differ: "c[1-8]/1" and "leaf[1-2]/[1-4]".
Result<void> check_zip(const NodeSet& a, const NodeSet& b);

// The value for member `index` of `key`: plain text as it is, or the member at that place of a set
// that zips with the key. Fails as check_zip, or as NodeSet::parse.
Result<std::string> zip_value(
    std::string_view value, const NodeSet& key, std::size_t index, int base = 10);

// The names in a list of sets, "pve[1-2],leaf1": all members, in order. Fails as NodeSet::parse.
Result<std::vector<std::string>> expand_name_list(std::string_view text);

}  // namespace fabric
