// SPDX-License-Identifier: Apache-2.0
// A rehearsal for programs: `rehearse_seed` for each seed, then `rehearse_summary`.
#pragma once

#include "engine/report/rehearse/rehearse_text.hpp"
#include "engine/report/run/progress_json.hpp"

namespace fabric::report {

// Seed 0 is the run without faults. With `story` also a `rehearse_event` for each event.
void emit_seed(const JsonEvents& events, const rehearse::SeedResult& result, bool story);
void emit_rehearsal(
    const JsonEvents& events,
    const rehearse::Rehearsal& rehearsal,
    const RehearsalContext& context);

}  // namespace fabric::report
