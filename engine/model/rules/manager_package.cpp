// SPDX-License-Identifier: Apache-2.0
// A package that starts a subnet manager where the document places none.
#include <algorithm>

#include <fmt/format.h>

#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kManagerPackageRules[] = {
    {"sm-by-package",
     Severity::warning,
     RuleStage::document,
     "Debian starts OpenSM on every InfiniBand port as soon as the package is installed. On a "
     "node that is no manager in the document, OpenSM then stands by with its defaults. It "
     "takes over, without the document's partitions, when the other managers are gone.",
     "E-opensm-debian: Debian 12, opensm.service and /etc/default/opensm",
     "Leave opensm out of `packages` there (the tools are in infiniband-diags), or place a "
     "manager."},
};

bool is_member(const Context& context, const NetworkSpec& network, const NodeSpec& node) {
  const auto& ports = context.members(network);
  return std::any_of(
      ports.begin(), ports.end(), [&](const PortRef& port) { return port.node == node.name; });
}

bool manages(const NetworkSpec& network, const NodeSpec& node) {
  return std::any_of(
      network.subnet_managers.begin(), network.subnet_managers.end(), [&](const auto& manager) {
        return manager.node.value == node.name.str();
      });
}

// The first InfiniBand network that it is in; null if there is none, or if it manages any: its
// own OpenSM holds the distribution's back.
const NetworkSpec* unmanaged_network(const Context& context, const NodeSpec& node) {
  const NetworkSpec* first = nullptr;
  for (const auto& [name, network] : context.spec().networks) {
    if (network.mode.value != Mode::infiniband) continue;
    if (manages(network, node) || has_unread_managers(network)) return nullptr;
    if (first == nullptr && is_member(context, network, node)) first = &network;
  }
  return first;
}

}  // namespace

RuleRows manager_package_rules() {
  return kManagerPackageRules;
}

void check_manager_packages(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [name, node] : context.spec().nodes) {
    const auto package =
        std::find_if(node.packages.begin(), node.packages.end(), [](const auto& each) {
          return each.value == "opensm";
        });
    if (package == node.packages.end()) continue;
    const NetworkSpec* network = unmanaged_network(context, node);
    if (network == nullptr) continue;
    diagnostics
        .warning(
            "sm-by-package",
            package->range,
            fmt::format(
                "opensm on {} starts a manager on each of its InfiniBand ports, and the document "
                "places no manager there",
                name.str()))
        .about(name)
        .with_note(network->range, "a network that it is in")
        .with_help(
            "leave opensm out (sminfo and saquery are in infiniband-diags), or place a manager");
  }
}

}  // namespace fabric::rules
