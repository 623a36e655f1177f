// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/esxi/maintenance_mode.hpp"

#include <fmt/format.h>

namespace fabric::platform {

namespace {

// esxcli ends with 0 or 1 whatever happened (E-esxcli-errors): each script looks at what came of
// it. What a shell that is no login finds is made sure of (E-esxi-path).
constexpr const char* kCommon = R"sh(PATH=$PATH:/bin:/sbin
path=/UserVars/FabricMaintenance
mode() { esxcli system maintenanceMode get; }
noted() {
  esxcli --formatter=keyvalue system settings advanced list -o "$path" 2>&1 |
    sed -n 's/^.*[.]StringValue[.]string=//p'
}
note() {
  [ "$(noted)" = "$1" ] && return 0
  [ -n "$(noted)" ] || esxcli system settings advanced add -k FabricMaintenance -t string -s none \
    -d 'Whether fabric has entered the maintenance mode'
  esxcli system settings advanced set -o "$path" -s "$1"
  [ "$(noted)" = "$1" ] || { echo "$path can't be set to $1"; exit 1; }
  auto-backup.sh >/dev/null 2>&1 || { echo 'auto-backup.sh failed'; exit 1; }
}
)sh";

// A note that is there already is that of a run that was cut short: it stands.
constexpr const char* kNote = R"sh(case $(noted) in entered|found) exit 0 ;; esac
if [ "$(mode)" = Enabled ]; then note found; else note entered; fi
)sh";

// $1 seconds. What the command says when it gives up names no virtual machine.
constexpr const char* kEnter = R"sh([ "$(mode)" = Enabled ] && exit 0
said=$(esxcli system maintenanceMode set -e true -t "$1" 2>&1)
[ "$(mode)" = Enabled ] && exit 0
running=$(esxcli --formatter=keyvalue vm process list 2>/dev/null |
  sed -n 's/^.*[.]DisplayName[.]string=//p')
echo "not in maintenance mode after $1 s: $said" | tr '\n' ' '
[ -n "$running" ] && echo "running virtual machines: $running" | tr '\n' ' '
exit 1
)sh";

// What somebody else entered is his to leave; that it is left already is all the better.
constexpr const char* kLeave = R"sh(if [ "$(noted)" = entered ] && [ "$(mode)" != Disabled ]; then
  said=$(esxcli system maintenanceMode set -e false -t "$1" 2>&1)
  [ "$(mode)" = Disabled ] || { echo "still in maintenance mode: $said" | tr '\n' ' '; exit 1; }
fi
note none
)sh";

constexpr int kLeaveSeconds = 300;

remote::Argv script(const char* text, std::string name) {
  return {"sh", "-c", std::string{kCommon} + text, std::move(name)};
}

class EsxiMaintenanceMode final : public MaintenanceMode {
 public:
  remote::Argv note() const override { return script(kNote, "fabric-note"); }
  remote::Argv enter(Duration within) const override {
    remote::Argv argv = script(kEnter, "fabric-enter");
    argv.push_back(std::to_string(within.count() / 1'000));
    return argv;
  }
  remote::Argv leave() const override {
    remote::Argv argv = script(kLeave, "fabric-leave");
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
