// SPDX-License-Identifier: Apache-2.0
// Common code of the makers of hosts with a shell, from the document and lab.yaml.
#pragma once

#include "engine/model/spec.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

MachineProfile profile_of(const NodeSpec& node, const LabHost& host);
// Inserts the cards that the document names, with factory settings unless `host` has others.
void insert_cards(LinuxHost& machine, const NodeSpec& node, const LabHost& host);

}  // namespace fabric::lab
