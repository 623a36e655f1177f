// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/subnet_manager/partitions_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/infiniband/member_guid.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"

namespace fabric::providers {

namespace {

// "0x0123456789abcdef=limited, " of each, and the head of the line.
constexpr std::size_t kMembersOfALine = 100;
static_assert(kMembersOfALine * 30 + 200 < kPartitionLineLimit);

constexpr std::int64_t kIdentity = 0x7fff;

const Value* find(const Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

std::string text_of(const Map& map, std::string_view key) {
  const Value* value = find(map, key);
  return value == nullptr ? std::string{} : to_text(*value);
}

bool is_true(const Map& map, std::string_view key) {
  const Value* value = find(map, key);
  const bool* flag = value == nullptr ? nullptr : value->as_bool();
  return flag != nullptr && *flag;
}

// IBTA's code of an MTU. The value itself (mtu=4096) is taken without a word and does nothing
// (E-opensm-partitions).
int mtu_code(const Map& partition) {
  constexpr std::array<std::int64_t, 5> kBytes{256, 512, 1024, 2048, 4096};
  const Value* value = find(partition, "mtu");
  const std::int64_t* bytes = value == nullptr ? nullptr : value->as_integer();
  for (std::size_t i = 0; bytes != nullptr && i < kBytes.size(); ++i) {
    if (kBytes.at(i) == *bytes) return static_cast<int>(i) + 1;
  }
  return 0;
}

// One line: a definition with some of its members.
struct Line {
  std::string name;
  std::optional<std::uint16_t> pkey;
  bool ipoib = false;
  int mtu = 0;                       // IBTA's code; 0 = none
  std::vector<std::string> members;  // "ALL=full", "0x...=limited"
};

Result<std::string> member_text(const Map& member, const Map& port_guids) {
  std::string who = text_of(member, "who");
  if (who != "ALL" && who != "SELF") who = FABRIC_TRY(member_guid(port_guids, who));
  return fmt::format("{}={}", who, is_true(member, "full") ? "full" : "limited");
}

Result<std::vector<std::string>> member_texts(const Map& partition, const Map& port_guids) {
  std::vector<std::string> texts;
  const Value* members = find(partition, "members");
  const List* list = members == nullptr ? nullptr : members->as_list();
  for (const Value& each : list == nullptr ? List{} : *list) {
    if (each.as_map() == nullptr) continue;
    texts.push_back(FABRIC_TRY(member_text(*each.as_map(), port_guids)));
  }
  return texts;
}

Result<std::vector<Line>> lines_of(const Map& partition, const Map& port_guids) {
  const std::vector<std::string> members = FABRIC_TRY(member_texts(partition, port_guids));
  Line line;
  line.name = text_of(partition, "name");
  const Value* pkey = find(partition, "pkey");
  if (pkey != nullptr && pkey->as_integer() != nullptr)
    line.pkey = static_cast<std::uint16_t>(*pkey->as_integer() & kIdentity);
  // Flags make the group, once; further lines of the same P_Key only add members.
  line.ipoib = is_true(partition, "ipoib");
  line.mtu = line.ipoib ? mtu_code(partition) : 0;
  std::vector<Line> lines;
  std::size_t next = 0;
  do {
    const std::size_t end = std::min(next + kMembersOfALine, members.size());
    line.members.assign(
        members.begin() + static_cast<std::ptrdiff_t>(next),
        members.begin() + static_cast<std::ptrdiff_t>(end));
    lines.push_back(line);
    line.ipoib = false;
    line.mtu = 0;
    next = end;
  } while (next < members.size());
  return lines;
}

std::string text_of(const Line& line) {
  return fmt::format(
      "{}{}{}{} : {};\n",
      line.name,
      line.pkey ? fmt::format("=0x{:04x}", *line.pkey) : "",
      line.ipoib ? ", ipoib" : "",
      line.mtu == 0 ? "" : fmt::format(", mtu={}", line.mtu),
      join(line.members, ", "));
}

std::string member_text(const PartitionMember& member) {
  return fmt::format(
      "{}={}",
      member.keyword ? std::string{keyword_name(*member.keyword)} : member.port->str(),
      membership_name(member.membership));
}

bool is_line(const Partition& read, const Line& line) {
  const bool has_mtu = line.mtu == 0 ? !read.flags.mtu : read.flags.mtu == line.mtu;
  return read.name == line.name && read.p_key == line.pkey && read.ipoib == line.ipoib && has_mtu &&
         !read.index0 && read.groups.empty() &&
         std::equal(
             read.members.begin(),
             read.members.end(),
             line.members.begin(),
             line.members.end(),
             [](const PartitionMember& member, const std::string& text) {
               return member_text(member) == text;
             });
}

// For a wrong character OpenSM reads other partitions, or none at all.
bool reads_back(const std::string& text, const std::vector<Line>& lines) {
  const Result<PartitionsConf> conf = parse_partitions_conf(text);
  return conf && conf->warnings.empty() &&
         std::equal(
             conf->partitions.begin(), conf->partitions.end(), lines.begin(), lines.end(), is_line);
}

}  // namespace

Result<std::string> partitions_text(const Value& partitions, const Map& port_guids) {
  std::string text;
  const List* list = partitions.as_list();
  for (const Value& each : list == nullptr ? List{} : *list) {
    if (each.as_map() == nullptr) continue;
    const std::vector<Line> lines = FABRIC_TRY(lines_of(*each.as_map(), port_guids));
    std::string own;
    for (const Line& line : lines)
      own += text_of(line);
    if (!reads_back(own, lines)) {
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "partition '{}' can't be written: OpenSM would read '{}' as something else",
              lines.front().name,
              trim(own))};
    }
    text += own;
  }
  return text;
}

}  // namespace fabric::providers
