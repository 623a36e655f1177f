// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/esx_classic/maintenance_mode.hpp"

#include <fmt/format.h>

#include "engine/platform/esx_classic/esx_classic_platform.hpp"

namespace fabric::platform {

namespace {

// ESX 4 calls it vmware-vim-cmd, ESX 3.5 vimsh (E-esx-maintenance). Neither is believed: each
// script looks at the mode afterwards.
constexpr const char* kCommon = R"sh(PATH=$PATH:/usr/sbin:/sbin:/usr/bin:/bin
notes=/var/lib/fabric
vim() {
  if command -v vmware-vim-cmd >/dev/null 2>&1; then vmware-vim-cmd "$1"; else vimsh -n -e "$1"; fi
}
mode() { vim hostsvc/hostsummary 2>/dev/null | sed -n 's/^ *inMaintenanceMode = \([a-z]*\).*$/\1/p'; }
noted() { cat "$notes/maintenance" 2>/dev/null || echo none; }
note() {
  [ "$(noted)" = "$1" ] && return 0
  umask 077
  mkdir -p "$notes" && echo "$1" >"$notes/maintenance.new" && sync &&
    mv -f "$notes/maintenance.new" "$notes/maintenance" && sync
  [ "$(noted)" = "$1" ] || { echo "$notes/maintenance can't be written"; exit 1; }
}
)sh";

// A note that is there already is that of a run that was cut short: it stands.
constexpr const char* kNote = R"sh(case $(noted) in entered|found) exit 0 ;; esac
case $(mode) in
  true) note found ;;
  false) note entered ;;
  *) echo 'the host does not say whether it is in maintenance mode'; exit 1 ;;
esac
)sh";

// $1 seconds. Entering waits until no virtual machine runs, and names none: so that is looked at
// first.
constexpr const char* kEnter = R"sh([ "$(mode)" = true ] && exit 0
running() {
  vmware-cmd -l 2>/dev/null | while read -r machine; do
    case $(vmware-cmd "$machine" getstate -q 2>/dev/null) in on*) echo "${machine##*/}" ;; esac
  done
}
left=$1
while [ -n "$(running)" ]; do
  if [ "$left" -le 0 ]; then
    echo "not in maintenance mode after $1 s: running virtual machines: $(running)" | tr '\n' ' '
    exit 1
  fi
  sleep 2
  left=$((left - 2))
done
said=$(vim hostsvc/maintenance_mode_enter 2>&1)
sync
[ "$(mode)" = true ] && exit 0
echo "not in maintenance mode: $said" | tr '\n' ' '
exit 1
)sh";

// What somebody else entered is his to leave; that it is left already is all the better.
constexpr const char* kLeave = R"sh(if [ "$(noted)" = entered ] && [ "$(mode)" != false ]; then
  said=$(vim hostsvc/maintenance_mode_exit 2>&1)
  sync
  [ "$(mode)" = false ] || { echo "still in maintenance mode: $said" | tr '\n' ' '; exit 1; }
fi
note none
)sh";

remote::Argv script(const char* text, std::string name) {
  return {"sh", "-c", std::string{kCommon} + text, std::move(name)};
}

class EsxClassicMaintenanceMode final : public MaintenanceMode {
 public:
  remote::Argv note() const override { return script(kNote, "fabric-note"); }
  remote::Argv enter(Duration within) const override {
    remote::Argv argv = script(kEnter, "fabric-enter");
    argv.push_back(std::to_string(within.count() / 1'000));
    return argv;
  }
  remote::Argv leave() const override { return script(kLeave, "fabric-leave"); }
};

}  // namespace

const MaintenanceMode& esx_classic_maintenance_mode() {
  static const EsxClassicMaintenanceMode mode;
  return mode;
}

Probe esx_classic_maintenance_probe() {
  return {"esx-maintenance", std::string{kCommon} + R"sh(echo "mode $(mode)"
echo "note $(noted)"
exit 0
)sh"};
}

}  // namespace fabric::platform
