// SPDX-License-Identifier: Apache-2.0
#include "engine/model/rules/rules.hpp"

#include <cstddef>
#include <utility>

#include "engine/model/findings.hpp"
#include "engine/model/rules/context.hpp"
#include "engine/model/rules/facts.hpp"

namespace fabric {

namespace {

struct Topic {
  RuleRows (*rows)();
  void (*check)(const rules::Context& context, Diagnostics& diagnostics);
};

constexpr Topic kTopics[] = {
    {rules::node_rules, rules::check_nodes},
    {rules::platform_key_rules, rules::check_platform_keys},
    {rules::topology_rules, rules::check_topology},
    {rules::addressing_rules, rules::check_addressing},
    {rules::gateway_rules, rules::check_gateways},
    {rules::management_rules, rules::check_management},
    {rules::mode_rules, rules::check_modes},
    {rules::chain_rules, rules::check_chain},
    {rules::chain_adapter_rules, rules::check_chain_adapters},
    {rules::transit_rules, rules::check_transit},
    {rules::lag_rules, rules::check_lag},
    {rules::lag_peer_rules, rules::check_lag_peers},
    {rules::qos_rules, rules::check_qos},
    {rules::infiniband_rules, rules::check_infiniband},
    {rules::manager_package_rules, rules::check_manager_packages},
    {rules::routing_rules, rules::check_routing},
    {rules::manager_option_rules, rules::check_manager_options},
    {rules::ipoib_rules, rules::check_ipoib},
    {rules::partition_rules, rules::check_partitions},
    {rules::isolated_rules, rules::check_isolated},
    {rules::adapter_rules, rules::check_adapters},
    {rules::firmware_rules, rules::check_firmware},
    {rules::sriov_rules, rules::check_sriov},
};

// The number of findings of one place that are kept: more are only counted.
constexpr std::size_t kErrorsOfTopic = 10'000;

}  // namespace

std::vector<RuleInfo> document_rules() {
  const RuleRows needing_facts = fact_rules();
  std::vector<RuleInfo> all{needing_facts.begin(), needing_facts.end()};
  const RuleRows identities = rules::identity_rules();
  all.insert(all.end(), identities.begin(), identities.end());
  for (const Topic& topic : kTopics) {
    const RuleRows rows = topic.rows();
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

void check_rules(const FabricSpec& spec, Diagnostics& diagnostics) {
  const rules::Context context{spec};
  // One mistake in a node set is one mistake, however many members it has.
  Findings findings;
  Diagnostics rest;
  for (const Topic& topic : kTopics) {
    Diagnostics found;
    found.keep_at_most_errors(kErrorsOfTopic);
    topic.check(context, found);
    for (Diagnostic& item : found.take_items())
      findings.add(std::move(item));
    rest.append(std::move(found));
  }
  diagnostics.append(findings.take());
  diagnostics.append(rest);
}

}  // namespace fabric
