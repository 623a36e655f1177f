// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/port/port_interface.hpp"

#include <string>

namespace fabric::providers {

remote::Argv at_interface_of(
    const Card& card,
    const AdapterPort& port,
    bool infiniband,
    const remote::Script& script,
    const remote::Argv& words) {
  remote::Argv argv{
      "sh",
      "-c",
      script,
      "fabric",
      port.function.str(),
      std::to_string(card.shares_function() ? port.number - 1 : 0),
      infiniband ? "32" : "1"};
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

}  // namespace fabric::providers
