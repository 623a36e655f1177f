// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/programs.hpp"

#include <array>

#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/commands/network/net_families.hpp"
#include "providers/linux/lab/commands/package_families.hpp"
#include "providers/linux/lab/commands/rdma/rdma_families.hpp"

namespace fabric::lab {
namespace {

using namespace commands;  // NOLINT(google-build-using-namespace): the table is of what it holds
using P = Package;

constexpr auto kEntries = std::to_array<ProgramEntry>({
    {"[", "/usr/bin/[", P::base, builtin},
    {"apt-cache", "/usr/bin/apt-cache", P::base, apt_cache},
    {"apt-get", "/usr/bin/apt-get", P::base, apt_get},
    {"bash", "/usr/bin/bash", P::base, sh},
    {"cat", "/usr/bin/cat", P::base, cat},
    {"chmod", "/usr/bin/chmod", P::base, chmod},
    {"chown", "/usr/bin/chown", P::base, chown},
    {"cmp", "/usr/bin/cmp", P::base, cmp},
    {"cp", "/usr/bin/cp", P::base, cp},
    {"date", "/usr/bin/date", P::base, date},
    {"dcb", "/usr/sbin/dcb", P::base, dcb},
    {"dpkg", "/usr/bin/dpkg", P::base, dpkg},
    {"dpkg-query", "/usr/bin/dpkg-query", P::base, dpkg_query},
    {"echo", "/usr/bin/echo", P::base, builtin},
    {"env", "/usr/bin/env", P::base, env},
    {"ethtool", "/usr/sbin/ethtool", P::base, ethtool},
    {"false", "/usr/bin/false", P::base, builtin},
    {"find", "/usr/bin/find", P::base, find_files},
    {"flint", "/usr/bin/flint", P::mlxconfig, mstflint},
    {"flock", "/usr/bin/flock", P::base, flock},
    {"grep", "/usr/bin/grep", P::base, grep},
    {"head", "/usr/bin/head", P::base, head},
    {"hostname", "/usr/bin/hostname", P::base, hostname},
    {"ib_send_bw", "/usr/bin/ib_send_bw", P::perftest, ib_send_bw},
    {"ibnetdiscover", "/usr/sbin/ibnetdiscover", P::diagnostics, ibnetdiscover},
    {"ibstat", "/usr/sbin/ibstat", P::diagnostics, ibstat},
    {"id", "/usr/bin/id", P::base, id},
    {"ifdown", "/usr/sbin/ifdown", P::ifup, ifdown},
    {"ifquery", "/usr/sbin/ifquery", P::ifupdown, ifquery},
    {"ifreload", "/usr/sbin/ifreload", P::ifupdown2, ifreload},
    {"ifup", "/usr/sbin/ifup", P::ifup, ifup},
    {"ip", "/usr/bin/ip", P::base, ip},
    {"iperf3", "/usr/bin/iperf3", P::iperf3, iperf3},
    {"lldpcli", "/usr/sbin/lldpcli", P::lldpd, lldpcli},
    {"kill", "/usr/bin/kill", P::base, kill},
    {"ln", "/usr/bin/ln", P::base, ln},
    {"ls", "/usr/bin/ls", P::base, ls},
    {"lsmod", "/usr/sbin/lsmod", P::base, lsmod},
    {"lspci", "/usr/bin/lspci", P::base, lspci},
    {"mkdir", "/usr/bin/mkdir", P::base, mkdir},
    {"mlxconfig", "/usr/bin/mlxconfig", P::mlxconfig, mstconfig},
    {"mlnx_qos", "/usr/bin/mlnx_qos", P::ofed, mlnx_qos},
    {"mlxlink", "/usr/bin/mlxlink", P::mlxconfig, mlxlink},
    {"mlxfwreset", "/usr/bin/mlxfwreset", P::mlxconfig, mstfwreset},
    {"modinfo", "/usr/sbin/modinfo", P::ofed, modinfo},
    {"modprobe", "/usr/sbin/modprobe", P::base, modprobe},
    {"mst", "/usr/bin/mst", P::mlxconfig, mst},
    {"mstconfig", "/usr/bin/mstconfig", P::mstconfig, mstconfig},
    {"mstflint", "/usr/bin/mstflint", P::mstconfig, mstflint},
    {"mstlink", "/usr/bin/mstlink", P::mstconfig, mlxlink},
    {"mstfwreset", "/usr/bin/mstfwreset", P::mstconfig, mstfwreset},
    {"mv", "/usr/bin/mv", P::base, mv},
    {"netplan", "/usr/sbin/netplan", P::netplan, netplan},
    {"networkctl", "/usr/bin/networkctl", P::base, networkctl},
    {"nmcli", "/usr/bin/nmcli", P::networkmanager, nmcli},
    {"nohup", "/usr/bin/nohup", P::base, nohup},
    {"ofed_info", "/usr/bin/ofed_info", P::ofed, ofed_info},
    {"opensm", "/usr/sbin/opensm", P::opensm, opensm},
    {"ping", "/usr/bin/ping", P::base, ping},
    {"printf", "/usr/bin/printf", P::base, builtin},
    {"rdma", "/usr/bin/rdma", P::base, rdma},
    {"readlink", "/usr/bin/readlink", P::base, readlink},
    {"reboot", "/usr/sbin/reboot", P::base, reboot},
    {"rm", "/usr/bin/rm", P::base, rm},
    {"sed", "/usr/bin/sed", P::base, sed},
    {"sh", "/usr/bin/sh", P::base, sh},
    {"sha256sum", "/usr/bin/sha256sum", P::base, sha256sum},
    {"sleep", "/usr/bin/sleep", P::base, pause},
    {"saquery", "/usr/sbin/saquery", P::diagnostics, saquery},
    {"sminfo", "/usr/sbin/sminfo", P::diagnostics, sminfo},
    {"stat", "/usr/bin/stat", P::base, stat},
    {"sudo", "/usr/bin/sudo", P::base, sudo},
    {"sync", "/usr/bin/sync", P::base, sync},
    {"sysctl", "/usr/sbin/sysctl", P::base, sysctl},
    {"systemctl", "/usr/bin/systemctl", P::base, systemctl},
    {"tail", "/usr/bin/tail", P::base, tail},
    {"test", "/usr/bin/test", P::base, builtin},
    {"timeout", "/usr/bin/timeout", P::base, timeout},
    {"touch", "/usr/bin/touch", P::base, touch},
    {"tr", "/usr/bin/tr", P::base, tr},
    {"true", "/usr/bin/true", P::base, builtin},
    {"update-initramfs", "/usr/sbin/update-initramfs", P::base, update_initramfs},
    {"wc", "/usr/bin/wc", P::base, wc},
});

}  // namespace

const ProgramTable& linux_programs() {
  static const ProgramTable table{kEntries};
  return table;
}

}  // namespace fabric::lab
