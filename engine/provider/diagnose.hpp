// SPDX-License-Identifier: Apache-2.0
// Diagnostics of providers: an error at the resource, or a warning for a node in state observe
// (binding.observe), which is never written, so that nothing there stops a plan.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/diagnostic.hpp"
#include "engine/model/resource.hpp"

namespace fabric {

Diagnostic& report_finding(
    Diagnostics& diagnostics, const Resource& resource, std::string_view rule, std::string message);
Diagnostic& report_finding_at(
    Diagnostics& diagnostics,
    const Resource& resource,
    SourceRange range,
    std::string_view rule,
    std::string message);

}  // namespace fabric
