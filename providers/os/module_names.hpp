// SPDX-License-Identifier: Apache-2.0
// Names and parameter values of kernel modules as the kernel compares them.
#pragma once

#include <string>
#include <string_view>

namespace fabric::providers {

// The kernel's name: "mlx5-core" and "mlx5_core" are both "mlx5_core". For parameters likewise.
std::string module_name(std::string_view written);

// True if the kernel, given `wanted`, shows `shown`: "Y" for 1, "16" for 0x10, "2,2" for "2, 2".
bool same_parameter(std::string_view shown, std::string_view wanted);

}  // namespace fabric::providers
