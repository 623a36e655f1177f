// SPDX-License-Identifier: Apache-2.0
// The keyfiles of NetworkManager 1.42. A file that others can read, or that is no profile, is only
// logged.
#pragma once

#include <vector>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

inline constexpr std::string_view kKeyfiles = "/etc/NetworkManager/system-connections";

std::vector<ConnectionProfile> read_keyfiles(const FileTree& files);

}  // namespace fabric::lab
