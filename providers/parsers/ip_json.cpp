// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers/ip_json.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/value/json.hpp"
#include "engine/value/lists.hpp"

namespace fabric::providers {

namespace {

Error wrong(std::size_t index, std::string_view what) {
  return {ErrorCode::invalid, fmt::format("line 1: link {}: {}", index + 1, what)};
}

std::optional<std::int64_t> integer(const Value& object, std::string_view key) {
  const Value* member = object.find(key);
  if (member == nullptr || member->as_integer() == nullptr) return std::nullopt;
  return *member->as_integer();
}

bool is_true(const Value& object, std::string_view key) {
  const Value* member = object.find(key);
  return member != nullptr && member->as_bool() != nullptr && *member->as_bool();
}

bool has_flag(const Value& link, std::string_view flag) {
  const List& list = link.member("flags").items();
  return std::any_of(list.begin(), list.end(), [flag](const Value& item) {
    return item.as_string() != nullptr && *item.as_string() == flag;
  });
}

std::optional<IpAddressEntry> address_entry(const Value& value) {
  const std::optional<std::int64_t> length = integer(value, "prefixlen");
  const std::string local = value.string_or_empty("local");
  if (local.empty() || !length) return std::nullopt;
  return IpAddressEntry{
      value.string_or_empty("family"),
      fmt::format("{}/{}", local, *length),
      value.string_or_empty("scope"),
      is_true(value, "dynamic")};
}

// {"vf":0,"address":"02:00:00:00:00:01","vlan_list":[{"vlan":100}]}; older ones have "vlan" beside
// it.
IpFunction function_entry(const Value& value) {
  constexpr std::string_view kNone = "00:00:00:00:00:00";
  IpFunction function{integer(value, "vf").value_or(0), value.string_or_empty("address"), 0};
  if (std::string_view{function.address}.starts_with(kNone)) function.address.clear();
  function.vlan = integer(value, "vlan").value_or(0);
  const Value* vlans = value.find("vlan_list");
  if (vlans == nullptr || vlans->as_list() == nullptr) return function;
  for (const Value& each : *vlans->as_list())
    function.vlan = std::max(function.vlan, integer(each, "vlan").value_or(0));
  return function;
}

Result<IpLink> link_from(const Value& value, std::size_t index) {
  IpLink link;
  link.name = value.string_or_empty("ifname");
  if (link.name.empty()) return wrong(index, "it has no 'ifname'");
  const std::optional<std::int64_t> mtu = integer(value, "mtu");
  if (!mtu) return wrong(index, fmt::format("'mtu' of {} is no integer", link.name));
  link.mtu = *mtu;
  link.index = integer(value, "ifindex").value_or(0);
  link.max_mtu = integer(value, "max_mtu");
  link.link_type = value.string_or_empty("link_type");
  link.operstate = value.string_or_empty("operstate");
  link.address = value.string_or_empty("address");
  link.permanent_address = value.string_or_empty("permaddr");
  link.master = value.string_or_empty("master");
  link.admin_up = has_flag(value, "UP");
  link.below = value.string_or_empty("link");
  link.qdisc = value.string_or_empty("qdisc");
  link.has_xdp = value.find("xdp") != nullptr;
  if (const Value* info = value.find("linkinfo")) {
    link.kind = info->string_or_empty("info_kind");
    link.slave_kind = info->string_or_empty("info_slave_kind");
    const Value* data = info->find("info_data");
    if (data != nullptr && data->as_map() != nullptr) link.info = *data->as_map();
  }
  const Value* functions = value.find("vfinfo_list");
  if (functions != nullptr && functions->as_list() != nullptr) {
    for (const Value& entry : *functions->as_list())
      link.functions.push_back(function_entry(entry));
  }
  const Value* addresses = value.find("addr_info");
  if (addresses == nullptr) return link;
  if (addresses->as_list() == nullptr)
    return wrong(index, fmt::format("'addr_info' of {} is no list", link.name));
  for (const Value& entry : *addresses->as_list()) {
    if (auto address = address_entry(entry)) link.addresses.push_back(*std::move(address));
  }
  return link;
}

Value link_value(const IpLink& link) {
  Map value{
      {"name", link.name},
      {"index", link.index},
      {"mtu", link.mtu},
      {"link_type", link.link_type},
      {"operstate", link.operstate},
      {"address", link.address},
      {"admin_up", link.admin_up}};
  if (link.max_mtu) value.emplace("max_mtu", *link.max_mtu);
  if (!link.permanent_address.empty()) value.emplace("permanent_address", link.permanent_address);
  if (!link.master.empty()) value.emplace("master", link.master);
  if (!link.kind.empty()) value.emplace("kind", link.kind);
  if (!link.slave_kind.empty()) value.emplace("slave_kind", link.slave_kind);
  if (!link.below.empty()) value.emplace("below", link.below);
  if (!link.qdisc.empty()) value.emplace("qdisc", link.qdisc);
  if (link.has_xdp) value.emplace("xdp", true);
  if (!link.info.empty()) value.emplace("info", link.info);
  List functions;
  for (const IpFunction& each : link.functions)
    functions.emplace_back(
        Map{{"number", each.number}, {"address", each.address}, {"vlan", each.vlan}});
  if (!functions.empty()) value.emplace("functions", std::move(functions));
  List addresses;
  for (const IpAddressEntry& entry : link.addresses) {
    addresses.emplace_back(
        Map{{"family", entry.family},
            {"address", entry.address},
            {"scope", entry.scope},
            {"dynamic", entry.dynamic}});
  }
  value.emplace("addresses", std::move(addresses));
  return value;
}

}  // namespace

Result<std::vector<IpLink>> parse_ip_json(std::string_view text) {
  const Value value = FABRIC_TRY(parse_json(text));
  const List* items = value.as_list();
  if (items == nullptr) return Error{ErrorCode::invalid, "line 1: not a list of links"};
  std::vector<IpLink> links;
  for (std::size_t index = 0; index < items->size(); ++index) {
    const Map* item = (*items)[index].as_map();
    if (item == nullptr) return wrong(index, "it is no object");
    // A filtered item is printed as {}.
    if (item->empty()) continue;
    links.push_back(FABRIC_TRY(link_from((*items)[index], index)));
  }
  return links;
}

Value to_value(const std::vector<IpLink>& links) {
  return Map{{"links", to_list(links, link_value)}};
}

}  // namespace fabric::providers
