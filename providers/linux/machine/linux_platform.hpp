// SPDX-License-Identifier: Apache-2.0
// The platform `linux`.
#pragma once

#include <optional>

#include "engine/platform/facts.hpp"
#include "engine/platform/host_network.hpp"
#include "engine/platform/host_parts.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/platform/probe.hpp"

namespace fabric::platform {

// The one object for the whole program; it has no state.
const HostPlatform& linux_platform();

class LinuxFencing final : public Fencing {
 public:
  // Before the step, extends a lease that is in force and would end before the step's deadline, so
  // that no other run starts during the step. Exit status 76, without the command, if the lease is
  // not in force.
  remote::Step while_leased(const std::string& run, remote::Step step) const override;
  bool is_refusal(const remote::StepResult& result) const override;
};

// Nullopt if the addresses were not read as JSON. If the routes were not read, every address has
// the route of its subnet, in order of the interfaces.
std::optional<HostRouting> host_routing_of(const NodeFacts& facts);

class LinuxPlanRecord final : public PlanRecord {
 public:
  remote::Step read() const override;
  Result<std::vector<AppliedPlan>> plans(const remote::StepResult& result) const override;
  remote::Step write(const std::vector<AppliedPlan>& plans) const override;
};

// The path of our own SSH session on a Linux host.

// Finds the session's client in the environment of the shell, or of its parent if sudo has cleared
// it, and follows the route back to the client, and the session's address, down to the ports:
// through bridges, bonds, teams, VLANs, VRFs, macvlans and virtual functions by what the kernel
// says lies beneath, through bridges of Open vSwitch by ovs-vsctl, through tunnels by the route to
// their other end. Prints a line where that way is lost (another network namespace, a tunnel
// without an end, a route over loopback). Also prints the destinations of the interface that has
// the route.
Probe session_probe();
// Facts of an older form, without a device, give an unknown path.
SessionPath session_path_of(const NodeFacts& facts);

}  // namespace fabric::platform
