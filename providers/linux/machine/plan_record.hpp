// SPDX-License-Identifier: Apache-2.0
// The plans that were carried out on a Linux host: a file of ours, a line a plan.
#pragma once

#include "engine/platform/plan_record.hpp"

namespace fabric::platform {

class LinuxPlanRecord final : public PlanRecord {
 public:
  remote::Step read() const override;
  Result<std::vector<AppliedPlan>> plans(const remote::StepResult& result) const override;
  remote::Step write(const std::vector<AppliedPlan>& plans) const override;
};

}  // namespace fabric::platform
