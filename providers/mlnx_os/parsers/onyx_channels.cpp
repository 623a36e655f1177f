// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/mlnx_os/parsers/onyx_show.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

struct Flagged {
  std::string_view name;
  char flag;
};

// "Po2(U)", "Eth1/58(D)"
std::optional<Flagged> flagged(std::string_view word) {
  constexpr std::size_t kFlag = 3;  // "(U)"
  if (word.size() <= kFlag || word[word.size() - kFlag] != '(' || !word.ends_with(')'))
    return std::nullopt;
  return Flagged{word.substr(0, word.size() - kFlag), word[word.size() - 2]};
}

std::optional<OnyxMemberState> state_of(char flag) {
  switch (flag) {
    case 'P':
      return OnyxMemberState::bundled;
    case 'S':
      return OnyxMemberState::suspended;
    case 'I':
      return OnyxMemberState::individual;
    case 'D':
      return OnyxMemberState::down;
    default:
      return std::nullopt;
  }
}

std::string_view state_name(OnyxMemberState state) {
  switch (state) {
    case OnyxMemberState::bundled:
      return "bundled";
    case OnyxMemberState::suspended:
      return "suspended";
    case OnyxMemberState::individual:
      return "individual";
    case OnyxMemberState::down:
      return "down";
  }
  return "";
}

std::optional<OnyxChannelMember> member_of(std::string_view word) {
  constexpr std::string_view kEthernet = "Eth";
  const auto found = flagged(word);
  if (!found || !found->name.starts_with(kEthernet)) return std::nullopt;
  const auto state = state_of(found->flag);
  const std::string_view port = found->name.substr(kEthernet.size());
  if (!state || port.empty()) return std::nullopt;
  return OnyxChannelMember{std::string{port}, *state};
}

// Two blanks and more stand between columns, one between ports.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> columns;
  while (!(line = trim(line)).empty()) {
    const std::size_t end = line.find("  ");
    columns.push_back(trim(line.substr(0, end)));
    line = end == std::string_view::npos ? std::string_view{} : line.substr(end);
  }
  return columns;
}

// True for a row: it begins with the number of a channel and its name.
bool is_row(std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  return words.size() > 1 && parse_unsigned(words[0], 10) && flagged(words[1]);
}

// "1 Po2(U)   LACP   Eth1/58(D) Eth1/59(I)", "1 Mpo1(U)   LACP   Eth1/1(P)   N/A"
std::optional<OnyxChannel> channel_in(std::string_view line, std::size_t number) {
  const auto name = flagged(split_words(line)[1]);
  const bool is_pair = name->name.starts_with("Mpo");
  if (!is_pair && !name->name.starts_with("Po")) return std::nullopt;
  const std::vector<std::string_view> columns = cells_of(line);
  const std::size_t type = columns.front().find(' ') == std::string_view::npos ? 2 : 1;
  constexpr std::size_t kOfPair = 2;  // columns behind the type: this switch's ports, the other's
  if (columns.size() <= type || (is_pair && columns.size() != type + 1 + kOfPair))
    return std::nullopt;
  OnyxChannel channel{std::string{name->name}, std::string{columns[type]}, {}, number};
  const std::size_t end = is_pair ? type + 2 : columns.size();
  for (std::size_t column = type + 1; column < end; ++column) {
    if (columns[column] == "N/A") continue;
    for (const std::string_view word : split_words(columns[column])) {
      auto member = member_of(word);
      if (!member) return std::nullopt;
      channel.members.push_back(std::move(*member));
    }
  }
  return channel;
}

}  // namespace

Result<std::vector<OnyxChannel>> parse_onyx_channels(std::string_view text) {
  std::vector<OnyxChannel> channels;
  std::size_t number = 0;
  bool has_legend = false;
  for (const std::string_view each : split_lines(text)) {
    ++number;
    const std::string_view line = trim(each);
    if (line.starts_with('%')) return error_at(number, fmt::format("the switch says: {}", line));
    if (line.find("Flags:") != std::string_view::npos) has_legend = true;
    if (!is_row(line)) {
      // Above the rows stand the legend and the headings, below them nothing.
      if (channels.empty() || line.empty()) continue;
      return error_at(number, fmt::format("no row of a channel: '{}'", line));
    }
    auto channel = channel_in(line, number);
    if (!channel) return error_at(number, fmt::format("a row of another shape: '{}'", line));
    channels.push_back(std::move(*channel));
  }
  if (!has_legend) return error_at(1, "the legend of the table, 'Flags:', is missing");
  return channels;
}

Value to_value(const std::vector<OnyxChannel>& channels) {
  List list;
  for (const OnyxChannel& channel : channels) {
    Map members;
    for (const OnyxChannelMember& member : channel.members)
      members.insert_or_assign(member.port, state_name(member.state));
    list.emplace_back(
        Map{{"channel", channel.name}, {"type", channel.type}, {"members", std::move(members)}});
  }
  return Map{{"channels", std::move(list)}};
}

}  // namespace fabric::providers
