// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/diagnose.hpp"

#include "engine/model/resource_keys.hpp"

namespace fabric {

Diagnostic& report_finding(
    Diagnostics& diagnostics,
    const Resource& resource,
    std::string_view rule,
    std::string message) {
  return report_finding_at(diagnostics, resource, resource.origin, rule, std::move(message));
}

Diagnostic& report_finding_at(
    Diagnostics& diagnostics,
    const Resource& resource,
    SourceRange range,
    std::string_view rule,
    std::string message) {
  if (only_observed(resource)) return diagnostics.warning(rule, range, std::move(message));
  return diagnostics.error(rule, range, std::move(message));
}

}  // namespace fabric
