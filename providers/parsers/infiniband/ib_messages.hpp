// SPDX-License-Identifier: Apache-2.0
// What infiniband-diags say beside their result: warnings of a MAD that got no answer mean that the
// result has holes, so they are kept.
#pragma once

#include <string_view>

#include "engine/subnet/tool_note.hpp"

namespace fabric::providers {

// "ibwarn: [12] ...", "src/query_smp.c:195; umad (...) bad status 110", "DR path slid 0; ...".
bool is_diagnostic(std::string_view line);
// "...: iberror: failed: ...": the tool gave up there.
bool is_fatal(std::string_view line);

}  // namespace fabric::providers
