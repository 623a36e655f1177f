// SPDX-License-Identifier: Apache-2.0
// Provenance: a value and its origin: the line that gave it, or else the default or allocation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/base/source.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/spec.hpp"
#include "engine/yaml/node.hpp"

namespace fabric {

struct Provenance {
  std::string path;   // "nodes.pve1.ssh.user", "pve1/cx5/1 cable"
  std::string value;  // in the document's words, node sets resolved: "root"
  // "defaults", "profile storage", "node", "document", "default: ...", "allocation"; of a
  // resource's attribute the reason: "mode chain needs Ethernet on both ports"
  std::string origin;
  SourceRange range;  // the line that gave it; unknown for a default of the program
};

// All values at and below an address, those of the document first:
//   nodes.pve1.ssh.user, networks.storage.ipv4, rollout   a path of keys
//   pve1, pve1/cx5                                        a node, an adapter
//   pve1/cx5/1, pve1/1, leaf1/7                           a port: network, cable, addresses
// Fails with ErrorCode::not_found for what is not in the document, with the nearest name.
// REQUIRES: `spec` was decoded from `document`.
Result<std::vector<Provenance>> explain_address(
    const yaml::Node& document, const FabricSpec& spec, std::string_view address);

// The desired attributes of a resource ("pve1/settings/cx5 LINK_TYPE_P1"), and the resources before
// it ("pve1/settings/cx5 after").
std::vector<Provenance> explain_resource(const Resource& resource);

}  // namespace fabric
