// SPDX-License-Identifier: Apache-2.0
// YAML that fabric shows a person as the way to say a thing: the rules of the document have to take
// it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric {

// Those of `shown` that the rules refuse as values of `spec`, alone: "networks: {a: {mtu: 9300}}".
// Judged are MTUs, the mode of IPoIB, options of bonds and numbers of virtual functions, each named
// by the network, node and card that has it. REQUIRES: check_rules() has no error against `spec`.
std::set<std::string> refused_values(const FabricSpec& spec, const std::vector<std::string>& shown);

}  // namespace fabric
