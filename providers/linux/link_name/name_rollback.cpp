// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/link_name/name_rollback.hpp"

#include <string>

#include "engine/model/resource_keys.hpp"
#include "providers/linux/interface/backends/backend_choice.hpp"
#include "providers/linux/interface/bound.hpp"
#include "providers/linux/port/port_interface.hpp"

namespace fabric::providers {

namespace {

// `$4` the name. The kernel renames only what is down, and counts alternative names, of which
// systemd gives a port its former one. Another port of the card may have the name, and gives it
// back when its own turn comes; what is no port of it keeps its name. No such port: a failure.
constexpr const char* kNameBack = R"sh(for now in $interfaces; do
  [ "$now" != "$4" ] || exit 0
  if [ -e "/sys/class/net/$4" ]; then
    case $(readlink -f "/sys/class/net/$4/device") in *"/${1%.*}."*) ;; *) exit 1 ;; esac
    ip link set dev "$4" down
    ip link set dev "$4" name "back$$"
  fi
  ip link property del dev "$now" altname "$4" 2>/dev/null
  ip link set dev "$now" down
  ip link set dev "$now" name "$4" && now=$4
  ip link set dev "$now" up
  [ "$now" = "$4" ]
  exit
done
exit 1)sh";

}  // namespace

std::vector<remote::Argv> name_back(
    const NodeFacts& facts, const NamedPort& named, const Resource& link_name) {
  const AdapterPort& port = *named.port;
  const std::string& name = port.netdev;
  std::vector<remote::Argv> commands{
      at_interface_of(*named.card, port, !port.netdev_is_ethernet, kNameBack, {name})};
  if (const NetworkBackend* backend =
          choose_backend(facts, bound_text(link_name, keys::kBackend), name).backend) {
    for (remote::Argv& argv : backend->restore_all())
      commands.push_back(std::move(argv));
  }
  return commands;
}

}  // namespace fabric::providers
