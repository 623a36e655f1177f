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

namespace {

// "PKey      = 0x7FFF", "PKey : 0x7FFF", "ipoib: yes"
std::optional<KeyValue> setting(std::string_view line) {
  const std::size_t at = line.find_first_of(":=");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view key = trim(line.substr(0, at));
  const std::string_view value = trim(line.substr(at + 1));
  if (key.empty() || value.empty() || key.find(' ') != std::string_view::npos) return std::nullopt;
  return KeyValue{key, value};
}

// Between the quotes behind "GUID=".
std::string_view quoted(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + key.size());
  const std::size_t end = rest.find('\'', 1);
  if (!rest.starts_with('\'') || end == std::string_view::npos) return {};
  return rest.substr(1, end - 1);
}

std::optional<std::uint16_t> key_of(std::string_view text) {
  constexpr std::uint64_t kIdentity = 0x7fff;
  if (!to_lower(text).starts_with("0x")) return std::nullopt;
  const auto number = parse_unsigned(text.substr(2), 16);
  if (!number || *number > 0xffff) return std::nullopt;
  return static_cast<std::uint16_t>(*number & kIdentity);
}

std::string_view without_colon(std::string_view line) {
  return line.ends_with(':') ? trim(line.substr(0, line.size() - 1)) : line;
}

class OnyxPartitionsReader {
 public:
  Result<std::vector<OnyxPartition>> read(std::string_view text) {
    std::size_t number = 0;
    for (const std::string_view each : split_lines(text)) {
      ++number;
      const std::string_view line = trim(each);
      if (line.starts_with('%'))
        return error_at(number, fmt::format("the switch refused: {}", trim(line.substr(1))));
      if (!line.empty()) FABRIC_TRY(read_line(line, number));
    }
    if (partitions_.empty()) return error_at(1, "no partition is printed");
    FABRIC_TRY(ended());
    return std::move(partitions_);
  }

 private:
  Result<std::monostate> read_line(std::string_view line, std::size_t number) {
    if (line.starts_with("GUID=")) return member(line, number);
    if (const auto found = setting(line)) return apply(*found, number);
    const std::string_view name = without_colon(line);
    if (name == "members") return std::monostate{};
    if (name.find_first_of(" \t='") != std::string_view::npos)
      return error_at(
          number, fmt::format("expected a partition or a line of one, found '{}'", line));
    FABRIC_TRY(ended());
    partitions_.push_back({std::string{name}, 0, std::nullopt, {}});
    begun_ = number;
    return std::monostate{};
  }

  // Nothing more comes of the last one.
  Result<std::monostate> ended() const {
    if (!partitions_.empty() && partitions_.back().pkey == 0)
      return error_at(begun_, fmt::format("partition '{}' has no PKey", partitions_.back().name));
    return std::monostate{};
  }

  Result<std::monostate> member(std::string_view line, std::size_t number) {
    const std::string_view who = quoted(line, "GUID=");
    const std::string_view membership = quoted(line, "member=");
    if (partitions_.empty() || who.empty() || membership.empty())
      return error_at(number, fmt::format("no member: '{}'", line));
    partitions_.back().members.push_back(
        {who == "ALL" ? "ALL" : to_lower(who), to_lower(membership)});
    return std::monostate{};
  }

  Result<std::monostate> apply(const KeyValue& found, std::size_t number) {
    if (partitions_.empty())
      return error_at(number, fmt::format("'{}' of no partition", found.key));
    OnyxPartition& partition = partitions_.back();
    if (to_lower(found.key) == "pkey") partition.pkey = key_of(found.value).value_or(0);
    if (to_lower(found.key) == "ipoib") partition.ipoib = to_lower(found.value) == "yes";
    return std::monostate{};
  }

  std::vector<OnyxPartition> partitions_;
  std::size_t begun_ = 1;  // the line of the last one
};

}  // namespace

Result<std::vector<OnyxPartition>> parse_onyx_partitions(std::string_view text) {
  return OnyxPartitionsReader{}.read(text);
}

Value to_value(const std::vector<OnyxPartition>& partitions) {
  List list;
  for (const OnyxPartition& partition : partitions) {
    List members;
    for (const OnyxPartition::Member& member : partition.members)
      members.emplace_back(Map{{"who", member.who}, {"member", member.membership}});
    Map map{
        {"name", partition.name},
        {"pkey", fmt::format("0x{:04x}", partition.pkey)},
        {"members", std::move(members)}};
    if (partition.ipoib) map.emplace("ipoib", *partition.ipoib);
    list.emplace_back(std::move(map));
  }
  return list;
}

}  // namespace fabric::providers
