// SPDX-License-Identifier: Apache-2.0
#include "engine/labserver/served_nodes.hpp"

#include <utility>

#include <fmt/format.h>

#include "engine/files/write.hpp"
#include "engine/labserver/keys.hpp"
#include "engine/labserver/listeners.hpp"

namespace fabric::labserver {

Result<std::vector<ServedNode>> open_nodes(
    const std::vector<NodeName>& nodes,
    const LabDirectory& directory,
    LabInfo& info,
    std::string& known_hosts) {
  Listeners listeners = FABRIC_TRY(listen_for(nodes.size(), info.port, directory.path()));
  info.port = listeners.port;
  std::vector<ServedNode> served;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    KeyHandle host_key = FABRIC_TRY(make_key());
    const std::string& address = listeners.sockets[i].address;
    known_hosts +=
        fmt::format("[{}]:{} {}\n", address, listeners.port, public_line(host_key.get()));
    info.addresses[nodes[i].str()] = address;
    served.push_back(
        {nodes[i], std::move(listeners.sockets[i].socket), bind_with_key(std::move(host_key))});
  }
  FABRIC_TRY(
      files::write_file(directory.file(kKnownHostsFile), known_hosts, files::Readers::owner));
  return served;
}

}  // namespace fabric::labserver
