// SPDX-License-Identifier: Apache-2.0
// The GID table of a RoCE port, which follows the addresses of its interface.
#pragma once

#include <string>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// Below `folder`, that of the port in sysfs: gids, gid_attrs/ndevs, gid_attrs/types. `local` is the
// GID that the port has without any address. `machine` must outlive its files.
void install_roce_gids(
    LinuxHost& machine,
    const std::string& folder,
    std::size_t card,
    std::uint32_t port,
    const std::string& local);

}  // namespace fabric::lab
