// SPDX-License-Identifier: Apache-2.0
// NvueMachine: a switch with Cumulus Linux or NVOS. Its system is a Linux host (sshd, a shell,
// /proc); its ports follow the configuration that `nv` has applied.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "providers/linux/lab/linux_machine.hpp"
#include "providers/nvue/lab/nvue_config.hpp"

namespace fabric::lab {

namespace nvue {

struct Revision {
  std::uint64_t id = 0;
  std::string state;  // "pending", "applied", "applied_and_saved", "confirm", "detached"
  std::string user;
  Value tree{Map{}};
};

// A revision that waits for `--confirm-yes`; at `until` the former revision is restored.
struct Confirmation {
  std::uint64_t revision = 0, before = 0;
  TimePoint until{};
};

struct State {
  std::vector<Revision> revisions;  // in order of id; one of them is applied
  std::uint64_t applied = 1;
  Value startup{Map{}};
  std::map<std::string, std::uint64_t> pending;  // by user
  std::optional<Confirmation> confirmation;
};

}  // namespace nvue

class NvueMachine final : public LinuxMachine {
 public:
  NvueMachine(MachineProfile given, std::uint64_t seed, Platform kind);

  const Platform platform;
  std::set<std::string> named_ports;  // LabHost::named_ports
  nvue::State nvue;

  const Value& applied() const;
  // The ports by their names in `nv`, in order.
  std::vector<std::string> front_ports() const;
  // The bond that has the port; "" = none.
  std::string bond_of(const std::string& port) const;
  std::uint32_t mtu_of(const std::string& interface) const;
  bool saves_by_itself() const;
  std::string mac_of(const std::string& port) const;
  // The document's name of a port: "7" of "swp7".
  PortRef document_port(const std::string& native) const;
  nvue::Revision& revision(std::uint64_t id);
  const nvue::Revision& revision(std::uint64_t id) const;
  void roll_back();

  std::unique_ptr<SavedState> save() const override;
  void restore(std::unique_ptr<SavedState> saved) override;
  std::string state_text() const override;
  void boot(const Network& network) override;
  std::optional<TimePoint> next_event() const override;
  void on_event(const Network& network) override;
  std::string network_in_force() const override;

  bool is_switch() const override { return true; }
  std::optional<SwitchPort> switch_port(std::string_view written) const override;

 private:
  std::optional<LacpPartner> lacp_of(const std::string& port, const std::string& bond) const;
};

std::unique_ptr<Machine> make_cumulus_machine(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed);
std::unique_ptr<Machine> make_nvos_machine(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed);

}  // namespace fabric::lab
