// SPDX-License-Identifier: Apache-2.0
// Endpoints: the ports that cables, port lists and addresses name. `node/port` when the node has
// one adapter, `node/adapter/port` always; `leaf1/7`, `leaf1/1/7`, `leaf1/1/7/2` on a switch.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/model/findings.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

class EndpointReader {
 public:
  // REQUIRES: both outlive the reader; the nodes of `spec` are decoded.
  EndpointReader(const FabricSpec& spec, Findings& findings) : spec_{spec}, findings_{findings} {}

  // The port that `text` names; none after `node-unknown` or `port-unknown` at `range`.
  std::optional<PortRef> port(std::string_view text, SourceRange range) const;
  // As port(), for every member of a text that may be a node set (else `bad-node-set`).
  std::vector<Sourced<PortRef>> ports(std::string_view text, SourceRange range) const;
  const NodeSpec* node(std::string_view name, SourceRange range) const;

  // True if the adapter has `port`, or if the number of its ports is unknown.
  static bool has_port(const AdapterSpec& adapter, std::string_view port);

 private:
  std::optional<PortRef> switch_port(
      const NodeSpec& node, std::string_view port, SourceRange range) const;
  // The adapter that `path` ("cx5/1", "1") names on `node`, with the rest of the path in `port`.
  const AdapterSpec* adapter(
      const NodeSpec& node, std::string_view path, std::string_view& port, SourceRange range) const;

  const FabricSpec& spec_;
  Findings& findings_;
};

}  // namespace fabric
