// SPDX-License-Identifier: Apache-2.0
// The tables of output formats, one for each kind of document. A new format is a file that writes
// it and a row here; --format, --help and the reference pages follow.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/execute/journal/estimate.hpp"
#include "engine/model/spec.hpp"
#include "engine/report/format.hpp"
#include "engine/verify/verify.hpp"
#include "engine/verify/what_if/any_loss.hpp"
#include "engine/workflow/drift.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// The findings of a verb, as a document of their own.
struct FindingsDocument {
  const Diagnostics& findings;
  const SourceMap& sources;
  std::string_view title;  // "fabric validate"
};

// A plan with the findings about its document and nodes. If `findings` has errors, there may be no
// plan: then `plan` is null, and only the findings are written.
struct PlanDocument {
  const plans::Plan* plan = nullptr;
  const Diagnostics& findings;
  const SourceMap& sources;
  std::string_view title;  // "fabric plan"
  std::optional<execute::Estimate> time{};
  // The document, which may have errors; null if only a plan file is given.
  const FabricSpec* spec = nullptr;
};

// The differences between nodes and document, with their causes. If `findings` has errors, they
// can't be known: then `drift` is null, and only formats of findings are written.
struct DriftDocument {
  const plans::Plan* plan = nullptr;  // the one that the drift was found with
  const workflow::Drift* drift = nullptr;
  const Diagnostics& findings;  // with those of the drift
  const SourceMap& sources;
  std::string_view title;  // "fabric plan"
};

// The result of verify.
struct VerifyDocument {
  const verify::Report& report;
  const FabricSpec& spec;
  const SourceMap& sources;
  std::string_view title;  // "fabric verify"
  // Numbers of work orders of an earlier list; those that are done by now are reported.
  std::vector<std::string> former_orders{};
};

// The effect of each loss of one component, or of two.
struct AnyLossDocument {
  const verify::AnyLoss& all;
  const FabricSpec& spec;
};

Formats<FindingsDocument> findings_formats();
Formats<PlanDocument> plan_formats();
Formats<DriftDocument> drift_formats();
Formats<VerifyDocument> verify_formats();
// The cables; also of a document with errors.
Formats<FabricSpec> topology_formats();
Formats<AnyLossDocument> any_loss_formats();
// The order of actions; has the formats of the topology.
Formats<plans::Plan> action_graph_formats();

}  // namespace fabric::report
