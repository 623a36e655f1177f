// SPDX-License-Identifier: Apache-2.0
// What the makers of hosts with a shell have in common: from a node of the document and lab.yaml.
#pragma once

#include "engine/model/spec.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

MachineProfile profile_of(const NodeSpec& node, const LabHost& host);
// The cards that the document names, factory settings but where `host` says otherwise.
void insert_cards(LinuxHost& machine, const NodeSpec& node, const LabHost& host);

}  // namespace fabric::lab
