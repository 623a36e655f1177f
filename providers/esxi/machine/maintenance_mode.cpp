// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/machine/maintenance_mode.hpp"

#include "providers/esxi/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

constexpr int kLeaveSeconds = 300;

remote::Argv script(const remote::Script& script, const char* name) {
  return {"sh", "-c", script, name};
}

class EsxiMaintenanceMode final : public MaintenanceMode {
 public:
  remote::Argv note() const override { return script(sh::esxi_maintenance_note, "fabric-note"); }
  remote::Argv enter(Duration within) const override {
    remote::Argv argv = script(sh::esxi_maintenance_enter, "fabric-enter");
    argv.push_back(std::to_string(within.count() / 1'000));
    return argv;
  }
  remote::Argv leave() const override {
    remote::Argv argv = script(sh::esxi_maintenance_leave, "fabric-leave");
    argv.push_back(std::to_string(kLeaveSeconds));
    return argv;
  }
};

}  // namespace

const MaintenanceMode& esxi_maintenance_mode() {
  static const EsxiMaintenanceMode mode;
  return mode;
}

}  // namespace fabric::platform
