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

// The result of a verb, as a document of its own.
struct FindingsDocument {
  const Diagnostics& findings;
  const SourceMap& sources;
  std::string_view title;  // "fabric validate"
};

// A plan with the findings about its document and nodes. `findings` has errors where no plan could
// be made; then `plan` is null, and only what tells of findings is written.
struct PlanDocument {
  const plans::Plan* plan = nullptr;
  const Diagnostics& findings;
  const SourceMap& sources;
  std::string_view title;  // "fabric plan"
  std::optional<execute::Estimate> time{};
  // Of the document, which may have errors; null where it is not at hand, as of a plan file.
  const FabricSpec* spec = nullptr;
};

// How the nodes differ from the document, and the cause. `findings` has errors where that can't be
// known; then `drift` is null, and only formats of findings are written.
struct DriftDocument {
  const plans::Plan* plan = nullptr;  // the one that the drift was found with
  const workflow::Drift* drift = nullptr;
  const Diagnostics& findings;  // with those of the drift
  const SourceMap& sources;
  std::string_view title;  // "fabric plan"
};

// What verify found.
struct VerifyDocument {
  const verify::Report& report;
  const FabricSpec& spec;
  const SourceMap& sources;
  std::string_view title;  // "fabric verify"
  // Numbers of work orders of an earlier list: those that are done by now are said.
  std::vector<std::string> former_orders{};
};

// The effect of each loss of one thing, or of two.
struct AnyLossDocument {
  const verify::AnyLoss& all;
  const FabricSpec& spec;
};

Formats<FindingsDocument> findings_formats();
Formats<PlanDocument> plan_formats();
Formats<DriftDocument> drift_formats();
Formats<VerifyDocument> verify_formats();
// The cables; may be drawn of a document with errors.
Formats<FabricSpec> topology_formats();
Formats<AnyLossDocument> any_loss_formats();
// The waits between actions; has the formats of the topology.
Formats<plans::Plan> action_graph_formats();

}  // namespace fabric::report
