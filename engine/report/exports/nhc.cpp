// SPDX-License-Identifier: Apache-2.0
// Check lines of LBNL Node Health Check (E-nhc-lines): facts of the document with names that are
// valid on the node. The device of a port is known only if the document names it.
#include <set>

#include <fmt/format.h>

#include "engine/report/exports/cabling.hpp"
#include "engine/report/exports/exports.hpp"
#include "engine/verify/cables/speed_text.hpp"

namespace fabric::report {

namespace {

class Checks {
 public:
  explicit Checks(const FabricSpec& spec) : spec_{spec} {}

  void add(const NetworkSpec& network) {
    for (const PortRef& port : network.member_ports()) {
      const NodeSpec* node = spec_.find_node(port.node.str());
      const bool is_host = node != nullptr && is_exported(*node) &&
                           traits(node->platform.value).linux_host && !port.adapter.empty();
      if (!is_host) continue;
      // Ports that are Ethernet have devices for RDMA too, with a rate. A bond has one, and adds
      // up.
      if (!network.lag) add_rate(network, port);
      if (network.mode.value == Mode::infiniband) continue;
      if (network.lag) add(port.node, "check_hw_eth " + network.lag->bond.value);
      const AdapterSpec* adapter = node->find_adapter(port.adapter);
      const auto name = adapter->names.find(port.number());
      if (name != adapter->names.end()) add(port.node, "check_hw_eth " + name->second.value);
    }
  }

  const std::set<std::string>& lines() const { return lines_; }

 private:
  void add(const NodeName& node, const std::string& check) {
    lines_.insert(fmt::format("{} || {}\n", node.str(), check));
  }

  // Without a device NHC asks for one port that is up at this rate.
  void add_rate(const NetworkSpec& network, const PortRef& port) {
    for (const CableSpec& cable : network.cables) {
      if (cable.a.value != port && cable.b.value != port) continue;
      constexpr std::int64_t kGigabit = 1'000;
      if (const auto speed = verify::declared_speed_mbps(cable.speed))
        add(port.node, fmt::format("check_hw_ib {}", *speed / kGigabit));
    }
  }

  const FabricSpec& spec_;
  std::set<std::string> lines_;
};

}  // namespace

Result<std::string> nhc_checks(const FabricSpec& spec) {
  Checks checks{spec};
  for (const auto& [name, network] : spec.networks)
    checks.add(network);
  if (checks.lines().empty()) {
    return Error{
        ErrorCode::invalid,
        "the document names nothing that NHC could check: no bond, no interface (`names`), and no "
        "`speed` of a cable"};
  }
  std::string text = "# written by fabric export nhc\n";
  for (const std::string& line : checks.lines())
    text += line;
  return text;
}

}  // namespace fabric::report
