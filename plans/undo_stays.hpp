// SPDX-License-Identifier: Apache-2.0
// Values that an undo does not bring back: each is a finding, `undo-stays`.
#pragma once

#include <set>
#include <string>

#include "plans/undo.hpp"

namespace fabric::plans {

inline constexpr Layer kEveryLayer[] = {Layer::running, Layer::next_boot, Layer::persistent};

// Null: it was not observed.
const LayeredReading* observed_of(
    const discovery::Snapshot& snapshot, const ResourceAddress& address, const InternedText& name);

// A finding about one value. `what`: the end of a sentence whose subject is the value. Its subject
// is NODE/KIND/NAME/ATTRIBUTE/LAYER.
void warn_of_stay(
    const Resource& resource,
    const InternedText& attribute,
    Layer layer,
    const std::string& what,
    Diagnostics& diagnostics);

// Findings about values that ran while another value was set for the next boot, if a boot ends
// them: it has come since, or it is one of `reboots`, those of the undo.
void name_ended_by_boots(
    const UndoInputs& inputs, const std::set<NodeName>& reboots, Diagnostics& diagnostics);

// Findings about values that nothing showed before the run, and that show because another value is
// not as before: a change without work among `candidates` is left, or a finding names it.
void name_unread(const UndoInputs& inputs, const Candidates& candidates, Diagnostics& diagnostics);

}  // namespace fabric::plans
