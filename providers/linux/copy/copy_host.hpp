// SPDX-License-Identifier: Apache-2.0
// One node's facts as a host of the lab.
#pragma once

#include "engine/lab/lab_spec.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/spec.hpp"
#include "engine/platform/facts.hpp"

namespace fabric::rehearse {

// `resources`: of that node, or of all. Cards by what the facts tell of them, every file of which
// some probe printed the whole, identity, packages that the document names.
lab::LabHost copy_host(
    const NodeSpec& node, const NodeFacts& facts, const std::vector<Resource>& resources);

// What root has to do on the copy, whose facts are `copied`, so that what runs there is what runs
// on the node: sysctls, MTUs, links that are up, addresses, subnet managers.
std::vector<std::string> catching_up(const NodeFacts& facts, const NodeFacts& copied);

}  // namespace fabric::rehearse
