// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/frr_claims.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

bool sets_address(const std::vector<std::string_view>& words) {
  return words.size() > 2 && (words[0] == "ip" || words[0] == "ipv6") && words[1] == "address";
}

// "ip router openfabric 1", "ip ospf area 0"
bool runs_protocol(const std::vector<std::string_view>& words) {
  return words.size() > 2 && (words[0] == "ip" || words[0] == "ipv6") &&
         (words[1] == "router" || words[1] == "ospf" || words[1] == "ospf6");
}

// Files by hand are not always indented.
bool ends_section(std::string_view word) {
  constexpr std::string_view kWords[] = {"exit", "end", "router", "vrf", "route-map", "line"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

}  // namespace

std::vector<ForeignEntry> frr_claims(
    const LinkTarget& target, const LinkConfig& wanted, const FileTexts& files) {
  std::vector<ForeignEntry> claims;
  for (const auto& [path, content] : files) {
    if (!path.starts_with("/etc/frr/") || target.name.empty()) continue;
    bool inside = false;
    std::size_t number = 0;
    for (const std::string_view line : split_lines(content)) {
      ++number;
      const std::vector<std::string_view> words = split_words(line);
      if (words.empty()) continue;
      if (ends_section(words[0])) inside = false;
      if (words[0] == "interface") inside = words.size() > 1 && words[1] == target.name;
      const bool foreign_address =
          sets_address(words) &&
          std::find(wanted.addresses.begin(), wanted.addresses.end(), words[2]) ==
              wanted.addresses.end();
      if (!inside || !(foreign_address || (routes_transit(wanted) && runs_protocol(words))))
        continue;
      claims.push_back({path, number, number, "FRR sets it whenever FRR starts"});
      break;
    }
  }
  return claims;
}

}  // namespace fabric::providers
