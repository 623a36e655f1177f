// SPDX-License-Identifier: Apache-2.0
// What infiniband-diags say beside their result: warnings of a MAD that got no answer mean that the
// result has holes, so they are kept.
#pragma once

#include <cstddef>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/subnet/tool_note.hpp"

namespace fabric::providers {

// "ibwarn: [12] ...", "src/query_smp.c:195; umad (...) bad status 110", "DR path slid 0; ...".
bool is_diagnostic(std::string_view line);
// "...: iberror: failed: ...": the tool gave up there.
bool is_fatal(std::string_view line);

// Keeps a line that is no part of the result. Fails where there are more such lines than a tool
// says of a subnet: the text is another one.
Result<std::monostate> add_note(
    std::vector<ToolNote>& notes, std::size_t number, std::string_view line);

// Fails beyond limits::kSubnetPorts.
Result<std::monostate> check_size(std::size_t nodes, std::size_t ports, std::size_t number);

}  // namespace fabric::providers
