// SPDX-License-Identifier: Apache-2.0
// The effect of an outage, for people and as JSON.
#pragma once

#include "engine/report/terminal/style.hpp"
#include "engine/report/terminal/text.hpp"
#include "engine/value/value.hpp"
#include "engine/verify/what_if/what_if.hpp"

namespace fabric::report {

Text losses_text(const verify::Outage& outage, const verify::Losses& losses, const Style& style);
// {down: [], cut: [[a, b]], pairs, lost: [{network, a, b}], bonds: [{network, node, left, all}],
// unmanaged: [{network, hosts: []}], addresses: [{network, working, lost, unknown, example}]}
Value losses_value(const verify::Outage& outage, const verify::Losses& losses);

}  // namespace fabric::report
