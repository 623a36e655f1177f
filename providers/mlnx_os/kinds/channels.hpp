// SPDX-License-Identifier: Apache-2.0
// Port channels of a switch: "port-channel 7", and over a pair "mlag-port-channel 7".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/provider/channel_mark.hpp"
#include "providers/mlnx_os/kinds/lines.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"

namespace fabric::providers::onyx {

// The channel that has one of the ports, whatever its number; "" = none has.
std::string channel_with(const Configuration& tree, const std::vector<std::string>& ports);

// Its members that are wanted, in that order, then the others.
Value members_in(
    const Configuration& tree, const std::string& channel, const std::vector<std::string>& wanted);

// The channel that is to have these ports: one that has one of them keeps its number; a new one has
// the number of its lowest port that is free; over a pair it is `mlag_id`, the same at both.
// Fails with ErrorCode::invalid where that number is taken by other ports, or none is free.
Result<std::string> channel_for(
    const Configuration& tree,
    const std::vector<std::string>& ports,
    std::optional<std::int64_t> mlag_id);

// All of them, with their descriptions and members.
std::vector<MarkedChannel> channels_of(const Configuration& tree);

// Takes a port out of the channel that it is in.
void type_leaving(Typed& typed, const Configuration& running, const std::string& port);

// Makes the channel, and its members just these: each leaves the channel that it is in.
// `mode`: "lacp", "static".
void type_channel(
    Typed& typed,
    const Configuration& running,
    const std::string& channel,
    const std::vector<std::string>& ports,
    const std::string& mode);

// The MTU that is configured at "interface port-channel 4", "interface ethernet 1/7": 1500 where
// none is set (E-onyx-interfaces). A larger one is as good as `desired`.
Reading mtu_at(const Configuration& tree, const std::string& start, const Value& desired);
// Sets the MTU there, and back what was there before.
void type_mtu(
    Typed& typed, const Configuration& running, const std::string& start, const Value& mtu);

// Puts what has no tag at "ethernet 1/7", "port-channel 4" into the VLAN, which there is
// (E-onyx-vlans).
void type_access_vlan(
    Typed& typed, const Configuration& running, const std::string& interface, const Value& id);

// Takes its ports out of it, and the channel away.
void type_removal(Typed& typed, const Configuration& running, const std::string& channel);

}  // namespace fabric::providers::onyx
