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
  // The back end for files in this form, whichever program reads them.
  const NetworkBackend& (*files)();
  // The same for the program of this node that reads such files.
  const NetworkBackend& (*of_node)(const Signs& signs);
  // True if the back end configures the interface `device` ("" = it has no name yet), where the
  // document leaves the choice to the node.
  bool (*owns)(const NodeFacts& facts, const Signs& signs, std::string_view device);
  // Why no program on the node would read these files; "" if one does.
  std::string_view (*lacks)(const Signs& signs);
  // What the node lacks to make bonds with this back end; "" if nothing.
  std::string_view (*bonds_need)(const Signs& signs);
};

// The back ends in the order in which owns() is asked: the first that answers true is chosen.
std::span<const BackendRow> backends();

}  // namespace fabric::providers
