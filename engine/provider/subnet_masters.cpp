// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/subnet_masters.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/text.hpp"

namespace fabric {

namespace {

// Behind "master mlx5_0 1 ": "sminfo: sm lid 1 sm guid 0x100001, activity count 295 priority 10
// state 3 SMINFO_MASTER".
constexpr std::size_t kGuidWord = 8;
constexpr std::array<std::string_view, 5> kBefore{"sminfo:", "sm", "lid", "", "sm"};

std::optional<Guid> master_of(const std::vector<std::string_view>& words) {
  constexpr std::size_t kFirst = 3;
  if (words.size() <= kGuidWord + 1 || words.back() != "SMINFO_MASTER") return std::nullopt;
  for (std::size_t i = 0; i < kBefore.size(); ++i) {
    if (!kBefore.at(i).empty() && words[kFirst + i] != kBefore.at(i)) return std::nullopt;
  }
  std::string_view text = words[kGuidWord + 1];
  if (words[kGuidWord] != "guid" || !text.ends_with(',')) return std::nullopt;
  text.remove_suffix(1);
  const Result<Guid> guid = Guid::parse(text);
  return guid ? std::optional{*guid} : std::nullopt;
}

}  // namespace

std::map<std::string, Guid> masters_heard(const NodeFacts& facts) {
  std::map<std::string, Guid> masters;
  const std::string* text = facts.output(kSubnetManagerProbe);
  for (const std::string_view line : split_lines(text == nullptr ? std::string_view{} : *text)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.empty() || words.front() != "master") continue;
    if (const auto master = master_of(words))
      masters.insert_or_assign(std::string{words[1]} + "/" + std::string{words[2]}, *master);
  }
  return masters;
}

}  // namespace fabric
