// SPDX-License-Identifier: Apache-2.0
#include "engine/report/plan/partitions_text.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::report {

namespace {

const Value* field(const Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

std::string text_of(const Map& map, std::string_view key) {
  const Value* value = field(map, key);
  return value == nullptr ? std::string{} : to_text(*value);
}

bool is_true(const Map& map, std::string_view key) {
  const Value* value = field(map, key);
  return value != nullptr && *value == Value{true};
}

std::string members_text(const Map& partition) {
  const Value* members = field(partition, "members");
  const List* list = members == nullptr ? nullptr : members->as_list();
  std::vector<std::string> texts;
  for (const Value& member : list == nullptr ? List{} : *list) {
    const Map* map = member.as_map();
    if (map == nullptr) continue;
    texts.push_back(text_of(*map, "who") + (is_true(*map, "full") ? " full" : " limited"));
  }
  return texts.empty() ? "nobody" : join(texts, ", ");
}

std::string partition_text(const Value& partition) {
  const Map* map = partition.as_map();
  if (map == nullptr) return to_text(partition);
  const Value* pkey = field(*map, "pkey");
  const std::int64_t* number = pkey == nullptr ? nullptr : pkey->as_integer();
  std::string text = text_of(*map, "name");
  if (number != nullptr) text += fmt::format(" 0x{:04x}", *number);
  if (is_true(*map, "ipoib")) text += " ipoib";
  if (const std::string mtu = text_of(*map, "mtu"); !mtu.empty()) text += " mtu " + mtu;
  return text + ": " + members_text(*map);
}

}  // namespace

std::string partitions_text(const Value& partitions) {
  const List* list = partitions.as_list();
  if (list == nullptr) return to_text(partitions);
  std::vector<std::string> texts;
  for (const Value& partition : *list)
    texts.push_back(partition_text(partition));
  return texts.empty() ? "none" : join(texts, "; ");
}

}  // namespace fabric::report
