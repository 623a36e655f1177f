// SPDX-License-Identifier: Apache-2.0
// The findings in a plan, as diagnostics.
#pragma once

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// Their places are added to `sources`: a plan file has lines and columns, and its document may have
// changed.
Diagnostics plan_findings(const plans::Plan& plan, SourceMap& sources);

}  // namespace fabric::report
