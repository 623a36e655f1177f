#include "engine/verify/cables/wire_names.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::verify {

std::string host_of_description(std::string_view description) {
  const std::vector<std::string_view> words = split_words(description);
  if (words.empty()) return {};
  // Not of an address: "10.1.2.3" has no host part before its first dot.
  const std::string_view name = words.front();
  const bool is_address = name.find_first_not_of("0123456789.") == std::string_view::npos;
  return to_lower(is_address ? name : name.substr(0, name.find('.')));
}

std::string switch_of_description(std::string_view description) {
  const std::string_view text = trim(description);
  const std::size_t begin = text.find(';');
  const std::size_t end = text.find(':', begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return to_lower(text);
  return to_lower(text.substr(begin + 1, end - begin - 1));
}

std::optional<std::int64_t> switch_port_number(std::string_view port) {
  const std::vector<std::string_view> parts = split(port, '/');
  if (parts.size() > 2) return std::nullopt;
  const std::optional<std::int64_t> number = parse_integer(parts.back());
  constexpr std::int64_t kLargest = 254;
  if (!number || *number < 1 || *number > kLargest) return std::nullopt;
  return number;
}

WireNames::WireNames(const FabricSpec& spec, const WireEvidence& evidence, const WirePorts& ports)
    : evidence_{evidence}, ports_{ports} {
  const std::vector<WireNode>& nodes = ports.nodes();
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    const WireNode& node = nodes[index];
    if (node.type == IbNodeType::switch_node) {
      switches_[switch_of_description(node.name)].push_back(index);
    } else {
      hosts_[host_of_description(node.name)].push_back(index);
    }
  }
  for (const auto& [name, node] : spec.nodes) {
    if (is_switch(node.platform.value)) {
      find_switch(node);
      continue;
    }
    for (const AdapterSpec& adapter : *node.adapters)
      find_adapter(node, adapter);
  }
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    for (const PortRef& port : network.member_ports()) {
      const Place found = port.adapter.empty() ? place(port) : Place{};
      if (found.at) declared_.emplace(*found.at, port);
    }
  }
}

void WireNames::find_switch(const NodeSpec& node) {
  std::optional<std::size_t>& index = switch_nodes_[node.name];
  std::string& why = why_no_switch_[node.name];
  if (!node.node_guid.value.empty()) {
    const Result<Guid> guid = Guid::parse(node.node_guid.value);
    if (guid) index = ports_.node_of(*guid);
    if (!index)
      why =
          fmt::format("{} ({}) was not seen in the subnet", node.name.str(), node.node_guid.value);
  } else {
    const auto named = switches_.find(to_lower(node.name.str()));
    if (named == switches_.end()) {
      why = fmt::format("no switch of the subnet calls itself {}", node.name.str());
    } else if (named->second.size() > 1) {
      why = fmt::format(
          "{} switches of the subnet call themselves {}", named->second.size(), node.name.str());
    } else {
      index = named->second.front();
    }
  }
  if (index) owners_.emplace(*index, &node);
}

void WireNames::find_adapter(const NodeSpec& node, const AdapterSpec& adapter) {
  for (std::uint32_t number = 1; number <= adapter.ports.value; ++number) {
    const PortRef port{node.name, adapter.name, std::to_string(number)};
    put(port, adapter_port(node, adapter, port, number));
  }
}

WireNames::Place WireNames::adapter_port(
    const NodeSpec& node,
    const AdapterSpec& adapter,
    const PortRef& port,
    std::int64_t number) const {
  const auto known = evidence_.port_guids.find(port);
  if (known != evidence_.port_guids.end()) {
    const Guid guid = known->second;
    if (const auto place = ports_.place_of(guid)) return {place, guid, {}};
    return {{}, guid, fmt::format("{} ({}) was not seen in the subnet", port.str(), guid.str())};
  }
  if (const Result<Guid> guid = Guid::parse(adapter.selector.node_guid.value)) {
    const auto index = ports_.node_of(*guid);
    // Port 2 of a ConnectX-4 or later is port 1 of another function, with a node GUID of its own.
    const bool has_port =
        index && static_cast<std::size_t>(number) < ports_.nodes()[*index].ports.size();
    if (has_port) return {WirePlace{*index, number}, {}, {}};
    return {{}, {}, fmt::format("{} was not seen in the subnet", port.str())};
  }
  const auto named = hosts_.find(host_of_description(node.name.str()));
  if (named == hosts_.end())
    return {{}, {}, fmt::format("no adapter of the subnet calls itself {}", node.name.str())};
  const std::size_t index = named->second.front();
  const bool has_port = static_cast<std::size_t>(number) < ports_.nodes()[index].ports.size();
  if (named->second.size() > 1 || node.adapters->size() > 1 || !has_port) {
    return {
        {},
        {},
        fmt::format(
            "{} of the subnet's adapters call themselves {}, and without the node's facts nobody "
            "knows which has {}",
            named->second.size(),
            node.name.str(),
            port.str())};
  }
  return {WirePlace{index, number}, {}, {}};
}

void WireNames::put(const PortRef& port, Place place) {
  if (place.at) declared_.emplace(*place.at, port);
  places_.emplace(port, std::move(place));
}

WireNames::Place WireNames::place(const PortRef& port) const {
  if (!port.adapter.empty()) {
    const auto found = places_.find(port);
    return found == places_.end() ? Place{{}, {}, port.str() + " is unknown"} : found->second;
  }
  const auto found = switch_nodes_.find(port.node);
  if (found == switch_nodes_.end()) return {{}, {}, port.node.str() + " is unknown"};
  if (!found->second) return {{}, {}, why_no_switch_.at(port.node)};
  const std::optional<std::int64_t> number = switch_port_number(port.port);
  if (!number)
    return {{}, {}, fmt::format("which port of the subnet {} is, is not known", port.str())};
  return {WirePlace{*found->second, *number}, {}, {}};
}

std::optional<PortRef> WireNames::port_at(const WirePlace& place) const {
  const auto host = declared_.find(place);
  if (host != declared_.end()) return host->second;
  const auto owner = owners_.find(place.node);
  if (owner == owners_.end()) return std::nullopt;
  return PortRef{owner->second->name, "", std::to_string(place.port)};
}

std::string WireNames::text(const WirePlace& place) const {
  if (const std::optional<PortRef> port = port_at(place)) return port->str();
  const WireNode& node = ports_.nodes()[place.node];
  return fmt::format(
      "an unknown device, '{}' ({}) port {}", node.name, node.guid.str(), place.port);
}

}  // namespace fabric::verify
