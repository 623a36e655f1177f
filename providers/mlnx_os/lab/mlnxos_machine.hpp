// SPDX-License-Identifier: Apache-2.0
// MlnxosMachine: a switch with Onyx (Ethernet) or MLNX-OS (InfiniBand). It has a prompt and no
// shell; its ports follow the lines of its running configuration, and a boot restores the saved
// ones.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/lab/machine/lab_host.hpp"
#include "engine/lab/machine/machine.hpp"
#include "engine/model/spec.hpp"

namespace fabric::lab {

class MlnxosMachine final : public Machine {
 public:
  // One line for one interface, as the switch prints it: "interface ethernet 1/7 mtu 9000 force"
  using Configuration = std::set<std::string>;

  MlnxosMachine(NodeName given, std::uint64_t seed) : Machine{std::move(given), seed} {}

  Configuration running, saved;
  bool wizard_answered = false;  // asked at the first login (E-onyx-login)
  bool infiniband = false;
  std::set<std::string> named_ports;  // LabHost::named_ports
  Duration boots_for{2'000};
  std::uint64_t changed = 0;
  // The subnet manager of the switch. `show ib sm`, and a manager that was started, lag behind the
  // typed lines; whether it supports virtual functions is decided at its start (E-onyx-sm).
  struct Manager {
    bool shown = false, runs = false, knows_virtual_functions = false;
    std::optional<TimePoint> catches_up;
  };
  Manager manager;

  std::vector<std::string> front_ports() const;  // "1/1"
  // The words after a line's start; nullopt: no such line.
  std::optional<std::string> after(const std::string& start) const;
  void erase(const std::string& start);
  std::uint32_t mtu_of(const std::string& port) const;
  // The number of the port's channel; "" = none.
  std::string channel_of(const std::string& port) const;
  // The port's channel as "port-channel 4", "mlag-port-channel 4"; "" = none.
  std::string channel_interface_of(const std::string& port) const;
  // True if a line starts the manager, by "ib sm" or by name, "ib smnode leaf1 enable".
  bool wants_manager() const;
  void note_manager();
  std::string mac_of(const std::string& port) const;

  std::vector<Card>& cards() override { return no_cards_; }
  const std::vector<Card>& cards() const override { return no_cards_; }
  bool is_switch() const override { return true; }
  std::optional<SwitchPort> switch_port(std::string_view written) const override;
  Duration boot_time() const override { return boots_for; }
  std::uint64_t changes() const override { return changed; }
  std::unique_ptr<SavedState> save() const override;
  void restore(std::unique_ptr<SavedState> kept) override;
  std::string state_text() const override;
  std::string identity() const override { return "onyx " + name().str(); }
  void boot(const Network& network) override;
  std::optional<TimePoint> next_event() const override { return manager.catches_up; }
  void on_event(const Network& network) override;
  std::uint64_t node_guid() const override;
  std::optional<std::uint32_t> manager_priority() const override;
  PartitionRules own_partitions() const override;
  void prepare(const LabHost& host) override;
  void order_reboot(const Network& network) override;
  std::string network_in_force() const override { return state_text(); }
  MachineReply exec(
      const Network& network,
      std::string_view user,
      std::string_view line,
      std::string_view input) override;
  bool has_prompt() const override { return true; }
  std::unique_ptr<PromptSession> open_prompt(
      const Network& network, std::string_view user) override;

 private:
  std::optional<LacpPartner> lacp_of(const std::string& port, const std::string& channel) const;
  std::set<std::uint32_t> vlans_of(const std::string& start) const;
  void catch_up();

  std::vector<Card> no_cards_;
};

std::unique_ptr<Machine> make_mlnxos_machine(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed);

}  // namespace fabric::lab
