#include "providers/subnet_manager/partitions_text.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/parsers/partitions_conf.hpp"

namespace fabric::providers {

namespace {

// "0x0123456789abcdef=limited, " of each, and the head of the line.
constexpr std::size_t kMembersOfALine = 100;
static_assert(kMembersOfALine * 30 + 200 < kPartitionLineLimit);

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
// (facts.md §4c, case C).
int mtu_code(const Map& partition) {
  constexpr std::array<std::int64_t, 5> kBytes{256, 512, 1024, 2048, 4096};
  const Value* value = find(partition, "mtu");
  const std::int64_t* bytes = value == nullptr ? nullptr : value->as_integer();
  for (std::size_t i = 0; bytes != nullptr && i < kBytes.size(); ++i) {
    if (kBytes.at(i) == *bytes) return static_cast<int>(i) + 1;
  }
  return 0;
}

Result<std::string> member_text(const Map& member, const Map& port_guids) {
  std::string who = text_of(member, "who");
  if (who != "ALL" && who != "SELF") {
    const Value* guid = find(port_guids, who);
    if (guid == nullptr) {
      return Error{
          ErrorCode::invalid,
          fmt::format("the port GUID of {} is not known: its node was not reached", who)};
    }
    who = to_text(*guid);
  }
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

std::string head_of(const Map& partition) {
  std::string head = text_of(partition, "name");
  const Value* pkey = find(partition, "pkey");
  if (pkey != nullptr && pkey->as_integer() != nullptr)
    head += fmt::format("=0x{:04x}", *pkey->as_integer());
  return head;
}

// Flags make the group, once; further lines of the same P_Key only add members.
std::string flags_of(const Map& partition) {
  if (!is_true(partition, "ipoib")) return {};
  const int code = mtu_code(partition);
  return code == 0 ? ", ipoib" : fmt::format(", ipoib, mtu={}", code);
}

}  // namespace

Result<std::string> partitions_text(const Value& partitions, const Map& port_guids) {
  std::string text;
  const List* list = partitions.as_list();
  for (const Value& each : list == nullptr ? List{} : *list) {
    if (each.as_map() == nullptr) continue;
    const std::string head = head_of(*each.as_map());
    const std::vector<std::string> members = FABRIC_TRY(member_texts(*each.as_map(), port_guids));
    std::string flags = flags_of(*each.as_map());
    std::size_t next = 0;
    do {
      const std::size_t end = std::min(next + kMembersOfALine, members.size());
      const std::span<const std::string> here{
          members.begin() + static_cast<std::ptrdiff_t>(next),
          members.begin() + static_cast<std::ptrdiff_t>(end)};
      text += fmt::format("{}{} : {};\n", head, flags, join(here, ", "));
      flags.clear();
      next = end;
    } while (next < members.size());
  }
  return text;
}

}  // namespace fabric::providers
