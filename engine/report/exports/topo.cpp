// SPDX-License-Identifier: Apache-2.0
// ibdm's .topo: a system and its type, below it its ports and what each is cabled to. Which ports a
// type has is told by files of ibdm; a port is written "P7" where the document has a plain number.
#include <map>

#include <fmt/format.h>

#include "engine/report/exports/cabling.hpp"
#include "engine/report/exports/exports.hpp"
#include "engine/verify/cables/speed_text.hpp"

namespace fabric::report {

namespace {

// A type is one word; other text could be read as several.
std::string type_of(const FabricSpec& spec, const PortRef& port) {
  if (!port.adapter.empty()) return "HCA";
  const NodeSpec* node = spec.find_node(port.node.str());
  std::string type;
  for (const char c : node == nullptr ? std::string{} : node->model.value) {
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                         (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '.';
    if (is_word) type += c;
  }
  return type.empty() ? "SWITCH" : type;
}

std::string port_text(const FabricSpec& spec, const PortRef& port) {
  if (!port.adapter.empty()) return host_port_text(spec, port, true);
  const bool is_number = port.port.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "P" + port.port : port.port;
}

// Four lanes, as cables of InfiniBand have them: "-4x-50G->" for 200 Gb/s.
std::string arrow(const CableSpec& cable) {
  constexpr std::int64_t kFourLanes = 4'000;
  const auto speed = verify::declared_speed_mbps(cable.speed);
  if (!speed || *speed == 0 || *speed % kFourLanes != 0) return "->";
  return fmt::format("-4x-{}G->", *speed / kFourLanes);
}

}  // namespace

Result<std::string> topo_file(const FabricSpec& spec) {
  const auto cables = FABRIC_TRY(exported_cables(spec, Wire::infiniband, "topo"));
  // A cable once, below the switch of the two; systems in order of name.
  std::map<NodeName, std::string> systems;
  std::map<NodeName, std::string> types;
  for (const ExportedCable& each : cables) {
    const bool turned = !each.cable->a.value.adapter.empty();
    const PortRef& here = turned ? each.cable->b.value : each.cable->a.value;
    const PortRef& there = turned ? each.cable->a.value : each.cable->b.value;
    types.emplace(here.node, type_of(spec, here));
    systems[here.node] += fmt::format(
        "  {} {} {} {} {}\n",
        port_text(spec, here),
        arrow(*each.cable),
        type_of(spec, there),
        there.node.str(),
        port_text(spec, there));
  }
  std::string text = "# InfiniBand cables, written by fabric export topo\n";
  for (const auto& [name, lines] : systems)
    text += fmt::format("\n{} {}\n{}", types.at(name), name.str(), lines);
  return text;
}

}  // namespace fabric::report
