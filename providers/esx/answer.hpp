// SPDX-License-Identifier: Apache-2.0
// Outputs of the commands of an ESXi host, and the error of its read-only kinds for any change.
#pragma once

#include <string_view>

#include "engine/base/result.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/provider.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers::esxi {

// The output of a probe. Fails with ErrorCode::invalid if the probe did not run, failed, or printed
// an error: esxcli prints errors as output and ends with 0 or 1 (E-esxcli-errors).
Result<std::string_view> answer(const NodeFacts& facts, std::string_view probe);

// The value in an inventory for a part that could not be read.
Value unknown(const Error& error);

// The probe "esxi-maintenance" and its answer: is the host in maintenance mode? One word, "Enabled"
// or "Disabled" (E-esxi-maintenance).
Probe maintenance_probe();
Result<bool> maintenance_mode(const NodeFacts& facts);

// The work of a kind that is only observed: fails for every change.
Result<Work> no_change(const Change& change, const WorkContext& context);

}  // namespace fabric::providers::esxi
