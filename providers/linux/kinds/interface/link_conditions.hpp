// SPDX-License-Identifier: Apache-2.0
// What the read-back of an action on an interface must find.
#pragma once

#include "engine/provider/change.hpp"
#include "providers/linux/kinds/interface/link_work.hpp"

namespace fabric::providers {

// In files: what is desired, of a removal nothing.
void want_persistent(ActionDraft& draft, const Change& change, const Observation& observation);

// Now: what is desired, and of what is desired no more what it is set back to.
void want_running(ActionDraft& draft, const Change& change, const LinkTarget& target);

// Before it is taken over: what runs is what the plan has named, and nothing has come since.
void expect_running(ActionDraft& draft, const Change& change, const Observation& observation);

// Conditions that hold at once for a released resource: a made interface is gone, a port has no
// address. There are none where foreign configuration among `files` makes them again.
void want_gone(
    ActionDraft& draft,
    const Change& change,
    const Observation& observation,
    const LinkOnNode& on_node,
    const FileTexts& files);

}  // namespace fabric::providers
