// SPDX-License-Identifier: Apache-2.0
// The result of verify as a page.
#pragma once

#include <string>
#include <vector>

#include "engine/base/source.hpp"
#include "engine/model/spec.hpp"
#include "engine/report/html/drawing.hpp"
#include "engine/verify/orders/work_orders.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::report {

struct VerifiedFabric {
  const verify::Report& report;
  const FabricSpec& spec;
  const SourceMap& sources;
  const std::vector<verify::WorkOrder>& orders;
};

Drawing verify_drawing(const VerifiedFabric& verified);
std::string verify_page(const VerifiedFabric& verified);

}  // namespace fabric::report
