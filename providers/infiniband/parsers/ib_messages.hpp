// SPDX-License-Identifier: Apache-2.0
// Messages that infiniband-diags print beside their result. A warning about a MAD without an answer
// means that the result has holes, so messages are kept.
#pragma once

#include <cstddef>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/subnet/observed_topology.hpp"

namespace fabric::providers {

// "ibwarn: [12] ...", "src/query_smp.c:195; umad (...) bad status 110", "DR path slid 0; ...".
bool is_diagnostic(std::string_view line);
// "...: iberror: failed: ...": the tool ended there.
bool is_fatal(std::string_view line);

// Keeps a line that is no part of the result. Fails beyond the number of messages that a tool
// prints about one subnet: the text is then something else.
Result<std::monostate> add_note(
    std::vector<ToolNote>& notes, std::size_t number, std::string_view line);

// Fails beyond limits::kSubnetPorts.
Result<std::monostate> check_size(std::size_t nodes, std::size_t ports, std::size_t number);

}  // namespace fabric::providers
