// SPDX-License-Identifier: Apache-2.0
#include "engine/model/rules/mlag_pair.hpp"

#include <fmt/format.h>

namespace fabric::rules {

namespace {

// What both switches of a pair have to say alike.
template <class Written>
void check_same(
    const NodeSpec& node,
    const NodeSpec& peer,
    Written MlagSpec::*key,
    const char* name,
    Diagnostics& diagnostics) {
  const Written& one = (*node.mlag).*key;
  const Written& other = (*peer.mlag).*key;
  if (one.value == other.value) return;
  const bool is_here = is_known(other.range);
  diagnostics
      .error(
          "mlag-peer-mismatch",
          is_here ? other.range : one.range,
          fmt::format(
              "mlag.{} of {} is not that of its peer {}", name, peer.name.str(), node.name.str()))
      .with_note(is_here && is_known(one.range) ? one.range : node.range, "the peer is here")
      .with_help("write the same at both switches");
}

void check_addresses(const NodeSpec& node, const NodeSpec& peer, Diagnostics& diagnostics) {
  const Sourced<std::string>& one = node.mlag->address;
  const Sourced<std::string>& other = peer.mlag->address;
  if (one.value.empty() && other.value.empty()) return;
  const SourceRange place = is_known(other.range) ? other.range : one.range;
  if (one.value.empty() || other.value.empty()) {
    diagnostics
        .error(
            "mlag-peer-mismatch",
            place,
            fmt::format(
                "mlag.address is written at {} and not at its peer {}",
                (one.value.empty() ? peer : node).name.str(),
                (one.value.empty() ? node : peer).name.str()))
        .with_help("write the address of each end of the link at its switch, or at none");
    return;
  }
  const Result<Subnet> mine = Subnet::of_address(one.value);
  const Result<Subnet> theirs = Subnet::of_address(other.value);
  if (mine && theirs && *mine == *theirs && one.value != other.value) return;
  diagnostics
      .error(
          "mlag-peer-mismatch",
          place,
          fmt::format(
              "mlag.address is {} at {} and {} at {}: these are not two addresses of one subnet",
              one.value,
              node.name.str(),
              other.value,
              peer.name.str()))
      .with_help("write two addresses of one subnet: 192.168.255.253/30 and 192.168.255.254/30");
}

}  // namespace

void check_mlag(const Context& context, const NodeSpec& node, Diagnostics& diagnostics) {
  // On a host the key itself is the mistake.
  if (!node.mlag || node.mlag->peer.value.empty() || !is_switch(node.platform.value)) return;
  const NodeSpec* peer = context.spec().find_node(node.mlag->peer.value);
  if (peer == nullptr) return;
  if (!peer->mlag || peer->mlag->peer.value != node.name.str()) {
    diagnostics
        .error(
            "mlag-peer-mismatch",
            node.mlag->peer.range,
            fmt::format(
                "{} names {} as its mlag peer, but {} does not name {}",
                node.name.str(),
                peer->name.str(),
                peer->name.str(),
                node.name.str()))
        .with_note(peer->mlag ? peer->mlag->peer.range : peer->range, "the peer is here")
        .with_help(fmt::format("add mlag: {{peer: {}}} to {}", node.name.str(), peer->name.str()));
    return;
  }
  if (!(node.name < peer->name)) return;
  check_same(node, *peer, &MlagSpec::system_mac, "system_mac", diagnostics);
  check_same(node, *peer, &MlagSpec::vip, "vip", diagnostics);
  check_same(node, *peer, &MlagSpec::vlan, "vlan", diagnostics);
  check_addresses(node, *peer, diagnostics);
  if (peer->mlag->domain.value != node.mlag->domain.value) {
    diagnostics
        .error(
            "mlag-peer-mismatch",
            peer->mlag->domain.range,
            fmt::format(
                "{} is in mlag domain {} and its peer {} in {}",
                peer->name.str(),
                peer->mlag->domain.value,
                node.name.str(),
                node.mlag->domain.value))
        .with_note(node.mlag->domain.range, "the domain of the peer");
  }
}

}  // namespace fabric::rules
