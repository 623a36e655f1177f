// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/port/port_interface.hpp"

#include <string>

namespace fabric::providers {

namespace {

// `$1` PCI function, `$2` dev_port (from 0 within the function), `$3` type (ARPHRD_ETHER or
// ARPHRD_INFINIBAND).
constexpr const char* kFind = R"sh(interfaces=
for d in "/sys/bus/pci/devices/$1/net/"*; do
  case ${d##*/} in *.*) continue ;; esac
  case $(cat "$d/phys_port_name" 2>/dev/null) in *vf* | *sf*) continue ;; esac
  [ "$(cat "$d/dev_port" 2>/dev/null) $(cat "$d/type" 2>/dev/null)" = "$2 $3" ] || continue
  interfaces="$interfaces ${d##*/}"
done
)sh";

}  // namespace

remote::Argv at_interface_of(
    const Card& card,
    const AdapterPort& port,
    bool infiniband,
    std::string_view script,
    const remote::Argv& words) {
  remote::Argv argv{
      "sh",
      "-c",
      kFind + std::string{script},
      "fabric",
      port.function.str(),
      std::to_string(card.shares_function() ? port.number - 1 : 0),
      infiniband ? "32" : "1"};
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

}  // namespace fabric::providers
