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
  const std::vector<PortRef>& ports;  // ports that carry addresses
  bool always_per_port = false;       // a chain
  bool is_unread = false;             // the mode can't be read: no address follows from it
  // What `per: cable` counts; null where it has no meaning.
  const std::vector<CableSpec>* cables = nullptr;
};

// The section `key` ("ipv4") of `parent`; empty if it is not given.
IpSpec decode_ip(
    const Layers& parent, std::string_view key, Family family, const IpContext& context);

// The section `loopback` of a network, its hosts by their numbers; nullopt if it is not given.
// Problems: `subnet-too-small`, `missing-key` for a node without a host number.
std::optional<LoopbackSpec> decode_loopback(const Layers& network, const IpContext& context);

}  // namespace fabric
