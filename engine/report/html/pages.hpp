// SPDX-License-Identifier: Apache-2.0
// The fabric, a plan and the result of verify as pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/execute/journal/estimate.hpp"
#include "engine/model/spec.hpp"
#include "engine/report/html/drawing.hpp"
#include "engine/verify/orders/work_orders.hpp"
#include "engine/verify/verify.hpp"
#include "engine/verify/what_if/any_loss.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// The fabric as a page; the components on which a host depends are in colour.
// The page of the losses of one component at a time. REQUIRES: `all` is of this document.
std::string any_loss_page(const FabricSpec& spec, const verify::AnyLoss& all);

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

// The result of verify as a page.
struct VerifiedFabric {
  const verify::Report& report;
  const FabricSpec& spec;
  const SourceMap& sources;
  const std::vector<verify::WorkOrder>& orders;
};

Drawing verify_drawing(const VerifiedFabric& verified);
std::string verify_page(const VerifiedFabric& verified);

}  // namespace fabric::report
