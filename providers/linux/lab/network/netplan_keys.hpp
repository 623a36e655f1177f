// SPDX-License-Identifier: Apache-2.0
// The keys that netplan 0.106 knows. What the lab does not play among them is taken and does
// nothing.
#pragma once

#include <string_view>

namespace fabric::lab {

bool is_netplan_section(std::string_view section);
bool is_netplan_key(std::string_view section, std::string_view key);
bool is_netplan_parameter(std::string_view section, std::string_view key);
bool is_netplan_route_key(std::string_view key);
bool is_netplan_rule_key(std::string_view key);
bool is_netplan_bond_mode(std::string_view mode);

}  // namespace fabric::lab
