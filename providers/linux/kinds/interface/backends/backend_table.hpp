// SPDX-License-Identifier: Apache-2.0
// The network back ends that fabric knows. A new one is declared here and has its row in
// backend_table.cpp; docs/adding-a-backend.md says what else it needs.
#pragma once

#include <span>
#include <string_view>

#include "engine/platform/facts.hpp"
#include "providers/linux/kinds/interface/backends/backend.hpp"
#include "providers/linux/kinds/interface/backends/backend_signs.hpp"

namespace fabric::providers {

const NetworkBackend& networkd_backend();
const NetworkBackend& ifupdown_backend();
const NetworkBackend& ifupdown2_backend();
const NetworkBackend& keyfile_backend();
const NetworkBackend& netplan_backend();
const NetworkBackend& ifcfg_backend();          // by initscripts
const NetworkBackend& ifcfg_manager_backend();  // by NetworkManager

struct BackendRow {
  std::string_view name;  // as `network_backend` of the document says it
  // The files in this form, whichever program reads them.
  const NetworkBackend& (*files)();
  // Of several programs that read such files, the one that this node has.
  const NetworkBackend& (*of_node)(const Signs& signs);
  // Whether it configures the interface that is called `device` now ("" = it has no name yet),
  // where the document leaves the choice to the node.
  bool (*owns)(const NodeFacts& facts, const Signs& signs, std::string_view device);
  // Why nothing on the node would read these files; "" if something does.
  std::string_view (*lacks)(const Signs& signs);
  // What the node lacks for this back end to make bonds; "" if nothing.
  std::string_view (*bonds_need)(const Signs& signs);
};

// In the order in which they are asked whether they own an interface: the first that does is it.
std::span<const BackendRow> backends();

}  // namespace fabric::providers
