// SPDX-License-Identifier: Apache-2.0
// The virtual functions of an ESXi host's NICs, and the machines that have them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/base/result.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers::esxi {

// `esxcli network sriovnic vf list` of every NIC.
Probe virtual_functions_probe();
// What it said, by NIC. Fails with ErrorCode::invalid where it was not asked.
Result<std::map<std::string, std::string>> virtual_functions_said(const NodeFacts& facts);

// The worlds that hold one. Fails with ErrorCode::invalid where a list can't be read.
Result<std::set<std::string>> owners_of_functions(const NodeFacts& facts);

}  // namespace fabric::providers::esxi
