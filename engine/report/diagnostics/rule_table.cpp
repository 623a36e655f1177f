// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/rule_table.hpp"

#include <algorithm>

#include "engine/model/document/load.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/model/rules/rules.hpp"
#include "engine/provider/statements.hpp"
#include "engine/verify/verify.hpp"
#include "engine/workflow/drift.hpp"
#include "engine/workflow/trust.hpp"
#include "plans/interruption/left_for_boot.hpp"
#include "plans/plan_nodes.hpp"
#include "plans/planner.hpp"
#include "plans/refusal.hpp"
#include "plans/selection.hpp"
#include "plans/undo.hpp"
#include "providers/builtin.hpp"

namespace fabric {

namespace {

std::vector<RuleInfo> collect() {
  std::vector<RuleInfo> table = document_rules();
  for (const RuleRows rows :
       {reader_rules(),
        expansion_rules(),
        statement_rules(),
        providers::provider_rules(),
        plans::plan_node_rules(),
        plans::planner_rules(),
        plans::undo_rules(),
        plans::left_for_boot_rules(),
        plans::selection_rules(),
        plans::capability_rules(),
        plans::held_machine_rules(),
        workflow::trust_rules(),
        workflow::drift_rules(),
        verify::path_rules(),
        verify::verify_rules()}) {
    table.insert(table.end(), rows.begin(), rows.end());
  }
  std::ranges::sort(table, [](const RuleInfo& a, const RuleInfo& b) { return a.slug < b.slug; });
  return table;
}

}  // namespace

const std::vector<RuleInfo>& rule_table() {
  static const std::vector<RuleInfo> table = collect();
  return table;
}

const RuleInfo* find_rule(std::string_view slug) {
  const std::vector<RuleInfo>& table = rule_table();
  const auto found = std::lower_bound(
      table.begin(), table.end(), slug, [](const RuleInfo& rule, std::string_view wanted) {
        return rule.slug < wanted;
      });
  return found != table.end() && found->slug == slug ? &*found : nullptr;
}

}  // namespace fabric
