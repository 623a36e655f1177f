// SPDX-License-Identifier: Apache-2.0
#include "providers/infiniband/member_guid.hpp"

#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/names.hpp"

namespace fabric::providers {

Result<std::string> member_guid(const Map& port_guids, const std::string& port) {
  const auto found = port_guids.find(port);
  if (found == port_guids.end()) {
    return Error{
        ErrorCode::unreachable,
        fmt::format(
            "the port GUID of {} is not known: its node was not read, or does not show it", port)};
  }
  const std::string told = to_text(found->second);
  const Result<Guid> guid = Guid::parse(told);
  return guid ? guid->str() : told;
}

namespace {

std::string who_of(const Value& member) {
  const Value* who = member.find("who");
  return who == nullptr ? std::string{} : to_text(*who);
}

bool is_port(const std::string& who) {
  return who != "ALL" && who != "SELF";
}

std::set<std::string> ports_of(const Value& partitions) {
  std::set<std::string> ports;
  for (const Value& partition : partitions.items()) {
    for (const Value& member : partition.member("members").items())
      if (const std::string who = who_of(member); is_port(who)) ports.insert(who);
  }
  return ports;
}

}  // namespace

KnownMembers known_members(const Value& partitions, const Map& port_guids) {
  KnownMembers known{partitions, {}};
  for (const std::string& port : ports_of(partitions))
    if (!port_guids.contains(port)) known.unknown.push_back(port);
  if (known.unknown.empty()) return known;
  List filtered;
  for (const Value& partition : *partitions.as_list()) {
    if (partition.as_map() == nullptr) continue;
    Map map = *partition.as_map();
    List members;
    for (const Value& member : partition.member("members").items()) {
      const std::string who = who_of(member);
      if (!is_port(who) || port_guids.contains(who)) members.push_back(member);
    }
    map.insert_or_assign("members", std::move(members));
    filtered.emplace_back(std::move(map));
  }
  known.partitions = std::move(filtered);
  return known;
}

std::map<std::string, std::string, std::less<>> names_by_guid(
    const Map& port_guids, std::string_view text) {
  std::map<std::string, std::string, std::less<>> names;
  for (const auto& [port, guid] : port_guids)
    if (const auto known = member_guid(port_guids, port)) names.emplace(*known, port);
  for (const auto& [port, guid] : noted_members(text))
    names.emplace(guid, port);
  return names;
}

void report_unknown_members(const Resource& resource, Diagnostics& diagnostics) {
  const auto wanted = resource.desired.find("partitions");
  if (wanted == resource.desired.end() || resource.binding.contains(keys::kPartlyRead)) return;
  const std::vector<std::string> unknown =
      known_members(wanted->second.value, resource.bound_map(keys::kPortGuids)).unknown;
  if (unknown.empty()) return;
  diagnostics
      .warning(
          "member-guid-unknown",
          wanted->second.source,
          fmt::format(
              "{}: its subnet manager hands out the partitions without {}, whose port GUID is not "
              "known: the node was not read, or does not show it",
              resource.address.node.str(),
              join(unknown, ", ")))
      .about(resource.address.node)
      .with_help(
          "plan again when the node can be read, or write the GUID at its adapter: "
          "port_guid: {1: \"0x...\"}");
}

std::string notes_of_members(const Value& partitions, const Map& port_guids) {
  std::string text;
  for (const std::string& port : ports_of(partitions))
    if (const auto guid = member_guid(port_guids, port))
      text += fmt::format("# {} {}\n", port, *guid);
  return text;
}

std::map<std::string, std::string, std::less<>> noted_members(std::string_view text) {
  std::map<std::string, std::string, std::less<>> noted;
  for (const std::string_view line : split_lines(text)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() != 3 || words[0] != "#") continue;
    const Result<Guid> guid = Guid::parse(words[2]);
    if (guid && words[2].starts_with("0x")) noted.emplace(words[1], guid->str());
  }
  return noted;
}

}  // namespace fabric::providers
