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

// The channel with at least one of the ports, whatever its number; "" = none has one.
std::string channel_with(const Configuration& tree, const std::vector<std::string>& ports);

// The channel's members: those of `wanted` first, in that order, then the others.
Value members_in(
    const Configuration& tree, const std::string& channel, const std::vector<std::string>& wanted);

// The channel that shall have these ports: an existing one with one of them; otherwise a new one
// with the lowest number of its ports that is free, or over a pair with `mlag_id`, equal on both
// switches. Fails with ErrorCode::invalid where other ports have that number, or none is free.
Result<std::string> channel_for(
    const Configuration& tree,
    const std::vector<std::string>& ports,
    std::optional<std::int64_t> mlag_id);

// All channels, with their descriptions and members.
std::vector<MarkedChannel> channels_of(const Configuration& tree);

// Types the lines that take a port out of its channel.
void type_leaving(Typed& typed, const Configuration& running, const std::string& port);

// Types the lines that make the channel with exactly these members: each leaves its present
// channel. `mode`: "lacp", "static".
void type_channel(
    Typed& typed,
    const Configuration& running,
    const std::string& channel,
    const std::vector<std::string>& ports,
    const std::string& mode);

// The configured MTU of "interface port-channel 4", "interface ethernet 1/7": 1500 where none is
// set (E-onyx-interfaces). A larger one reads as `desired`.
Reading mtu_at(const Configuration& tree, const std::string& start, const Value& desired);
// Types the MTU there, and for the rollback the former MTU.
void type_mtu(
    Typed& typed, const Configuration& running, const std::string& start, const Value& mtu);

// Types that untagged frames at "ethernet 1/7", "port-channel 4" are in the VLAN. REQUIRES: the
// VLAN exists (E-onyx-vlans).
void type_access_vlan(
    Typed& typed, const Configuration& running, const std::string& interface, const Value& id);

// Types that all ports leave the channel, and that it is removed.
void type_removal(Typed& typed, const Configuration& running, const std::string& channel);

}  // namespace fabric::providers::onyx
