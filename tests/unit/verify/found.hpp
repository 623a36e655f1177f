// SPDX-License-Identifier: Apache-2.0
// What one judgement alone adds to a report.
#pragma once

#include <utility>
#include <vector>

#include "engine/verify/report/findings.hpp"

namespace fabric::verify::test {

template <class Add>
std::vector<Diagnostic> found_by(Add add) {
  Findings findings;
  add(findings);
  return std::move(findings).link().findings;
}

}  // namespace fabric::verify::test
