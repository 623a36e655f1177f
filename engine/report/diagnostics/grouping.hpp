// SPDX-License-Identifier: Apache-2.0
// Equal findings about many nodes are shown as one. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"

namespace fabric::report {

// The place of a finding, for all formats.
struct Place {
  bool known = false;  // false for a finding that no line of the document gave
  std::string path;    // as people gave it
  Position begin;
  Position end;  // one behind the last character
};
Place place_of(const SourceMap& sources, SourceRange range);

// The path relative to `root` if it is below it, without "./". `root` may be empty. A relative path
// is relative to `folder`; "" = that is the root.
std::string relative_path(
    std::string_view path, std::string_view root, std::string_view folder = {});

// Findings of one rule with equal messages about different subjects: word for word, or at one place
// with other names and numbers. The first one is shown with the list of the other subjects.
struct FindingGroup {
  // Indexes, ascending.
  std::vector<std::size_t> members;
  // Indexes of findings that only follow from a member (Diagnostic::cause), ascending.
  std::vector<std::size_t> consequences;
};

// Every finding is in exactly one group, as a member or as a consequence; an error is never grouped
// under a warning. Findings without a subject are equal if all their words are. In order of the
// first members.
std::vector<FindingGroup> group_findings(const Diagnostics& findings);
// One group for each finding, for --verbose.
std::vector<FindingGroup> single_findings(const Diagnostics& findings);

// "and 11 more: pve[2-12]", "and 11 more: pve[2-12]/cx5/1"; "" for a group of one.
std::string others_text(const FindingGroup& group, const Diagnostics& findings);
// A group in one line: "pve[1-12]" and "reboot pve[1-12]" if the messages differ only in names,
// else "pve1 (and 11 more: pve[2-12])" and the first message.
struct SaidByAll {
  std::string who, what;
};
SaidByAll said_by_all(const FindingGroup& group, const Diagnostics& findings);
// "2 findings follow from this one"; "" if there are none.
std::string consequences_text(const FindingGroup& group);

// A set of names, cut if it is long; --verbose shows it whole.
std::string short_set(std::vector<std::string> names);

}  // namespace fabric::report
