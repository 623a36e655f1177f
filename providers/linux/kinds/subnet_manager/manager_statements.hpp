// SPDX-License-Identifier: Apache-2.0
// What an OpenSM says that fabric did not start: its files of options, partitions, roots and I/O
// nodes, and what runs of it that none of them says; each statement with what the document says of
// it.
#pragma once

#include <string>
#include <vector>

#include "engine/model/resource.hpp"
#include "engine/provider/statements.hpp"
#include "providers/linux/kinds/subnet_manager/manager_on_port.hpp"

namespace fabric::providers {

// By path, in order: the files that such an OpenSM reads on the node.
std::vector<std::string> foreign_manager_files(const ManagerState& state);

// Of files and of what runs. A statement that says what OpenSM does without it is none, and so is a
// line that a later one overrules.
std::vector<Statement> manager_statements(const Resource& resource, const ManagerOnPort& manager);

}  // namespace fabric::providers
