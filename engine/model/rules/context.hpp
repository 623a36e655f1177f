// Private to the rules: what several of them ask of the spec, computed once, and the one function
// per subject that rules.cpp calls.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/rules/rules.hpp"
#include "engine/model/spec.hpp"

namespace fabric::rules {

// One place of the document that puts a port into a network.
struct PortUse {
  const NetworkSpec* network = nullptr;
  const CableSpec* cable = nullptr;  // null: listed under `ports`
  SourceRange range;                 // of the endpoint
};

// An adapter of which at least one port is in a network.
struct AdapterUse {
  const NodeSpec* node = nullptr;
  const AdapterSpec* adapter = nullptr;
  // The first use of each port, by port number.
  std::map<std::uint32_t, PortUse> ports;
};

class Context {
 public:
  // REQUIRES: `spec` outlives the context.
  explicit Context(const FabricSpec& spec);

  const FabricSpec& spec() const { return *spec_; }
  // Every port that a network names, with its uses in order of network and of writing.
  const std::map<PortRef, std::vector<PortUse>>& ports() const { return ports_; }
  // In order of node and adapter; adapters that do not exist are left out.
  const std::vector<AdapterUse>& adapters() const { return adapters_; }
  // The member ports of a network, as NetworkSpec::member_ports() gives them.
  const std::vector<PortRef>& members(const NetworkSpec& network) const;
  // Where the network names this port first. REQUIRES: it is a member.
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

void check_nodes(const Context& context, Diagnostics& diagnostics);
void check_topology(const Context& context, Diagnostics& diagnostics);
void check_addressing(const Context& context, Diagnostics& diagnostics);
void check_gateways(const Context& context, Diagnostics& diagnostics);
void check_management(const Context& context, Diagnostics& diagnostics);
void check_modes(const Context& context, Diagnostics& diagnostics);
void check_chain(const Context& context, Diagnostics& diagnostics);
void check_lag(const Context& context, Diagnostics& diagnostics);
void check_lag_peers(const Context& context, Diagnostics& diagnostics);
void check_infiniband(const Context& context, Diagnostics& diagnostics);
void check_manager_packages(const Context& context, Diagnostics& diagnostics);
void check_routing(const Context& context, Diagnostics& diagnostics);
void check_ipoib(const Context& context, Diagnostics& diagnostics);
void check_partitions(const Context& context, Diagnostics& diagnostics);
void check_adapters(const Context& context, Diagnostics& diagnostics);
void check_firmware(const Context& context, Diagnostics& diagnostics);
void check_sriov(const Context& context, Diagnostics& diagnostics);

// The table's parts, one file each.
std::vector<RuleInfo> reader_rules();
std::vector<RuleInfo> topology_rules();
std::vector<RuleInfo> ethernet_rules();  // chain, lag
std::vector<RuleInfo> infiniband_rules();
std::vector<RuleInfo> adapter_rules();
std::vector<RuleInfo> plan_rules();  // plan time and verify

}  // namespace fabric::rules
