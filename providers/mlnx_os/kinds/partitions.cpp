// SPDX-License-Identifier: Apache-2.0
#include "providers/mlnx_os/kinds/partitions.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/names.hpp"
#include "engine/model/resource_keys.hpp"
#include "providers/infiniband/member_guid.hpp"

namespace fabric::providers::onyx {

namespace {

constexpr std::uint16_t kDefault = 0x7fff;
constexpr const char* kPartitions = "partitions";
constexpr std::int64_t kKilo = 1024;
constexpr const char* kOwnMtu = "2K";  // where none is set (E-onyx-partitions)

struct Wanted {
  std::string name;
  std::uint16_t pkey = kDefault;
  bool ipoib = false;
  std::string mtu;                             // "4K"; "" = the switch's own
  std::map<std::string, std::string> members;  // "ALL" or a GUID with colons: "full", "limited"
};

// "0xe41d2d0300156e80" as "e4:1d:2d:03:00:15:6e:80" (E-onyx-partitions)
std::string with_colons(std::string_view guid) {
  std::string digits = to_lower(guid.starts_with("0x") ? guid.substr(2) : guid);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i % 2 == 0) text += ':';
    text += digits[i];
  }
  return text;
}

// The MTU as the switch writes it (E-onyx-partitions); "" = the document has none.
std::string mtu_word(const Value& partition) {
  const Value* value = partition.find("mtu");
  const std::int64_t* bytes = value == nullptr ? nullptr : value->as_integer();
  if (bytes == nullptr) return {};
  return *bytes < kKilo ? std::to_string(*bytes) : fmt::format("{}K", *bytes / kKilo);
}

// The MTU is in the configuration, if `show ib partition` leaves it out.
std::string mtu_of(const Result<Configuration>& running, const std::string& name) {
  if (!running) return {};
  const auto set = running->after(fmt::format("ib partition {} mtu", name));
  return set ? std::string{split_words(*set).empty() ? "" : split_words(*set).front()} : kOwnMtu;
}

const Map& port_guids(const Resource& resource) {
  static const Map none;
  const auto found = resource.binding.find(keys::kPortGuids);
  const Map* map = found == resource.binding.end() ? nullptr : found->second.as_map();
  return map == nullptr ? none : *map;
}

std::string text_at(const Value& map, std::string_view key) {
  const Value* value = map.find(key);
  return value == nullptr ? std::string{} : to_text(*value);
}

bool is_true(const Value& map, std::string_view key) {
  const Value* value = map.find(key);
  return value != nullptr && *value == Value{true};
}

Result<Wanted> wanted_of(const Value& value, const Resource& resource) {
  Wanted wanted;
  wanted.name = text_at(value, "name");
  wanted.ipoib = is_true(value, "ipoib");
  if (wanted.ipoib) wanted.mtu = mtu_word(value);
  const Value* pkey = value.find("pkey");
  if (pkey != nullptr && pkey->as_integer() != nullptr)
    wanted.pkey = static_cast<std::uint16_t>(*pkey->as_integer() & kDefault);
  const Value* members = value.find("members");
  const List* list = members == nullptr ? nullptr : members->as_list();
  for (const Value& member : list == nullptr ? List{} : *list) {
    std::string who = text_at(member, "who");
    // The port of the switch itself is always in the default partition, and in no other.
    if (who == "SELF" && wanted.pkey == kDefault) continue;
    if (who == "SELF")
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "SELF in partition {}: the manager of a switch is in Default only", wanted.name)};
    if (who != "ALL") who = with_colons(FABRIC_TRY(member_guid(port_guids(resource), who)));
    wanted.members[who] = is_true(member, "full") ? "full" : "limited";
  }
  return wanted;
}

Result<std::vector<Wanted>> all_wanted(const Value& desired, const Resource& resource) {
  std::vector<Wanted> all;
  const bool leaves_out = !resource.binding.contains(keys::kPartlyRead);
  const Value known =
      leaves_out ? known_members(desired, port_guids(resource)).partitions : desired;
  for (const Value& each : known.as_list() == nullptr ? List{} : *known.as_list())
    all.push_back(FABRIC_TRY(wanted_of(each, resource)));
  return all;
}

bool wants_mtu(const std::vector<Wanted>& all) {
  return std::any_of(all.begin(), all.end(), [](const Wanted& each) { return !each.mtu.empty(); });
}

Result<std::vector<OnyxPartition>> found_in(const NodeFacts& facts) {
  const std::string_view text = FABRIC_TRY(answer(facts, kPartitionsProbe));
  return parse_onyx_partitions(text);
}

