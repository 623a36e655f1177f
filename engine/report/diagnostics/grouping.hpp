// SPDX-License-Identifier: Apache-2.0
// Equal findings about many nodes are shown as one. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"

namespace fabric::report {

// Findings of one rule which say the same of different subjects: word for word, or at one place but
// for names and numbers. People see the first, and which other subjects there are.
struct FindingGroup {
  // Indexes, ascending.
  std::vector<std::size_t> members;
  // Indexes of the findings that only follow from a member (Diagnostic::cause), ascending.
  std::vector<std::size_t> consequences;
};

// Every finding is in exactly one group, as a member or as a consequence; no error hides behind
// what is less. Findings without a subject are equal if all their words are. In order of the first
// members.
std::vector<FindingGroup> group_findings(const Diagnostics& findings);
// Each for itself, for --verbose.
std::vector<FindingGroup> single_findings(const Diagnostics& findings);

// "and 11 more: pve[2-12]", "and 11 more: pve[2-12]/cx5/1"; "" of a group of one.
std::string others_text(const FindingGroup& group, const Diagnostics& findings);
// A group in one line. If all say the same but for their names, "pve[1-12]" and "reboot pve[1-12]",
// else "pve1 (and 11 more: pve[2-12])" and what the first says.
struct SaidByAll {
  std::string who, what;
};
SaidByAll said_by_all(const FindingGroup& group, const Diagnostics& findings);
// "2 findings follow from this one"; "" if none does.
std::string consequences_text(const FindingGroup& group);

// A set of names, cut where it gets long: its beginning tells what it is, --verbose tells all.
std::string short_set(std::vector<std::string> names);

}  // namespace fabric::report
