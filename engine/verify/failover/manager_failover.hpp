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
  Failover failover;  // policy "manager", port of the master
  platform::ManagerStopping stopping;
  std::string obstacle;  // why the test is not made; "" = it is made
};

// Returns one for each subnet with several managers in the document, in order of network and port;
// with an obstacle where no master is known, no standby runs, or the master is on a switch.
std::vector<ManagerFailover> manager_failovers(
    const FabricSpec& spec, const std::vector<ManagerReport>& managers);

FailoverReport judge_manager_failover(
    const ManagerFailover& tried, const platform::ManagerStoppingAnswer& answer);

}  // namespace fabric::verify
