// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/link_tools/lldp_json.hpp"

#include "engine/value/json.hpp"

namespace fabric::platform {

namespace {

// json0 wraps everything in lists, plain json drops lists of one: both are read as "the elements".
std::vector<const Value*> elements(const Value* value) {
  std::vector<const Value*> all;
  if (value == nullptr || value->is_null()) return all;
  if (const List* list = value->as_list()) {
    for (const Value& element : *list)
      all.push_back(&element);
  } else {
    all.push_back(value);
  }
  return all;
}

const Value* first(const Value* value) {
  const std::vector<const Value*> all = elements(value);
  return all.empty() ? nullptr : all.front();
}

const Value* member(const Value* value, std::string_view key) {
  return value == nullptr ? nullptr : first(value->find(key));
}

// {"value": "eth1"} in json0, "eth1" in plain json.
std::string text_of(const Value* value) {
  if (value == nullptr) return {};
  if (const std::string* text = value->as_string()) return *text;
  return value->string_or_empty("value");
}

Neighbour read_neighbour(const Value& interface, std::string name) {
  Neighbour neighbour;
  neighbour.local_interface = std::move(name);
  neighbour.protocol = interface.string_or_empty("via");
  const Value* chassis = member(&interface, "chassis");
  // Plain json names the chassis by its key: {"chassis": {"switch1": {"id": ...}}}.
  if (chassis != nullptr && chassis->find("id") == nullptr && chassis->as_map() != nullptr &&
      chassis->as_map()->size() == 1) {
    neighbour.chassis_name = chassis->as_map()->begin()->first;
    chassis = first(&chassis->as_map()->begin()->second);
  }
  if (const Value* id = member(chassis, "id")) {
    neighbour.chassis_id_type = id->string_or_empty("type");
    neighbour.chassis_id = text_of(id);
  }
  if (const Value* written = member(chassis, "name")) neighbour.chassis_name = text_of(written);
  const Value* port = member(&interface, "port");
  if (const Value* id = member(port, "id")) {
    neighbour.port_id_type = id->string_or_empty("type");
    neighbour.port_id = text_of(id);
  }
  neighbour.port_description = text_of(member(port, "descr"));
  return neighbour;
}

void read_interfaces(const Value& interface, std::vector<Neighbour>& found) {
  const std::string name = interface.string_or_empty("name");
  if (!name.empty()) {
    found.push_back(read_neighbour(interface, name));
    return;
  }
  // Plain json: {"eth0": {"via": "LLDP", ...}}.
  const Map* by_name = interface.as_map();
  if (by_name == nullptr) return;
  for (const auto& [key, value] : *by_name) {
    if (value.as_map() != nullptr) found.push_back(read_neighbour(value, key));
  }
}

}  // namespace

Result<std::vector<Neighbour>> parse_lldp_json(std::string_view text) {
  const Value document = FABRIC_TRY(parse_json(text, DuplicateKeys::last_wins));
  const Value* root = document.find("lldp");
  if (root == nullptr) {
    return Error{
        ErrorCode::invalid, "line 1: expected an object with the key \"lldp\", found none"};
  }
  std::vector<Neighbour> neighbours;
  for (const Value* section : elements(root)) {
    for (const Value* interface : elements(section->find("interface"))) {
      read_interfaces(*interface, neighbours);
    }
  }
  return neighbours;
}

Result<Value> lldp_json_to_value(std::string_view text) {
  List list;
  for (const Neighbour& neighbour : FABRIC_TRY(parse_lldp_json(text))) {
    Map entry;
    const auto put = [&](const char* key, const std::string& value) {
      if (!value.empty()) entry.emplace(key, value);
    };
    put("interface", neighbour.local_interface);
    put("protocol", neighbour.protocol);
    put("chassis_name", neighbour.chassis_name);
    put("chassis_id_type", neighbour.chassis_id_type);
    put("chassis_id", neighbour.chassis_id);
    put("port_id_type", neighbour.port_id_type);
    put("port_id", neighbour.port_id);
    put("port_description", neighbour.port_description);
    list.emplace_back(std::move(entry));
  }
  return Value{std::move(list)};
}

}  // namespace fabric::platform
