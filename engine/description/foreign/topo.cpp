// SPDX-License-Identifier: Apache-2.0
// ibdm's .topo, which UFM and the cable validation tool read as well: a system and its type, below
// it indented lines "PORT [-WIDTH-SPEED]-> TYPE SYSTEM PORT".
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/description/foreign/cabling.hpp"
#include "engine/description/foreign/formats.hpp"
#include "engine/description/foreign/reading.hpp"
#include "engine/model/names.hpp"

namespace fabric::description {

namespace {

// The words for adapters in ibdm's system files and of UFM; all others are switches.
constexpr std::array<std::string_view, 8> kAdapterWords{
    "hca", "cougar", "lion", "arbel", "tavor", "sinai", "mt2", "mt4"};

bool is_adapter_type(std::string_view type) {
  const std::string lower = to_lower(type);
  return std::ranges::any_of(
      kAdapterWords, [&lower](std::string_view word) { return lower.starts_with(word); });
}

// "-4x-50G->" is four lanes of 50 Gb/s. "" for "->" and unknown arrows.
std::string speed_of(std::string_view arrow) {
  const std::vector<std::string_view> parts = split(arrow, '-');
  if (parts.size() < 4) return {};
  const std::string lanes = to_lower(parts[1]);
  const std::string rate = to_lower(parts[2]);
  if (!lanes.ends_with('x') || !rate.ends_with('g')) return {};
  const auto width = parse_integer(std::string_view{lanes}.substr(0, lanes.size() - 1));
  const auto each = parse_integer(std::string_view{rate}.substr(0, rate.size() - 1));
  constexpr std::int64_t kMost = 10'000;
  if (!width || !each || *width < 1 || *each < 1 || *width > kMost || *each > kMost) return {};
  return std::to_string(*width * *each);
}

Result<void> add_device(
    Cabling& cabling, std::string_view type, std::string_view name, std::size_t line) {
  ForeignDevice* device = FABRIC_TRY(cabling.device(std::string{name}, line));
  device->is_switch = !is_adapter_type(type);
  if (*device->is_switch) device->model = type;
  return {};
}

Result<void> read_systems(std::string_view text, Cabling& cabling) {
  constexpr std::size_t kWords = 5;  // of a cable
  std::string system;
  LineReader reader{text};
  while (FABRIC_TRY(reader.next())) {
    const std::string_view whole = reader.line();
    const std::size_t line = reader.number();
    const std::vector<std::string_view> words =
        first_words(whole.substr(0, whole.find('#')), kWords + 1);
    if (words.empty()) continue;
    const bool indented = whole.front() == ' ' || whole.front() == '\t';
    const bool is_link = words.size() > 1 && words[1].ends_with("->");
    if (!indented) {
      // Behind the name may stand which modules of a director are missing.
      const bool good =
          (words.size() == 2 || (words.size() == 4 && words[2] == "CFG:")) && !is_link;
      if (!good) return refusal(line, "expected a system: its type and its name");
      system = words[1];
      FABRIC_TRY(add_device(cabling, words[0], words[1], line));
      continue;
    }
    if (system.empty()) return refusal(line, "a cable stands above the first system");
    if (words.size() != kWords || !is_link)
      return refusal(line, "expected a cable: PORT -> TYPE SYSTEM PORT");
    FABRIC_TRY(add_device(cabling, words[2], words[3], line));
    FABRIC_TRY(cabling.add(
        {{system, std::string{words[0]}},
         {std::string{words[3]}, std::string{words[4]}},
         {},
         {},
         {},
         speed_of(words[1]),
         line}));
  }
  return {};
}

}  // namespace

Result<Description> parse_topo(std::string_view text) {
  const Cabling cabling =
      FABRIC_TRY(cabling_of([text](Cabling& into) { return read_systems(text, into); }));
  return described(cabling, "infiniband");
}

// The node name map of infiniband-diags and OpenSM: a line for each node, with its GUID and a
// person's name for it.

Result<Description> parse_node_name_map(std::string_view text) {
  Description found;
  LineReader reader{text};
  while (FABRIC_TRY(reader.next())) {
    const std::size_t line = reader.number();
    std::string_view rest = trim(reader.line());
    if (rest.empty() || rest.front() == '#') continue;
    const std::string_view word = take_word(rest);
    const auto guid = word.starts_with("0x") ? parse_unsigned(word.substr(2), 16) : std::nullopt;
    const std::size_t open = rest.find('"');
    const std::size_t close = open == std::string_view::npos ? open : rest.find('"', open + 1);
    if (!guid || close == std::string_view::npos || close == open + 1)
      return refusal(line, "expected a GUID and a name: 0x0002c902004b0918 \"leaf1\"");
    const std::string name{rest.substr(open + 1, close - open - 1)};
    const auto [known, is_new] = found.names_by_guid.emplace(Guid{*guid}.str(), name);
    if (!is_new && known->second != name)
      return refusal(
          line, fmt::format("{} is '{}' here, and '{}' above", word, name, known->second));
    if (found.names_by_guid.size() > limits::kNodes)
      return refusal(line, fmt::format("more than {} names", limits::kNodes));
  }
  if (found.names_by_guid.empty()) return refusal(1, "the map has no name");
  return found;
}

}  // namespace fabric::description
