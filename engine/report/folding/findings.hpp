// SPDX-License-Identifier: Apache-2.0
// Findings that differ in nothing but the names of nodes, adapters and networks, their addresses
// and numbers that go with these are one for the reader. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/base/diagnostic.hpp"

namespace fabric::report {

struct FoldedFinding {
  // Range and notes of the first; in message and help, sets in place of what differs:
  // "pve[1-3]/cx5/[1-2]: 10.30.0.[1-6] ...". As it is if it stands for itself alone.
  Diagnostic shown;
  // Indexes of all that it stands for, ascending.
  std::vector<std::size_t> members;
  // Where those are, each place once, that of the first left out.
  std::vector<SourceRange> more_places;
  // Indexes of the findings that only follow from it (Diagnostic::cause), ascending.
  std::vector<std::size_t> consequences;
};

// Every finding is in exactly one of them, as a member or as a consequence; no error hides behind
// what is less. Members of one have severity, rule and number of notes in
// common; the sets in their texts are either read side by side (pve1 with .1, pve2 with .3) or all
// with all (two ports of each of three nodes), never some with some. In order of the first members.
// Where numbers ("mtu 9000"), ports or several names differ together, they only fold from four on:
// each of four nodes may have its own number, but two nodes at two ports are two findings.
std::vector<FoldedFinding> fold_findings(const Diagnostics& findings);
// Each for itself, for --verbose.
std::vector<FoldedFinding> single_findings(const Diagnostics& findings);

}  // namespace fabric::report
