// SPDX-License-Identifier: Apache-2.0
// Words for the screen, the stories and the events of a rehearsal. Private to engine/report.
#pragma once

#include <string>
#include <string_view>

#include "engine/rehearse/seed_run.hpp"

namespace fabric::report {

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

}  // namespace fabric::report
