// A rehearsal for programs: `rehearse_seed` for each seed, then `rehearse_summary`.
#pragma once

#include "engine/report/progress_json.hpp"
#include "engine/report/rehearse_text.hpp"

namespace fabric::report {

// Seed 0 is the one without faults. With `story` also `rehearse_event` for all that happened.
void emit_seed(const JsonEvents& events, const rehearse::Tale& tale, bool story);
void emit_rehearsal(
    const JsonEvents& events,
    const rehearse::Rehearsal& rehearsal,
    const RehearsalContext& context);

}  // namespace fabric::report
