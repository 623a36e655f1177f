// SPDX-License-Identifier: Apache-2.0
// Every card of a host queried by one tool: the script of such a probe. What it prints is read by
// providers/cards/card_query.
#pragma once

#include <string>
#include <string_view>

namespace fabric::providers {

// Of function 0 of each Mellanox card: what is asked belongs to the card, not to a port. A query
// that hangs on a sick card must not take the other probes with it. `tools`: names or paths, the
// first that is there is $tool. `prepare` runs once. `query` runs for each card, whose folder in
// sysfs is $d, and ends with the command that asks, behind $limit; one that must not be asked ends
// with "== status REASON" and `continue`.
std::string card_query_script(
    std::string_view tools, std::string_view prepare, std::string_view query);

// What helps where a locked-down kernel is why the tool said that it can't open the card; "" where
// that is not why. `output`: of the whole probe. Source: mstflint issues 416 and 1371,
// kernel_lockdown(7).
std::string way_past_lockdown(std::string_view output, std::string_view said);

}  // namespace fabric::providers
