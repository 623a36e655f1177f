#include "providers/link_name/name_rollback.hpp"

#include <string>

#include "providers/interface/backend_choice.hpp"

namespace fabric::providers {

namespace {

// `$1` PCI function, `$2` dev_port, `$3` the name. The kernel renames only what is down. Another
// port may have the name, and gives it back when its own turn comes.
constexpr const char* kNameBack = R"sh(for d in "/sys/bus/pci/devices/$1/net/"*; do
  [ "$(cat "$d/dev_port" 2>/dev/null)" = "$2" ] || continue
  now=${d##*/}
  [ "$now" != "$3" ] || continue
  if [ -e "/sys/class/net/$3" ]; then
    ip link set dev "$3" down
    ip link set dev "$3" name "back$$"
  fi
  ip link set dev "$now" down
  ip link set dev "$now" name "$3" && ip link set dev "$3" up
done
[ -e "/sys/class/net/$3" ])sh";

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
       name}};
  if (const NetworkBackend* backend = choose_backend(facts, "", name).backend) {
    for (remote::Argv& argv : backend->restore_all())
      commands.push_back(std::move(argv));
  }
  return commands;
}

}  // namespace fabric::providers
