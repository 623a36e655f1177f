// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/lab/lab_document.hpp"

#include <fmt/format.h>

namespace fabric::cli {

std::string ring_document(std::size_t nodes) {
  return fmt::format(
      R"(# yaml-language-server: $schema=https://fabric.invalid/schemas/fabric.schema.json
# Made by `fabric lab up --nodes {0}`: a ConnectX-5 host-chaining ring of simulated nodes.
apiVersion: fabric/v1
name: lab-ring
defaults:
  ssh: {{user: root}}
  adapters: {{cx5: {{model: connectx-5-vpi, ports: 2}}}}
nodes:
  node[1-{0}]: {{}}
networks:
  storage:
    mode: chain
    mtu: 9000
    ipv4: {{subnet: 10.30.0.0/16}}
    cables: [{{ring: ["node[1-{0}]"]}}]
)",
      nodes);
}

}  // namespace fabric::cli
