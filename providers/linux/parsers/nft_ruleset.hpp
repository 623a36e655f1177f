// SPDX-License-Identifier: Apache-2.0
// What the rules of nftables do with a packet that the kernel forwards (E-nft-ruleset). Those of
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

// `nft --json --stateless list ruleset`. What is no ruleset is an empty one.
NftRuleset parse_nft_ruleset(std::string_view text);

// The chain that drops the first IPv4 packet of a connection that comes in by one interface and
// goes out by the other, for certain: a rule that asks for more than interfaces and the state of
// the connection may fit or not. Null: it passes, or it can't be told.
const NftChain* drops_forwarded(
    const NftRuleset& rules, std::string_view comes_in_by, std::string_view goes_out_by);

}  // namespace fabric::providers
