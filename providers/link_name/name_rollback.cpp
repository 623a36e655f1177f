#include "providers/link_name/name_rollback.hpp"

#include <string>

#include "providers/interface/backend_choice.hpp"

namespace fabric::providers {

namespace {

// `$1` PCI function, `$2` dev_port, `$3` type (1 Ethernet, 32 InfiniBand), `$4` the name. Neither
// children of IPoIB nor representors of virtual functions are the port, which they share that with.
// The kernel renames only what is down, and counts alternative names, of which systemd gives a port
// its former one. Another port of the card may have the name, and gives it back when its own turn
// comes; what is no port of it keeps its name. No such port: a failure.
constexpr const char* kNameBack = R"sh(for d in "/sys/bus/pci/devices/$1/net/"*; do
  now=${d##*/}
  case $now in *.*) continue ;; esac
  case $(cat "$d/phys_port_name" 2>/dev/null) in *vf* | *sf*) continue ;; esac
  [ "$(cat "$d/dev_port" 2>/dev/null) $(cat "$d/type" 2>/dev/null)" = "$2 $3" ] || continue
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

std::vector<remote::Argv> name_back(const NodeFacts& facts, const NamedPort& named) {
  const std::string& name = named.port->netdev;
  const bool shared = named.card->shares_function();
  std::vector<remote::Argv> commands{
      {"sh",
       "-c",
       kNameBack,
       "fabric",
       named.port->function.str(),
       std::to_string(shared ? named.port->number - 1 : 0),
       named.port->netdev_is_ethernet ? "1" : "32",
       name}};
  if (const NetworkBackend* backend = choose_backend(facts, "", name).backend) {
    for (remote::Argv& argv : backend->restore_all())
      commands.push_back(std::move(argv));
  }
  return commands;
}

}  // namespace fabric::providers
