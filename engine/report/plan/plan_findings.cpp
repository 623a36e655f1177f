// SPDX-License-Identifier: Apache-2.0
#include "engine/report/plan/plan_findings.hpp"

#include <algorithm>

namespace fabric::report {

Diagnostics plan_findings(const plans::Plan& plan, SourceMap& sources) {
  Diagnostics findings;
  for (const plans::PlanDiagnostic& item : plan.diagnostics) {
    const plans::SourceLine& source = item.source;
    SourceRange range;
    if (source.line != 0)
      range = sources.add_place(source.file, {source.line, std::max(source.column, 1U)});
    findings.add({item.severity, item.rule, range, item.message, item.help, {}, item.subject});
  }
  return findings;
}

}  // namespace fabric::report
