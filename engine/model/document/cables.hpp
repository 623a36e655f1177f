// SPDX-License-Identifier: Apache-2.0
// Cables: what is written for one cable or for many, to single cables.
//
//   [A, B]                               one cable; sets in both ends zip
//   {ends: [A, B], label, length, ...}   with its particulars; `for: {i: 1-32}` repeats it
//   {ring|chain: [...]}                  port 1 of each station to port 2 of the next
//   {mesh: [...]}                        every pair, each by its lowest free port
#pragma once

#include <vector>

#include "engine/model/document/endpoint.hpp"
#include "engine/model/document/layers.hpp"
#include "engine/model/findings.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

struct DecodedCables {
  std::vector<CableSpec> cables;
  SourceRange unread_end;  // NetworkSpec::unread_end
};

// The cables of one network; its meshes are left to MeshExpander. An end that does not exist is
// `node-unknown` or `port-unknown` and its cable is left out; sets that do not zip are
// `bad-node-set`.
DecodedCables decode_cables(
    const Layers& network, const EndpointReader& endpoints, Findings& findings);

}  // namespace fabric
