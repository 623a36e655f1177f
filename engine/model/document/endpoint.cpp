// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/endpoint.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/document/decode_parts.hpp"
#include "engine/model/node_set.hpp"
#include "engine/model/switch_port.hpp"

namespace fabric {

namespace {

constexpr std::string_view kUnknownPort = "port-unknown";

// "07" and "7" are one port.
std::optional<std::string> port_number(std::string_view text) {
  constexpr std::uint64_t kMostPorts = 100'000;
  const auto number = parse_unsigned(text, 10);
  if (!number || *number == 0 || *number > kMostPorts) return std::nullopt;
  return std::to_string(*number);
}

std::vector<std::string> adapter_names(const NodeSpec& node) {
  std::vector<std::string> names;
  for (const AdapterSpec& adapter : *node.adapters)
    names.push_back(adapter.name);
  return names;
}

}  // namespace

bool EndpointReader::has_port(const AdapterSpec& adapter, std::string_view port) {
  const auto number = parse_unsigned(port, 10);
  return number && *number > 0 && (adapter.ports.value == 0 || *number <= adapter.ports.value);
}

const NodeSpec* EndpointReader::node(std::string_view name, SourceRange range) const {
  const NodeSpec* found = spec_.find_node(name);
  if (found == nullptr) {
    findings_.error("node-unknown", range, fmt::format("there is no node '{}'", name))
        .with_help(findings_.did_you_mean(name, node_names(spec_)))
        .about(std::string{name});
  }
  return found;
}

std::optional<PortRef> EndpointReader::switch_port(
    const NodeSpec& node, std::string_view port, SourceRange range) const {
  const std::optional<SwitchPort> read = SwitchPort::parse(port);
  const PlatformTraits& platform = traits(node.platform.value);
  std::string why = how_called(platform);
  if (!platform.is_managed)
    why = fmt::format(
        "the ports of a switch are written {0}/7, {0}/1/7 or {0}/1/7/2, {0}/sw4p1, {0}/swp4s0, "
        "and of a director {0}/L16/U2/20",
        node.name.str());
  if (to_lower(port).starts_with("ethernet"))
    why = fmt::format(
        "SONiC counts lanes in '{}': write the port's alias, {}/etp2 for example (`show interfaces "
        "alias` on the switch)",
        port,
        node.name.str());
  if (read) {
    const SwitchPort called = as_called(*read, platform.port_names, node.model.value);
    why = why_no_port(called, port, platform, node.model.value);
    if (why.empty()) return PortRef{node.name, "", called.str()};
  }
  findings_
      .error(kUnknownPort, range, fmt::format("'{}' is not a port of {}", port, node.name.str()))
      .with_help(std::move(why))
      .with_note(is_known(node.model.range) ? node.model.range : node.range, "the switch")
      .because_of(findings_.cause_of(node.name.str()))
      .about(node.name);
  return std::nullopt;
}

const AdapterSpec* EndpointReader::adapter(
    const NodeSpec& node, std::string_view path, std::string_view& port, SourceRange range) const {
  const std::size_t slash = path.find('/');
  if (slash != std::string_view::npos) {
    port = path.substr(slash + 1);
    const std::string_view name = path.substr(0, slash);
    const AdapterSpec* found = node.find_adapter(name);
    if (found == nullptr) {
      const std::vector<std::string> names = adapter_names(node);
      std::string help = findings_.did_you_mean(name, names);
      if (help.empty() && !names.empty()) help = "its adapters are " + join(names, ", ");
      findings_
          .error(kUnknownPort, range, fmt::format("{} has no adapter '{}'", node.name.str(), name))
          .about(node.name)
          .with_help(std::move(help))
          .with_note(node.range, "the node is declared here")
          .because_of(findings_.cause_of(node.name.str()));
    }
    return found;
  }
  port = path;
  if (node.adapters->size() == 1) return &node.adapters->front();
  if (node.adapters->empty()) {
    findings_.error(kUnknownPort, range, fmt::format("{} has no adapters", node.name.str()))
        .about(node.name)
        .with_note(node.range, "the node is declared here")
        .because_of(findings_.cause_of(node.name.str()));
    return nullptr;
  }
  findings_
      .error(
          kUnknownPort,
          range,
          fmt::format(
              "{} has {} adapters: {}",
              node.name.str(),
              node.adapters->size(),
              join(adapter_names(node), ", ")))
      .about(node.name)
      .with_help(fmt::format(
          "name one of them, and its port by number: {}/{}/{}",
          node.name.str(),
          node.adapters->front().name,
          port_number(path).value_or("1")));
  return nullptr;
}

std::optional<PortRef> EndpointReader::port(std::string_view text, SourceRange range) const {
  const std::size_t slash = text.find('/');
  const NodeSpec* found = node(text.substr(0, slash), range);
  if (found == nullptr) return std::nullopt;
  if (slash == std::string_view::npos) {
    findings_
        .error(kUnknownPort, range, fmt::format("'{}' names a node, not one of its ports", text))
        .about(found->name)
        .with_help(fmt::format("write {}/1", text));
    return std::nullopt;
  }
  const std::string_view path = text.substr(slash + 1);
  if (is_switch(found->platform.value)) return switch_port(*found, path, range);
  std::string_view written;
  const AdapterSpec* card = adapter(*found, path, written, range);
  if (card == nullptr) return std::nullopt;
  const std::optional<std::string> number = port_number(written);
  if (number && has_port(*card, *number)) return PortRef{found->name, card->name, *number};
  const std::string known = card->ports.value == 1
                                ? "has only port 1"
                                : fmt::format("has ports 1 to {}", card->ports.value);
  findings_
      .error(
          kUnknownPort,
          range,
          fmt::format("{}/{} has no port '{}'", found->name.str(), card->name, written))
      .about({found->name, card->name})
      .with_help(card->ports.value == 0 ? "ports are numbered from 1" : "the adapter " + known)
      .with_note(card->range, "the adapter is declared here");
  return std::nullopt;
}

std::vector<Sourced<PortRef>> EndpointReader::ports(
    std::string_view text, SourceRange range) const {
  std::vector<Sourced<PortRef>> result;
  const Result<NodeSet> set = NodeSet::parse(text);
  if (!set) {
    findings_.error("bad-node-set", range, set.error().message);
    return result;
  }
  if (!findings_.may_expand(set->size(), range)) return result;
  for (std::size_t i = 0; i < set->size(); ++i) {
    std::optional<PortRef> found = port(set->at(i), range);
    if (found) result.push_back({std::move(*found), range});
  }
  return result;
}

}  // namespace fabric
