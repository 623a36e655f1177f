#include "engine/model/rules/rules.hpp"

#include <algorithm>

#include "engine/model/findings.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric {

namespace {

std::vector<RuleInfo> collect() {
  std::vector<RuleInfo> table;
  for (const auto& part :
       {rules::reader_rules(),
        rules::topology_rules(),
        rules::ethernet_rules(),
        rules::infiniband_rules(),
        rules::adapter_rules(),
        rules::plan_rules()}) {
    table.insert(table.end(), part.begin(), part.end());
  }
  std::sort(table.begin(), table.end(), [](const RuleInfo& a, const RuleInfo& b) {
    return a.slug < b.slug;
  });
  return table;
}

}  // namespace

std::string_view to_string(RuleStage stage) {
  switch (stage) {
    case RuleStage::reader:
      return "reader";
    case RuleStage::document:
      return "document";
    case RuleStage::plan:
      return "plan";
    case RuleStage::verify:
      return "verify";
  }
  return "reader";
}

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

void check_rules(const FabricSpec& spec, Diagnostics& diagnostics) {
  const rules::Context context{spec};
  Diagnostics found;
  rules::check_nodes(context, found);
  rules::check_topology(context, found);
  rules::check_addressing(context, found);
  rules::check_gateways(context, found);
  rules::check_management(context, found);
  rules::check_modes(context, found);
  rules::check_chain(context, found);
  rules::check_lag(context, found);
  rules::check_lag_peers(context, found);
  rules::check_infiniband(context, found);
  rules::check_routing(context, found);
  rules::check_ipoib(context, found);
  rules::check_partitions(context, found);
  rules::check_adapters(context, found);
  rules::check_firmware(context, found);
  rules::check_sriov(context, found);
  // One mistake in a node set is one mistake, however many members it has.
  Findings findings;
  for (const Diagnostic& item : found.items())
    findings.add(item);
  diagnostics.append(findings.take());
}

}  // namespace fabric
