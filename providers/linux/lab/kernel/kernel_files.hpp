// SPDX-License-Identifier: Apache-2.0
// /proc and /sys of a simulated host.
#pragma once

#include <string>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// Makes /proc and /sys for the present hardware and interfaces.
void install_proc(LinuxHost& machine, const Network& network);
void install_sysfs(LinuxHost& machine, const Network& network);

// /proc/net/bonding, /proc/net/vlan and the files of bonds in /sys.
std::string proc_bonding_text(
    const Network& network, const LinuxHost& machine, const Interface& bond);
void install_proc_of_links(LinuxHost& machine, const Network& network);
// `folder`: the interface's folder below /sys/devices.
void install_bond_files(
    LinuxHost& machine, const Network& network, const Interface& bond, const std::string& folder);
void install_slave_files(
    LinuxHost& machine, const Network& network, const Interface& slave, const std::string& folder);
void install_bonding_masters(LinuxHost& machine, const Network& network);

// Files that mark RoCE and control its congestion: ECN and the traffic class of the vendor's
// drivers, the ToS of RDMA CM.
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
