// SPDX-License-Identifier: Apache-2.0
// MaintenanceMode: a state of a node in which it has no workload, so that it may be disrupted. The
// commands may be repeated.
#pragma once

#include "engine/base/clock.hpp"
#include "engine/remote/step.hpp"

namespace fabric::platform {

class MaintenanceMode {
 public:
  MaintenanceMode() = default;
  MaintenanceMode(const MaintenanceMode&) = delete;
  MaintenanceMode& operator=(const MaintenanceMode&) = delete;
  virtual ~MaintenanceMode() = default;

  // Records on the node, to survive boots, that a run is about to enter the mode, and whether the
  // node was in it already: another operator then leaves it. The provider of kind "drain" reads the
  // record as `drained`, and the mode as `in_maintenance`.
  virtual remote::Argv note() const = 0;
  // Fails after `within`, and names the obstacle.
  virtual remote::Argv enter(Duration within) const = 0;
  // Leaves it if the note says that a run entered it, and forgets the note.
  virtual remote::Argv leave() const = 0;
};

}  // namespace fabric::platform
