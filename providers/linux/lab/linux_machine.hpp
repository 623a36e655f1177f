// SPDX-License-Identifier: Apache-2.0
// LinuxMachine: a Linux host with a POSIX shell behind its sshd, as one of the lab's machines.
#pragma once

#include <memory>
#include <string>

#include "engine/model/spec.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

class LinuxMachine : public LinuxHost {
 public:
  LinuxMachine(MachineProfile given, std::uint64_t seed);
  // For a machine that is more than a Linux host: with these programs.
  LinuxMachine(MachineProfile given, std::uint64_t seed, const ProgramTable& with);

  Duration boot_time() const override { return profile.boot_time; }
  std::unique_ptr<SavedState> save() const override;
  void restore(std::unique_ptr<SavedState> saved) override;
  std::string state_text() const override;
  std::string identity() const override;

  void boot(const Network& network) override;
  void prepare(const LabHost& host) override;
  void settle(const Network& network, std::int64_t unix_milliseconds) override;
  std::optional<TimePoint> next_event() const override;
  void on_event(const Network& network) override;

  MachineReply exec(
      const Network& network,
      std::string_view user,
      std::string_view line,
      std::string_view input) override;
  bool reads_input(std::string_view line) const override;
  void order_reboot(const Network& network) override;
  void write_back() override { state.files.sync_all(); }
  void lose_unsynced() override { state.files.lose_unsynced(forgetting_); }
  std::vector<std::string> unsynced_files() const override { return state.files.unsynced(); }
  void set_disk_full(bool full) override { state.files.set_full(full); }
  std::string network_in_force() const override { return state.network_in_force; }
  std::optional<std::string> read_file(std::string_view path) const override;
  std::vector<std::string> touched_files() const override;

  // linux_wire.cpp
  std::optional<LldpSender> lldp(std::size_t card, std::uint32_t port) const override;
  std::optional<LacpPartner> lacp_offer(std::size_t card, std::uint32_t port) const override;
  std::optional<ManagerOffer> manager_on(std::size_t card, std::uint32_t port) const override;
  PartitionRules partitions_of(std::size_t card, std::uint32_t port) const override;
  std::string node_description(std::size_t card, std::uint32_t port) const override;
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
  std::optional<IpPath> forward(
      const Network& network, std::uint32_t interface, const IpPrefix& target) const override;
  bool has_address(const IpPrefix& address) const override;
  bool has_management_address(const IpPrefix& address) const override;
  bool answers_arp(
      std::uint32_t interface, const IpPrefix& target, const IpPrefix& sender) const override;
  bool takes_from(
      const Network& network,
      std::uint32_t interface,
      const IpPrefix& sender,
      const IpPrefix& target) const override;
  std::optional<Device> device(const Network& network, std::string_view name) const override;

 private:
  // Sets the time of the file tree, before each change.
  void set_time();
  Random forgetting_;  // by itself, so that what a machine draws otherwise stays as it is
};

// A freshly installed host with the cards that the document names, with factory settings unless
// `host` has others. In build_linux.cpp.
std::unique_ptr<Machine> make_linux_machine(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed);

}  // namespace fabric::lab
