// SPDX-License-Identifier: Apache-2.0
// Statements of an OpenSM that fabric did not start: its files of options, partitions, roots and
// I/O nodes, and running values that no file has; each statement with the value of the document.
#pragma once

#include <string>
#include <vector>

#include "engine/model/resource.hpp"
#include "engine/provider/provider.hpp"
#include "engine/provider/statements.hpp"
#include "providers/linux/kinds/subnet_manager/manager_on_port.hpp"

namespace fabric::providers {

// The paths of the files that such an OpenSM reads on the node, in order.
std::vector<std::string> foreign_manager_files(const ManagerState& state);

// Statements of files and of running values. A statement of OpenSM's default is left out, and so is
// a line that a later one overrides.
std::vector<Statement> manager_statements(const Resource& resource, const ManagerOnPort& manager);

// The work on a subnet manager: its files, then a start and the wait until it manages, or a reload.
Result<Work> manager_work(const Change& change, const WorkContext& context);

}  // namespace fabric::providers
