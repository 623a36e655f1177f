// SPDX-License-Identifier: Apache-2.0
// PlanRecord: the plans that were carried out wholly on a node, kept on the node itself: a machine
// that applies a plan may exist for that one run only.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::platform {

struct AppliedPlan {
  std::string digest;  // plans::Plan::digest
  std::string run;     // id of the run that completed it
  bool operator==(const AppliedPlan&) const = default;
};

class PlanRecord {
 public:
  PlanRecord() = default;
  PlanRecord(const PlanRecord&) = delete;
  PlanRecord& operator=(const PlanRecord&) = delete;
  virtual ~PlanRecord() = default;

  virtual remote::Step read() const = 0;
  // The plans, the newest last; none on a node where nothing was applied. REQUIRES: the outcome of
  // read() is `succeeded`. Fails with ErrorCode::invalid if the record can't be read or understood.
  virtual Result<std::vector<AppliedPlan>> plans(const remote::StepResult& result) const = 0;
  // Replaces the record as a whole; only the newest are kept.
  virtual remote::Step write(const std::vector<AppliedPlan>& plans) const = 0;
};

}  // namespace fabric::platform
