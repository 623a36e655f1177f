// SPDX-License-Identifier: Apache-2.0
// EsxiMachine: an ESXi host for a user who is logged in: BusyBox's shell, esxcli, esxcfg-module,
// vim-cmd and the vendor's firmware tools. Its answers follow the evidence beside each of them; a
// command that it does not simulate is answered as an unknown one.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/model/spec.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

struct Vswitch {
  std::string name, mtu;
  std::vector<std::string> uplinks, port_groups;
  bool is_distributed = false;
};

// An interface of the kernel (vmk0) on a port group.
struct KernelNic {
  std::string place;  // in esx.conf: "/net/vmkernelnic/child[0000]/"
  std::string name, mtu, port_group;
};

// A running virtual machine.
struct VirtualMachine {
  std::string name;  // of its folder below /vmfs/volumes
  std::int64_t world = 0;
};

class EsxiMachine final : public LinuxHost {
 public:
  EsxiMachine(MachineProfile given, std::uint64_t seed);

  // True if a port of a card shows itself as a NIC: it is Ethernet, or InfiniBand in an Ethernet's
  // guise, no guest has it, and its driver is loaded.
  bool is_nic(std::size_t card, std::uint32_t port) const;
  // True if mst shows a card: no guest has it, and it does not wait for the driver's recovery mode.
  bool is_shown(std::size_t card) const;
  // True if the driver was loaded with mst_recovery=1: for the firmware tools, and without NICs.
  bool in_recovery() const;
  // Cards that a guest has had since the boot, as indices in `state.cards`.
  std::set<std::size_t> passed_through;
  // Modules that unloaded by themselves since the boot.
  std::set<std::string> unloaded;
  // Running virtual machines, by the names of their folders below /vmfs/volumes.
  std::set<std::string> running;
  std::vector<VirtualMachine> virtual_machines() const;
  // The virtual machines whose description has a device of their own: each holds a virtual
  // function.
  std::vector<VirtualMachine> holders() const;
  bool in_maintenance() const;
  std::vector<Vswitch> vswitches() const;
  std::optional<Vswitch> vswitch_of_group(const std::string& port_group) const;
  std::vector<KernelNic> kernel_nics() const;
  std::string nic_mtu(const std::string& nic) const;  // the MTU of its virtual switch
  // `KEY = "VALUE"` of esx.conf, in memory until it is saved; "" = there is none.
  std::string configured(const std::string& key) const;
  void configure(const std::string& key, const std::string& value);
  void save_configuration();
  // Keys of esx.conf that begin with `prefix`.
  std::vector<std::string> configured_keys(const std::string& prefix) const;

  // For each module: the options that its driver was loaded with, from esx.conf at the boot.
  std::map<std::string, std::string> loaded_options;
  std::string uuid() const;
  // The module's options in esx.conf, for the next load; "" = none.
  std::string module_options(const std::string& module) const;

  Duration boot_time() const override { return profile.boot_time; }
  std::unique_ptr<SavedState> save() const override;
  void restore(std::unique_ptr<SavedState> saved) override;
  std::string state_text() const override;
  std::string identity() const override { return uuid(); }
  void boot(const Network& network) override;
  void prepare(const LabHost& host) override;
  MachineReply exec(
      const Network& network,
      std::string_view user,
      std::string_view line,
      std::string_view input) override;
  bool reads_input(std::string_view line) const override;
  void order_reboot(const Network& network) override;
  void write_back() override { save_configuration(); }
  void lose_unsynced() override;
  std::optional<std::string> read_file(std::string_view path) const override;

  // The cables' view (esxi_wire.cpp). Interfaces are numbers in kernel_nics(), from 1.
  std::optional<std::uint32_t> sends_up_to(std::size_t card, std::uint32_t port) const override;
  Egress egress(const Network& network, std::uint32_t interface, const Frame& frame) const override;
  std::optional<Ingress> ingress(
      const Network& network,
      std::size_t card,
      std::uint32_t port,
      const Frame& frame) const override;
  IpPath path_to(
      const Network& network,
      const IpPrefix& target,
      std::string_view device,
      std::string_view source) const override;
  bool has_address(const IpPrefix& address) const override;
  bool has_management_address(const IpPrefix& address) const override;
  bool answers_arp(
      std::uint32_t interface, const IpPrefix& target, const IpPrefix& sender) const override;

 private:
  friend std::unique_ptr<Machine> make_esxi_machine(
      const NodeSpec& node, const LabHost& host, std::uint64_t seed);
  std::string saved_;  // esx.conf, as it was last written to the boot bank
};

// A freshly installed host with the cards that the document names. A file /etc/vmware/esx.conf of
// lab.yaml replaces the host's own.
std::unique_ptr<Machine> make_esxi_machine(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed);

}  // namespace fabric::lab
