// SPDX-License-Identifier: Apache-2.0
// What the rules of nftables do with a packet that the kernel forwards (E-nft-ruleset). Rules of
// iptables-nft are among them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/value/value.hpp"

namespace fabric::providers {

struct NftChain {
  std::string family, table, name;
  bool filters_forwarded = false;  // a base chain of the hook `forward`
  bool drops = false;              // by policy; only for a base chain
  std::vector<List> rules;         // the expressions of each, in order
};

struct NftRuleset {
  std::vector<NftChain> chains;
  const NftChain* find(
      std::string_view family, std::string_view table, std::string_view name) const;
};

// Parses `nft --json --stateless list ruleset`. A text that is no ruleset gives an empty one.
NftRuleset parse_nft_ruleset(std::string_view text);

// The chain that certainly drops the first IPv4 packet of a connection that comes in by one
// interface and goes out by the other: a rule with conditions beyond interfaces and the state of
// the connection may match or not. Null: the packet passes, or it can't be told.
const NftChain* drops_forwarded(
    const NftRuleset& rules, std::string_view comes_in_by, std::string_view goes_out_by);

}  // namespace fabric::providers
