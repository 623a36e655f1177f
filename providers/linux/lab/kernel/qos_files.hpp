// SPDX-License-Identifier: Apache-2.0
// Files that mark RoCE and control its congestion: ECN and the traffic class of the vendor's
// drivers, the ToS of RDMA CM.
#pragma once

#include <string>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// Installs ecn/roce_np and ecn/roce_rp of an interface, which the kernel's drivers do not have.
void install_ecn_files(
    LinuxHost& machine, const std::string& folder, std::size_t card, std::uint32_t port);
// Installs tc/1/traffic_class below the folder of an RDMA device; not for drivers of the kernel.
void install_class_file(
    LinuxHost& machine, const std::string& folder, std::size_t card, std::uint32_t port);

// Installs /sys/kernel/config/rdma_cm, with the folders that programs made for devices.
void install_rdma_cm_files(LinuxHost& machine);
// `mkdir` of such a folder. False: there is no such device.
bool make_rdma_cm_folder(LinuxHost& machine, const std::string& device);
// The device of a folder in rdma_cm; "" for any other path.
std::string rdma_cm_device(const std::string& path);

}  // namespace fabric::lab
