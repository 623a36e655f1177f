// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/link_name/name_rollback.hpp"

#include <string>

#include "engine/model/resource_keys.hpp"
#include "providers/linux/kinds/interface/backends/backend_choice.hpp"
#include "providers/linux/kinds/interface/bound.hpp"
#include "providers/linux/kinds/port/port_interface.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

namespace fabric::providers {

std::vector<remote::Argv> name_back(
    const NodeFacts& facts, const NamedPort& named, const Resource& link_name) {
  const AdapterPort& port = *named.port;
  const std::string& name = port.netdev;
  std::vector<remote::Argv> commands{at_interface_of(
      *named.card, port, !port.netdev_is_ethernet, sh::port_interface_rename, {name})};
  if (const NetworkBackend* backend =
          choose_backend(facts, bound_text(link_name, keys::kBackend), name).backend) {
    for (remote::Argv& argv : backend->restore_all())
      commands.push_back(std::move(argv));
  }
  return commands;
}

}  // namespace fabric::providers
