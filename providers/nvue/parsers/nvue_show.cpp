// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/lists.hpp"
#include "providers/nvue/parsers/nvue_json.hpp"
#include "providers/nvue/parsers/nvue_parts.hpp"

namespace fabric::providers {

using nvue_parts::members;
using nvue_parts::with_line;
using nvue_parts::wrong;

namespace {

// A number, or its digits: NVOS writes some numbers as text (E-nvos-sm).
Result<std::optional<std::int64_t>> number_at(
    const Value& tree, std::initializer_list<std::string_view> path, std::string_view where) {
  const Value* found = nvue_find(tree, path);
  if (found == nullptr || found->is_null()) return std::optional<std::int64_t>{};
  if (const auto* number = found->as_integer()) return std::optional{*number};
  if (const auto* text = found->as_string()) {
    if (const auto number = parse_integer(*text)) return std::optional{*number};
  }
  return wrong(fmt::format("{}.{}", where, fmt::join(path, ".")), "a number", found);
}

Result<std::optional<std::uint32_t>> mtu_at(const Value& interface, std::string_view where) {
  constexpr std::int64_t kLargest = 1'000'000;
  const auto number = FABRIC_TRY(number_at(interface, {"link", "mtu"}, where));
  if (!number) return std::optional<std::uint32_t>{};
  if (*number < 0 || *number > kLargest) {
    const Value value{*number};
    return wrong(fmt::format("{}.link.mtu", where), "bytes", &value);
  }
  return std::optional{static_cast<std::uint32_t>(*number)};
}

std::string word_at(const Value& tree, std::initializer_list<std::string_view> path) {
  return nvue_word(nvue_find(tree, path));
}

std::optional<bool> flag_of(std::string_view word) {
  const std::string lower = to_lower(word);
  for (const std::string_view yes : {"up", "on", "enabled", "yes", "true"})
    if (lower == yes) return true;
  for (const std::string_view no : {"down", "off", "disabled", "no", "false", "protodown"})
    if (lower == no) return false;
  return std::nullopt;
}

std::optional<bool> flag_at(const Value& tree, std::initializer_list<std::string_view> path) {
  const Value* found = nvue_find(tree, path);
  if (found == nullptr) return std::nullopt;
  if (const bool* flag = found->as_bool()) return *flag;
  return flag_of(nvue_word(found));
}

// {"1024": {"status": "Cable is unplugged"}} or {"1024": "Cable is unplugged"}
std::map<std::string, std::string> diagnostics_of(const Value& link) {
  std::map<std::string, std::string> found;
  for (const auto& [code, said] : link.member("diagnostics").members()) {
    std::string text = nvue_word(&said);
    for (const std::string_view key : {"status", "description", "message"}) {
      if (const std::string own = said.string_or_empty(key); !own.empty()) text = own;
    }
    found.emplace(code, std::move(text));
  }
  return found;
}

std::map<std::string, std::int64_t> counters_of(const Value& link) {
  std::map<std::string, std::int64_t> found;
  for (const std::string_view key : {"stats", "counters"}) {
    for (const auto& [name, value] : link.member(key).members()) {
      if (const auto* number = value.as_integer()) found.emplace(name, *number);
    }
  }
  return found;
}

Result<NvueInterface> interface_of(const std::string& name, const Value& tree) {
  FABRIC_TRY(members(tree, name));
  NvueInterface found;
  found.name = name;
  found.type = tree.string_or_empty("type");
  found.parent = tree.string_or_empty("parent");
  found.mtu = FABRIC_TRY(mtu_at(tree, name));
  const Value* link = tree.find("link");
  if (link == nullptr) return found;
  FABRIC_TRY(members(*link, name + ".link"));
  found.state = word_at(tree, {"link", "oper-status"});
  if (found.state.empty()) found.state = word_at(tree, {"link", "state"});
  found.up = flag_of(found.state);
  found.enabled = flag_at(tree, {"link", "admin-status"});
  found.speed = word_at(tree, {"link", "speed"});
  found.fec = word_at(tree, {"link", "fec"});
  if (found.fec == "auto") found.fec.clear();
  found.mac = word_at(tree, {"link", "mac-address"});
  if (found.mac.empty()) found.mac = word_at(tree, {"link", "mac"});
  found.physical_state = word_at(tree, {"link", "physical-state"});
  found.logical_state = word_at(tree, {"link", "logical-state"});
  found.lanes = word_at(tree, {"link", "lanes"});
  found.ib_speed = word_at(tree, {"link", "ib-speed"});
  found.diagnostics = diagnostics_of(*link);
  found.counters = counters_of(*link);
  return found;
}

// Fails for an object without a known key, which answers something else. An empty answer is valid.
Result<void> knows(const Value& tree, std::initializer_list<std::string_view> keys) {
  const bool any = std::ranges::any_of(
      keys, [&tree](std::string_view key) { return tree.find(key) != nullptr; });
  if (any || tree.as_map()->empty()) return {};
  return wrong(tree.as_map()->begin()->first, fmt::format("{}", fmt::join(keys, ", ")), &tree);
}

}  // namespace

namespace {

Result<std::vector<NvueInterface>> read_interfaces(std::string_view text) {
  const Value tree = FABRIC_TRY(parse_nvue_json(text));
  std::vector<NvueInterface> found;
  const Map* interfaces = FABRIC_TRY(members(tree, "interface"));
  for (const auto& [name, each] : *interfaces)
    found.push_back(FABRIC_TRY(interface_of(name, each)));
  return found;
}

}  // namespace

Value to_value(const std::vector<NvueInterface>& interfaces) {
  List list;
  for (const NvueInterface& each : interfaces) {
    Map map{{"name", each.name}};
    put(map, "type", each.type);
    put(map, "enabled", each.enabled);
    put(map, "up", each.up);
    put(map, "state", each.state);
    put(map, "speed", each.speed);
    put(map, "fec", each.fec);
    if (each.mtu) map.emplace("mtu", *each.mtu);
    put(map, "mac", each.mac);
    put(map, "parent", each.parent);
    put(map, "physical_state", each.physical_state);
    put(map, "logical_state", each.logical_state);
    put(map, "lanes", each.lanes);
    put(map, "ib_speed", each.ib_speed);
    if (!each.diagnostics.empty()) {
      Map diagnostics;
      for (const auto& [code, said] : each.diagnostics)
        diagnostics.emplace(code, said);
      map.emplace("diagnostics", std::move(diagnostics));
    }
    if (!each.counters.empty()) {
      Map counters;
      for (const auto& [name, number] : each.counters)
        counters.emplace(name, number);
      map.emplace("counters", std::move(counters));
    }
    list.emplace_back(std::move(map));
  }
  return list;
}

namespace {

Result<std::vector<NvueRevision>> read_revisions(std::string_view text) {
  const Value tree = FABRIC_TRY(parse_nvue_json(text));
  std::vector<NvueRevision> found;
  const Map* revisions = FABRIC_TRY(members(tree, "revision"));
  for (const auto& [id, each] : *revisions) {
    FABRIC_TRY(members(each, "revision " + id));
    NvueRevision revision{id, each.string_or_empty("state"), each.string_or_empty("user")};
    if (revision.state.empty()) return wrong(id + ".state", "a word", each.find("state"));
    if (revision.user.empty()) {
      const Value* more = each.find("additional-data");
      if (more != nullptr) revision.user = more->string_or_empty("user");
    }
    found.push_back(std::move(revision));
  }
  return found;
}

}  // namespace

Value to_value(const std::vector<NvueRevision>& revisions) {
  List list;
  for (const NvueRevision& each : revisions) {
    Map map{{"id", each.id}, {"state", each.state}};
    put(map, "user", each.user);
    list.emplace_back(std::move(map));
  }
  return list;
}

namespace {

Result<std::vector<NvueNeighbour>> read_lldp(std::string_view text) {
  const Value tree = FABRIC_TRY(parse_nvue_json(text));
  std::vector<NvueNeighbour> found;
  const Map* interfaces = FABRIC_TRY(members(tree, "interface"));
  for (const auto& [port, each] : *interfaces) {
    FABRIC_TRY(members(each, port));
    const Value* neighbours = nvue_find(each, {"lldp", "neighbor"});
    if (neighbours == nullptr) continue;
    for (const auto& [name, neighbour] :
         *FABRIC_TRY(members(*neighbours, port + ".lldp.neighbor"))) {
      found.push_back(
          {port,
           word_at(neighbour, {"chassis", "system-name"}),
           word_at(neighbour, {"chassis", "chassis-id"}),
           word_at(neighbour, {"port", "name"}),
           word_at(neighbour, {"port", "type"})});
      if (found.back().system_name.empty()) found.back().system_name = name;
    }
  }
  return found;
}

}  // namespace

Value to_value(const std::vector<NvueNeighbour>& neighbours) {
  List list;
  for (const NvueNeighbour& each : neighbours) {
    Map map{{"port", each.port}};
    put(map, "system_name", each.system_name);
    put(map, "chassis", each.chassis);
    put(map, "remote_port", each.remote_port);
    put(map, "remote_port_type", each.remote_port_type);
    list.emplace_back(std::move(map));
  }
  return list;
}

namespace {

Result<NvueMlag> read_mlag(std::string_view text) {
  const Value tree = FABRIC_TRY(parse_nvue_json(text));
  FABRIC_TRY(members(tree, "mlag"));
  FABRIC_TRY(knows(tree, {"enable", "state", "mac-address", "peer-alive", "priority"}));
  NvueMlag mlag;
  mlag.enabled = flag_at(tree, {"enable"});
  if (!mlag.enabled) mlag.enabled = flag_at(tree, {"state"});
  mlag.peer_alive = flag_at(tree, {"peer-alive"});
  mlag.backup_active = flag_at(tree, {"backup-active"});
  mlag.system_mac = to_lower(word_at(tree, {"mac-address"}));
  mlag.local_role = word_at(tree, {"local-role"});
  mlag.peer_role = word_at(tree, {"peer-role"});
  mlag.peer_interface = word_at(tree, {"peer-interface"});
  return mlag;
}

}  // namespace

Value to_value(const NvueMlag& mlag) {
  Map map;
  put(map, "enabled", mlag.enabled);
  put(map, "peer_alive", mlag.peer_alive);
  put(map, "backup_active", mlag.backup_active);
  put(map, "system_mac", mlag.system_mac);
  put(map, "local_role", mlag.local_role);
  put(map, "peer_role", mlag.peer_role);
  put(map, "peer_interface", mlag.peer_interface);
  return map;
}

namespace {

Result<NvueRoce> read_roce(std::string_view text) {
  const Value tree = FABRIC_TRY(parse_nvue_json(text));
  FABRIC_TRY(members(tree, "roce"));
  FABRIC_TRY(knows(tree, {"enable", "state", "mode", "pfc", "trust"}));
  return NvueRoce{
      word_at(tree, {"mode"}),
      word_at(tree, {"trust", "trust-mode"}),
      word_at(tree, {"pfc", "pfc-priority"}),
      word_at(tree, {"congestion-control", "congestion-mode"})};
}

}  // namespace

Value to_value(const NvueRoce& roce) {
  Map map;
  put(map, "mode", roce.mode.empty() ? "off" : roce.mode);
  put(map, "trust", roce.trust);
  put(map, "pfc_priority", roce.pfc_priority);
  put(map, "congestion_mode", roce.congestion_mode);
  return map;
}

namespace {

Result<NvueVersion> read_version(std::string_view text) {
  constexpr std::string_view kNvos = "nvos-";
  constexpr std::string_view kCumulus = "Cumulus Linux ";
  const Value tree = FABRIC_TRY(parse_nvue_json(text));
  FABRIC_TRY(members(tree, "version"));
  NvueVersion version;
  version.kernel = word_at(tree, {"kernel"});
  const Value* image = tree.find("image");
  const std::string named = image == nullptr ? "" : nvue_word(image);
  const std::string build = tree.string_or_empty("build");
  if (named.starts_with(kNvos)) {
    version.product = "nvos";
    version.release = named.substr(kNvos.size());
    return version;
  }
  version.release = tree.string_or_empty("product-release");
  if (version.release.empty()) version.release = word_at(tree, {"version", "product-release"});
  if (version.release.empty() && build.starts_with(kCumulus))
    version.release = build.substr(kCumulus.size());
  version.build = word_at(tree, {"image", "build-id"});
  if (version.release.empty()) return wrong("version", "product-release, build or image", &tree);
  version.product = "cumulus";
  return version;
}

}  // namespace

Value to_value(const NvueVersion& version) {
  Map map;
  put(map, "product", version.product);
  put(map, "release", version.release);
  put(map, "kernel", version.kernel);
  put(map, "build", version.build);
  return map;
}

Result<std::vector<NvueInterface>> parse_nvue_interfaces(std::string_view text) {
  return with_line(text, read_interfaces(text));
}

Result<std::vector<NvueRevision>> parse_nvue_revisions(std::string_view text) {
  return with_line(text, read_revisions(text));
}

Result<std::vector<NvueNeighbour>> parse_nvue_lldp(std::string_view text) {
  return with_line(text, read_lldp(text));
}

Result<NvueMlag> parse_nvue_mlag(std::string_view text) {
  return with_line(text, read_mlag(text));
}

Result<NvueRoce> parse_nvue_roce(std::string_view text) {
  return with_line(text, read_roce(text));
}

Result<NvueVersion> parse_nvue_version(std::string_view text) {
  return with_line(text, read_version(text));
}

}  // namespace fabric::providers
