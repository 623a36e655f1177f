// SPDX-License-Identifier: Apache-2.0
// Private to the rules: data of the spec that several of them use, computed once, and per subject
// the two functions that rules.cpp calls.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/rule.hpp"
#include "engine/model/spec.hpp"

namespace fabric::rules {

// One place of the document that puts a port into a network.
struct PortUse {
  const NetworkSpec* network = nullptr;
  const CableSpec* cable = nullptr;  // null: listed under `ports`
  SourceRange range;                 // place of the endpoint
};

// An adapter with at least one port in a network.
struct AdapterUse {
  const NodeSpec* node = nullptr;
  const AdapterSpec* adapter = nullptr;
  // The first use of each port, by port number.
  std::map<std::uint32_t, PortUse> ports;

  Subject subject() const { return {node->name, adapter->name}; }
};

class Context {
 public:
  // REQUIRES: `spec` outlives the context.
  explicit Context(const FabricSpec& spec);

  const FabricSpec& spec() const { return *spec_; }
  // Every port that a network names, with its uses in order of network and of the document.
  const std::map<PortRef, std::vector<PortUse>>& ports() const { return ports_; }
  // In order of node and adapter; adapters that do not exist are left out.
  const std::vector<AdapterUse>& adapters() const { return adapters_; }
  // The member ports of a network, as NetworkSpec::member_ports() gives them.
  const std::vector<PortRef>& members(const NetworkSpec& network) const;
  // The first use of this port by the network. REQUIRES: it is a member.
  const PortUse& use(const NetworkSpec& network, const PortRef& port) const;

  // Null if there is no such node or adapter, or if the port is a switch's.
  const NodeSpec* node(const PortRef& port) const;
  const AdapterSpec* adapter(const PortRef& port) const;

 private:
  void collect_adapters();

  const FabricSpec* spec_;
  std::map<PortRef, std::vector<PortUse>> ports_;
  std::vector<AdapterUse> adapters_;
  std::map<std::string, std::vector<PortRef>, std::less<>> members_;
};

// Infiniband is the one mode whose ports are not Ethernet.
inline bool is_ethernet(Mode mode) {
  return mode != Mode::infiniband;
}
bool is_esx(Platform platform);  // esxi, esx_classic
// True for a key of a network that has no meaning in its mode (key-not-in-mode): "ipv4".
bool is_misplaced(std::string_view key, Mode mode);
// Null: it is not written. Of several values, the first.
const WrittenKey* find_written(const WrittenKeys& keys, std::string_view key);
// The document places managers, and what it says of them can't be read.
bool has_unread_managers(const NetworkSpec& network);

// The firmware that drops larger chained frames, and the largest it passes (E-chain-mtu-limit).
inline constexpr std::string_view kChainLimitedFirmware = "16.22.1002";
inline constexpr std::uint32_t kChainLimitedMtu = 8150;
// The oldest MLNX_OFED with RoCE LAG (E-roce-lag-versions).
inline constexpr std::string_view kOldestLagOfed = "4.0";

// "pve1/cx5/1 to pve2/cx5/2"
std::string describe(const CableSpec& cable);
// The value that people give a parameter, as the number the card stores: "ETH" and "eth(2)" are 2,
// "True" is 1; nullopt where it is neither a number nor a known name.
std::optional<std::int64_t> parameter_number(std::string_view name, std::string_view value);

// For each subject, in the file of its name: the rows of its rules and their check.
RuleRows node_rules();
void check_nodes(const Context& context, Diagnostics& diagnostics);
RuleRows platform_key_rules();
void check_platform_keys(const Context& context, Diagnostics& diagnostics);
RuleRows topology_rules();
void check_topology(const Context& context, Diagnostics& diagnostics);
RuleRows addressing_rules();
void check_addressing(const Context& context, Diagnostics& diagnostics);
RuleRows gateway_rules();
void check_gateways(const Context& context, Diagnostics& diagnostics);
RuleRows management_rules();
void check_management(const Context& context, Diagnostics& diagnostics);
RuleRows mode_rules();
void check_modes(const Context& context, Diagnostics& diagnostics);
RuleRows chain_rules();
void check_chain(const Context& context, Diagnostics& diagnostics);
RuleRows transit_rules();
void check_transit(const Context& context, Diagnostics& diagnostics);
RuleRows chain_adapter_rules();
void check_chain_adapters(const Context& context, Diagnostics& diagnostics);
RuleRows lag_rules();
void check_lag(const Context& context, Diagnostics& diagnostics);
RuleRows lag_peer_rules();
void check_lag_peers(const Context& context, Diagnostics& diagnostics);
RuleRows infiniband_rules();
void check_infiniband(const Context& context, Diagnostics& diagnostics);
RuleRows manager_package_rules();
void check_manager_packages(const Context& context, Diagnostics& diagnostics);
RuleRows routing_rules();
void check_routing(const Context& context, Diagnostics& diagnostics);
RuleRows manager_option_rules();
void check_manager_options(const Context& context, Diagnostics& diagnostics);
RuleRows ipoib_rules();
void check_ipoib(const Context& context, Diagnostics& diagnostics);
RuleRows partition_rules();
void check_partitions(const Context& context, Diagnostics& diagnostics);
RuleRows adapter_rules();
void check_adapters(const Context& context, Diagnostics& diagnostics);
RuleRows firmware_rules();
void check_firmware(const Context& context, Diagnostics& diagnostics);
RuleRows qos_rules();
void check_qos(const Context& context, Diagnostics& diagnostics);
RuleRows isolated_rules();
void check_isolated(const Context& context, Diagnostics& diagnostics);
RuleRows sriov_rules();
void check_sriov(const Context& context, Diagnostics& diagnostics);

}  // namespace fabric::rules
