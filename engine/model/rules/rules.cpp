#include "engine/model/rules/rules.hpp"

#include "engine/model/findings.hpp"
#include "engine/model/rules/context.hpp"
#include "engine/model/rules/facts.hpp"

namespace fabric {

namespace {

struct Subject {
  RuleRows (*rows)();
  void (*check)(const rules::Context& context, Diagnostics& diagnostics);
};

constexpr Subject kSubjects[] = {
    {rules::node_rules, rules::check_nodes},
    {rules::topology_rules, rules::check_topology},
    {rules::addressing_rules, rules::check_addressing},
    {rules::gateway_rules, rules::check_gateways},
    {rules::management_rules, rules::check_management},
    {rules::mode_rules, rules::check_modes},
    {rules::chain_rules, rules::check_chain},
    {rules::chain_adapter_rules, rules::check_chain_adapters},
    {rules::lag_rules, rules::check_lag},
    {rules::lag_peer_rules, rules::check_lag_peers},
    {rules::infiniband_rules, rules::check_infiniband},
    {rules::manager_package_rules, rules::check_manager_packages},
    {rules::routing_rules, rules::check_routing},
    {rules::ipoib_rules, rules::check_ipoib},
    {rules::partition_rules, rules::check_partitions},
    {rules::adapter_rules, rules::check_adapters},
    {rules::firmware_rules, rules::check_firmware},
    {rules::sriov_rules, rules::check_sriov},
};

}  // namespace

std::vector<RuleInfo> document_rules() {
  const RuleRows needing_facts = fact_rules();
  std::vector<RuleInfo> all{needing_facts.begin(), needing_facts.end()};
  for (const Subject& subject : kSubjects) {
    const RuleRows rows = subject.rows();
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

void check_rules(const FabricSpec& spec, Diagnostics& diagnostics) {
  const rules::Context context{spec};
  Diagnostics found;
  for (const Subject& subject : kSubjects)
    subject.check(context, found);
  // One mistake in a node set is one mistake, however many members it has.
  Findings findings;
  for (const Diagnostic& item : found.items())
    findings.add(item);
  diagnostics.append(findings.take());
}

}  // namespace fabric
