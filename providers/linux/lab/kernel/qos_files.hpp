// SPDX-License-Identifier: Apache-2.0
// Files by which RoCE is marked and slowed down: ECN and the class of connections of the vendor's
// drivers, the ToS of RDMA CM.
#pragma once

#include <string>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// Below the folder of an interface: ecn/roce_np and ecn/roce_rp. Drivers of the kernel have none.
void install_ecn_files(
    LinuxHost& machine, const std::string& folder, std::size_t card, std::uint32_t port);
// Below the folder of an RDMA device: tc/1/traffic_class, the same.
void install_class_file(
    LinuxHost& machine, const std::string& folder, std::size_t card, std::uint32_t port);

// /sys/kernel/config/rdma_cm, with the folders that programs made for devices.
void install_rdma_cm_files(LinuxHost& machine);
// `mkdir` of such a folder. False: there is no such device.
bool make_rdma_cm_folder(LinuxHost& machine, const std::string& device);
// The folder of `path` if it is one; "" if it is elsewhere.
std::string rdma_cm_device(const std::string& path);

}  // namespace fabric::lab