// Found by its key, whatever its name: a partition can have another's key as its name.
const OnyxPartition* with_key(const std::vector<OnyxPartition>& all, std::uint16_t pkey) {
  const auto found = std::find_if(
      all.begin(), all.end(), [pkey](const OnyxPartition& each) { return each.pkey == pkey; });
  return found == all.end() ? nullptr : &*found;
}

bool is_member(const Wanted& wanted, const OnyxPartition::Member& member) {
  const auto found = wanted.members.find(member.who);
  return found != wanted.members.end() && found->second == member.membership;
}

bool is_as_wanted(
    const OnyxPartition& found, const Wanted& wanted, const Result<Configuration>& running) {
  return (!wanted.ipoib || found.ipoib == true) &&
         (wanted.mtu.empty() || mtu_of(running, found.name) == wanted.mtu) &&
         found.members.size() == wanted.members.size() &&
         std::all_of(
             found.members.begin(),
             found.members.end(),
             [&wanted](const OnyxPartition::Member& each) { return is_member(wanted, each); });
}

void type_partition(
    Typed& typed,
    const OnyxPartition* found,
    const Wanted& wanted,
    const Result<Configuration>& running) {
  const std::string name = found == nullptr ? wanted.name : found->name;
  const std::string start = "ib partition " + name;
  if (found == nullptr)
    typed.type(fmt::format("{} pkey 0x{:04x} force", start, wanted.pkey), "no " + start);
  if (wanted.ipoib && (found == nullptr || found->ipoib != true))
    typed.type(start + " ipoib force");
  const std::string mtu = found == nullptr ? std::string{} : mtu_of(running, name);
  if (!wanted.mtu.empty() && mtu != wanted.mtu)
    typed.type(
        fmt::format("{} mtu {} force", start, wanted.mtu),
        mtu.empty() ? "" : fmt::format("{} mtu {} force", start, mtu));
  const auto member_line = [&start](const std::string& who, const std::string& type) {
    return fmt::format("{} member {} type {} force", start, who, type);
  };
  std::map<std::string, std::string> there;
  if (found != nullptr)
    for (const OnyxPartition::Member& member : found->members)
      there[member.who] = member.membership;
  // Members are added first, so that a member that stays is never out.
  for (const auto& [who, type] : wanted.members) {
    const auto before = there.find(who);
    if (before != there.end() && before->second == type) continue;
    typed.type(
        member_line(who, type),
        before == there.end() ? fmt::format("no {} member {}", start, who)
                              : member_line(who, before->second));
  }
  for (const auto& [who, type] : there) {
    if (!wanted.members.contains(who))
      typed.type(fmt::format("no {} member {}", start, who), member_line(who, type));
  }
}

// The existing partitions, with the MTU of each.
Value found_value(const std::vector<OnyxPartition>& found, const Result<Configuration>& running) {
  Value value = to_value(found);
  List list;
  for (std::size_t i = 0; i < found.size(); ++i) {
    Map map = *value.as_list()->at(i).as_map();
    if (running) map.emplace("mtu", mtu_of(running, found[i].name));
    list.emplace_back(std::move(map));
  }
  return list;
}

}  // namespace

Reading partitions_reading(
    const NodeFacts& facts,
    const Result<Configuration>& running,
    const Resource& resource,
    const Value& desired) {
  const auto found = found_in(facts);
  if (!found) return Reading::unknown(found.error().message);
  const auto wanted = all_wanted(desired, resource);
  if (!wanted) return Reading::unknown(wanted.error().message);
  if (!running && wants_mtu(*wanted)) return Reading::unknown(running.error().message);
  const bool right = std::all_of(wanted->begin(), wanted->end(), [&](const Wanted& each) {
    const OnyxPartition* partition = with_key(*found, each.pkey);
    return partition != nullptr && is_as_wanted(*partition, each, running);
  });
  if (right) return Reading::of(desired);
  return Reading::of(found_value(*found, running));
}

std::optional<Error> type_partitions(
    Typed& typed,
    const NodeFacts& facts,
    const Result<Configuration>& running,
    const Resource& resource) {
  const auto refused = [&resource](const Error& error) {
    return Error{ErrorCode::invalid, fmt::format("{}: {}", resource.address.str(), error.message)};
  };
  const auto found = found_in(facts);
  if (!found) return refused(found.error());
  const auto wanted = all_wanted(resource.desired.at(kPartitions).value, resource);
  if (!wanted) return refused(wanted.error());
  if (!running && wants_mtu(*wanted)) return refused(running.error());
  for (const Wanted& each : *wanted) {
    const OnyxPartition* partition = with_key(*found, each.pkey);
    if (partition == nullptr || !is_as_wanted(*partition, each, running))
      type_partition(typed, partition, each, running);
  }
  return std::nullopt;
}

}  // namespace fabric::providers::onyx
