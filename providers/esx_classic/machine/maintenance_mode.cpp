// SPDX-License-Identifier: Apache-2.0
#include "providers/esx_classic/machine/maintenance_mode.hpp"

#include "providers/esx_classic/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

remote::Argv script(const remote::Script& script, const char* name) {
  return {"sh", "-c", script, name};
}

class EsxClassicMaintenanceMode final : public MaintenanceMode {
 public:
  remote::Argv note() const override { return script(sh::esx_maintenance_note, "fabric-note"); }
  remote::Argv enter(Duration within) const override {
    remote::Argv argv = script(sh::esx_maintenance_enter, "fabric-enter");
    argv.push_back(std::to_string(within.count() / 1'000));
    return argv;
  }
  remote::Argv leave() const override { return script(sh::esx_maintenance_leave, "fabric-leave"); }
};

}  // namespace

const MaintenanceMode& esx_classic_maintenance_mode() {
  static const EsxClassicMaintenanceMode mode;
  return mode;
}

Probe esx_classic_maintenance_probe() {
  return {"esx-maintenance", std::string{sh::probe_esx_maintenance.text}};
}

}  // namespace fabric::platform
