// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/system/base_system.hpp"

#include <fmt/format.h>

#include "providers/linux/lab/network/network_files.hpp"
#include "providers/linux/lab/network/network_scripts.hpp"
#include "providers/linux/lab/shell/programs.hpp"
#include "providers/linux/lab/system/packages.hpp"

namespace fabric::lab {
namespace {

bool has_package(const MachineProfile& profile, Package package) {
  switch (package) {
    case Package::base:
    case Package::diagnostics:
      return true;
    case Package::iperf3:
    case Package::opensm:
    case Package::perftest:
      return false;
    case Package::networkd:
      return profile.backend == "networkd" || profile.backend == "netplan";
    case Package::ifup:
      return profile.backend == "ifcfg" || profile.backend.starts_with("ifupdown");
    case Package::ifupdown:
      return profile.backend.starts_with("ifupdown");
    case Package::netplan:
      return profile.backend == "netplan";
    case Package::networkmanager:
      return profile.backend == "networkmanager";
    case Package::ifupdown2:
      return profile.backend == "ifupdown2";
    case Package::mstconfig:
      return profile.tool == "mstconfig";
    case Package::mlxconfig:
      return profile.tool == "mlxconfig";
    case Package::ofed:
      return !profile.ofed.empty();
    case Package::lldpd:
      return profile.lldpd;
  }
  return false;
}

void install_programs(LinuxHost& machine) {
  FileTree& files = machine.state.files;
  for (const ProgramEntry& entry : machine.programs.entries) {
    if (has_package(machine.profile, entry.package))
      files.install_program(entry.path, std::string{entry.name});
  }
  for (const std::string_view folder : {"/usr/local/bin", "/usr/local/sbin", "/usr/lib"})
    files.install_directory(folder);
  files.install_symlink("/bin", "usr/bin");
  files.install_symlink("/sbin", "usr/sbin");
  files.install_symlink("/lib", "usr/lib");
}

std::string random_hex(Random& random, std::size_t length) {
  std::string text;
  while (text.size() < length)
    text += fmt::format("{:016x}", random.next());
  return text.substr(0, length);
}

void install_etc(LinuxHost& machine) {
  FileTree& files = machine.state.files;
  files.install(
      "/etc/os-release",
      "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian "
      "GNU/Linux\"\nVERSION_ID=\"12\"\n"
      "VERSION=\"12 (bookworm)\"\nVERSION_CODENAME=bookworm\nID=debian\n"
      "HOME_URL=\"https://www.debian.org/\"\n");
  files.install("/etc/debian_version", "12.8\n");
  files.install("/etc/machine-id", random_hex(machine.random, 32) + "\n", 0444);
  files.install("/etc/hostname", machine.profile.name + "\n");
  files.install(
      "/etc/hosts", fmt::format("127.0.0.1\tlocalhost\n127.0.1.1\t{}\n", machine.profile.name));
  files.install(
      "/etc/sysctl.conf", "# /etc/sysctl.conf - Configuration file for setting system variables\n");
  files.install_symlink("/etc/sysctl.d/99-sysctl.conf", "../sysctl.conf");
  files.install("/usr/lib/sysctl.d/50-pid-max.conf", "kernel.pid_max = 4194304\n");
  files.install(
      "/etc/ssh/sshd_config", "PermitRootLogin prohibit-password\nPasswordAuthentication no\n");
  files.install_null_device("/dev/null");
  std::string passwd = "root:x:0:0:root:/root:/bin/bash\n";
  for (const std::string& user : machine.profile.users) {
    passwd += fmt::format("{0}:x:1000:1000:{0},,,:/home/{0}:/bin/bash\n", user);
    files.install_directory("/home/" + user);
  }
  files.install("/etc/passwd", passwd);
  for (const std::string_view folder :
       {"/etc/modprobe.d",
        "/etc/modules-load.d",
        "/etc/systemd/network",
        "/etc/udev/rules.d",
        "/etc/default",
        "/root",
        "/etc/systemd/system/timers.target.wants",
        "/etc/cron.d",
        "/var/lib",
        "/var/log",
        "/srv",
        "/opt"}) {
    files.install_directory(folder);
  }
}

// Also the file of RHEL's NetworkManager-config-server.
void install_profiles(FileTree& files, const std::string& address) {
  files.install(
      "/usr/lib/NetworkManager/conf.d/00-server.conf",
      "[main]\nno-auto-default=*\nignore-carrier=*\n");
  const std::string ipv4 =
      address.empty() ? "method=auto\n" : fmt::format("address1={}/24\nmethod=manual\n", address);
  files.install(
      std::string{kKeyfiles} + "/eno1.nmconnection",
      "[connection]\nid=eno1\nuuid=0f3d6c3a-52f1-4c0e-9a55-4b0d5a3b7c11\ntype=ethernet\n"
      "interface-name=eno1\n\n[ethernet]\n\n[ipv4]\n" +
          ipv4 + "\n[ipv6]\naddr-gen-mode=default\nmethod=disabled\n\n[proxy]\n",
      0600);
}

void install_network_configuration(LinuxHost& machine) {
  FileTree& files = machine.state.files;
  const std::string& address = machine.profile.address;
  if (machine.profile.backend == "networkd") {
    files.install(
        "/etc/systemd/network/20-management.network",
        "[Match]\nName=eno1\n\n[Network]\n" +
            (address.empty() ? "DHCP=yes\n" : fmt::format("Address={}/24\n", address)));
    return;
  }
  if (machine.profile.backend == "ifcfg") {
    files.install(
        std::string{kNetworkScripts} + "/ifcfg-eno1",
        "DEVICE=eno1\nTYPE=Ethernet\nONBOOT=yes\n" +
            (address.empty() ? "BOOTPROTO=dhcp\n"
                             : fmt::format("BOOTPROTO=none\nIPADDR={}\nPREFIX=24\n", address)));
    return;
  }
  if (machine.profile.backend == "networkmanager") return install_profiles(files, address);
  if (machine.profile.backend == "netplan") {
    files.install(
        "/etc/netplan/50-cloud-init.yaml",
        "network:\n    version: 2\n    ethernets:\n        eno1:\n" +
            (address.empty()
                 ? "            dhcp4: true\n"
                 : fmt::format("            addresses:\n            - {}/24\n", address)),
        0600);
    return;
  }
  files.install("/etc/default/networking", "# Configuration for networking init script\n");
  files.install_directory("/etc/network/interfaces.d");
  std::string text =
      "# This file describes the network interfaces available on your system\n\n"
      "source /etc/network/interfaces.d/*\n\nauto lo\niface lo inet loopback\n\n";
  const std::string& bridge = machine.profile.bridge;
  // As on Proxmox.
  if (!bridge.empty()) text += "iface eno1 inet manual\n\n";
  const std::string& device = bridge.empty() ? "eno1" : bridge;
  text +=
      address.empty()
          ? fmt::format("auto {0}\niface {0} inet manual\n", device)
          : fmt::format("auto {0}\niface {0} inet static\n    address {1}/24\n", device, address);
  if (!bridge.empty()) text += "    bridge-ports eno1\n    bridge-stp off\n    bridge-fd 0\n";
  files.install("/etc/network/interfaces", text);
}

void install_services(LinuxHost& machine) {
  std::map<std::string, Service>& services = machine.state.services;
  const std::string& backend = machine.profile.backend;
  const bool networkd = backend == "networkd" || backend == "netplan";
  const bool manager = backend == "networkmanager";
  const auto put = [&](const std::string& unit, bool installed, bool enabled) {
    services[unit] = Service{installed, false, enabled};
  };
  put("ssh", true, true);
  put("systemd-networkd", true, networkd);  // part of systemd, whether used or not
  const bool scripts = backend == "ifcfg";
  const bool ifupdown = backend.starts_with("ifupdown");
  put("networking", ifupdown, ifupdown);
  put("network", scripts, scripts);
  put("NetworkManager", manager, manager);
  put("lldpd", machine.profile.lldpd, machine.profile.lldpd);
  put("systemd-sysctl", true, true);
  put("cron", true, true);
}

}  // namespace

void install_base_system(LinuxHost& machine) {
  install_programs(machine);
  install_etc(machine);
  install_network_configuration(machine);
  install_services(machine);
  install_packages(machine);
  machine.state.hostname = machine.profile.name;
}

}  // namespace fabric::lab
