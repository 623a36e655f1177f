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

// The probe of `esxcli network sriovnic vf list` for every NIC.
Probe virtual_functions_probe();
// The probe's output by NIC. Fails with ErrorCode::invalid where the probe did not run.
Result<std::map<std::string, std::string>> virtual_functions_said(const NodeFacts& facts);

// The guests that hold one. Fails with ErrorCode::invalid where a list can't be read.
Result<std::set<std::string>> owners_of_functions(const NodeFacts& facts);

}  // namespace fabric::providers::esxi
