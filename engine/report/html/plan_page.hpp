// SPDX-License-Identifier: Apache-2.0
// A plan as a page.
#pragma once

#include <optional>
#include <string>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/execute/journal/estimate.hpp"
#include "engine/model/spec.hpp"
#include "engine/report/html/drawing.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// The input of a plan's page. `plan` is null if none could be made, `spec` if there is no document;
// a plan without a document has nodes and no cables.
struct PlannedFabric {
  const plans::Plan* plan = nullptr;
  const FabricSpec* spec = nullptr;
  const Diagnostics& findings;  // told where there is no plan, which has its own
  const SourceMap& sources;
  std::optional<execute::Estimate> time{};
};

Drawing plan_drawing(const PlannedFabric& planned);
std::string plan_page(const PlannedFabric& planned);

}  // namespace fabric::report
