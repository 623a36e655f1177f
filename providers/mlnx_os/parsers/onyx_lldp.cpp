// SPDX-License-Identifier: Apache-2.0
#include "providers/mlnx_os/parsers/onyx_lldp.hpp"

#include "providers/mlnx_os/parsers/onyx_show.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kPort = "Eth";

// The value of the first key that has one; "Not Advertised" is none (E-onyx-lldp).
std::string said(const Value& entry, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const Value* value = entry.find(key);
    const std::string* text = value == nullptr ? nullptr : value->as_string();
    if (text != nullptr && !text->empty() && *text != "Not Advertised") return *text;
  }
  return {};
}

void add_entries(
    const std::string& key, const Value& entries, std::vector<OnyxNeighbour>& neighbours) {
  if (!key.starts_with(kPort) || entries.as_list() == nullptr) return;
  const std::size_t end = key.find(' ');
  const std::string port =
      key.substr(kPort.size(), end == std::string::npos ? end : end - kPort.size());
  for (const Value& entry : *entries.as_list()) {
    OnyxNeighbour neighbour{
        port,
        said(entry, {"Device ID", "Remote chassis id"}),
        said(entry, {"Port ID", "Remote port-id"}),
        said(entry, {"System Name", "Remote system name"})};
    const bool heard = !neighbour.chassis_id.empty() || !neighbour.port_id.empty() ||
                       !neighbour.system_name.empty();
    if (heard) neighbours.push_back(std::move(neighbour));
  }
}

// The content of one object: ports, "data" of the interface, or "Lines" where no neighbour is
// heard.
void add_map(const Value& value, std::vector<OnyxNeighbour>& neighbours) {
  if (value.as_map() == nullptr) return;
  for (const auto& [key, each] : *value.as_map())
    add_entries(key, each, neighbours);
}

}  // namespace

Result<std::vector<OnyxNeighbour>> parse_onyx_lldp(std::string_view text) {
  const OnyxShow show = FABRIC_TRY(parse_onyx_show(text));
  if (show.form != OnyxForm::json) return error_at(1, "no JSON");
  std::vector<OnyxNeighbour> neighbours;
  const Value* data = show.json.find("data");
  const Value& top = data == nullptr ? show.json : *data;
  if (top.as_list() != nullptr) {
    for (const Value& each : *top.as_list())
      add_map(each, neighbours);
    return neighbours;
  }
  if (top.as_map() == nullptr) return error_at(1, "no object of ports");
  add_map(top, neighbours);
  return neighbours;
}

Value to_value(const std::vector<OnyxNeighbour>& neighbours) {
  List list;
  for (const OnyxNeighbour& each : neighbours) {
    Map map{{"port", each.local_port}};
    if (!each.chassis_id.empty()) map.emplace("chassis_id", each.chassis_id);
    if (!each.port_id.empty()) map.emplace("port_id", each.port_id);
    if (!each.system_name.empty()) map.emplace("system_name", each.system_name);
    list.emplace_back(std::move(map));
  }
  return list;
}

}  // namespace fabric::providers
