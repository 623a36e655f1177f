// SPDX-License-Identifier: Apache-2.0
// Fail-over of subnet managers: the master on a host is stopped until a standby is master, and
// started again.
#pragma once

#include <string>
#include <vector>

#include "engine/platform/path_tests.hpp"
#include "engine/verify/failover/failover.hpp"
#include "engine/verify/report/manager_report.hpp"

namespace fabric::verify {

struct ManagerFailover {
  Failover failover;  // of policy "manager", by the port of the master
  platform::ManagerStopping stopping;
  std::string obstacle;  // why it is not tried; "" = none
};

// One for each subnet of which the document names several managers, in order of network and port;
// one with an obstacle where no master is known, no standby lives, or the master is a switch's.
std::vector<ManagerFailover> manager_failovers(
    const FabricSpec& spec, const std::vector<ManagerReport>& managers);

FailoverReport judge_manager_failover(
    const ManagerFailover& tried, const platform::ManagerStoppingAnswer& answer);

}  // namespace fabric::verify
