// SPDX-License-Identifier: Apache-2.0
// A rehearsal for people and for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/rehearse/rehearsal.hpp"
#include "engine/rehearse/seed_run.hpp"
#include "engine/report/run/progress_json.hpp"
#include "engine/report/terminal/style.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// The texts above and beside the numbers of the screen for people.
struct RehearsalContext {
  const plans::Plan& plan;
  std::vector<std::string> missing;  // nodes that could not be copied
  std::size_t left_out = 0;          // resources that are not played
  std::string forced;                // how the rehearsal differs from the document; "" = not at all
  std::string replay;                // the command line that tells a seed's story, without the seed
};

Text rehearsal_text(
    const rehearse::Rehearsal& rehearsal, const RehearsalContext& context, const Style& style);

// All events of one seed, and its result.
Text story_text(
    const rehearse::SeedResult& result, const RehearsalContext& context, const Style& style);

// The exit code of the first apply; 3 if its plan was refused.
int exit_number(const rehearse::SeedResult& result);
// "applied in part"
std::string_view outcome_words(int exit_number);
// "for 2 min 13 s", "for 2 min 13 s, and until a person mends it"
std::string outage_words(const rehearse::Outage& outage);
// "pve2 from pve4 while pve1 and pve3 are down"
std::string apart_words(const rehearse::Outage& outage);
// "storage for 2 min 13 s: pve2 from pve4 while ..."
std::string cut_words(const rehearse::Outage& outage);
// The time since the start: "0:02:13".
std::string clock_text(TimePoint at);

// For programs: `rehearse_seed` for each seed, then `rehearse_summary`. Seed 0 is the run without
// faults. With `story` also a `rehearse_event` for each event.
void emit_seed(const JsonEvents& events, const rehearse::SeedResult& result, bool story);
void emit_rehearsal(
    const JsonEvents& events,
    const rehearse::Rehearsal& rehearsal,
    const RehearsalContext& context);

}  // namespace fabric::report
