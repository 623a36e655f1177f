// SPDX-License-Identifier: Apache-2.0
// A rehearsal for people: one screen, and the story of one seed.
#pragma once

#include <string>
#include <vector>

#include "engine/rehearse/rehearsal.hpp"
#include "engine/report/terminal/style.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// The texts above and beside the numbers.
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

}  // namespace fabric::report
