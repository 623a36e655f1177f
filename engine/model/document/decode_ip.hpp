// SPDX-License-Identifier: Apache-2.0
// `ipv4` and `ipv6`: the written addresses, then the allocation of the rest.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/model/document/endpoint.hpp"
#include "engine/model/document/layers.hpp"
#include "engine/model/findings.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

struct IpContext {
  const FabricSpec& spec;
  const EndpointReader& endpoints;
  Findings& findings;
  std::string_view network;           // for messages
  const std::vector<PortRef>& ports;  // that carry addresses
  bool always_per_port = false;       // a chain
  // What `per: cable` counts; null where it has no meaning.
  const std::vector<CableSpec>* cables = nullptr;
};

// The section `key` ("ipv4") of `parent`; empty where it is not written.
IpSpec decode_ip(
    const Layers& parent, std::string_view key, Family family, const IpContext& context);

// The section `loopback` of a network, its hosts by their numbers; nullopt where it is not written.
// Problems: `subnet-too-small`, `missing-key` for a node without a host number.
std::optional<LoopbackSpec> decode_loopback(const Layers& network, const IpContext& context);

}  // namespace fabric
