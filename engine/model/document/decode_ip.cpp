// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/model/cable_ports.hpp"
#include "engine/model/document/allocate.hpp"
#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/read.hpp"

namespace fabric {

namespace {

// A subnet with two addresses and no others (RFC 3021).
constexpr std::uint32_t kPairPrefix = 31;

std::optional<IpAddress> read_address(
    const Sourced<std::string>& text, Family family, Findings& findings) {
  const Result<IpAddress> address = IpAddress::parse(text.value);
  if (!address) {
    findings.error("wrong-type", text.range, address.error().message);
    return std::nullopt;
  }
  if (address->family() != family) {
    findings.error(
        "wrong-type",
        text.range,
        fmt::format(
            "{} is not an {} address", text.value, family == Family::ipv4 ? "IPv4" : "IPv6"));
    return std::nullopt;
  }
  return *address;
}

std::optional<Sourced<Subnet>> read_subnet(
    const Sourced<std::string>& text, Family family, Findings& findings) {
  const Result<Subnet> subnet = Subnet::parse(text.value);
  if (!subnet) {
    findings.error("wrong-type", text.range, subnet.error().message);
    return std::nullopt;
  }
  if (subnet->network().family() != family) {
    findings.error(
        "wrong-type",
        text.range,
        fmt::format(
            "{} is not an {} subnet", text.value, family == Family::ipv4 ? "IPv4" : "IPv6"));
    return std::nullopt;
  }
  return Sourced<Subnet>{*subnet, text.range};
}

// The addresses of one key for its member `index`; what can't be read has been reported.
std::vector<Sourced<IpAddress>> read_written(
    const yaml::Node& value,
    const NodeSet& key,
    std::size_t index,
    Family family,
    Findings& findings) {
  std::vector<Sourced<IpAddress>> addresses;
  const auto add = [&](const yaml::Node& item) {
    if (!item.is_scalar()) return;
    const Result<std::string> text = zip_value(item.text, key, index);
    if (!text) {
      findings.error("bad-node-set", item.range, text.error().message);
      return;
    }
    const auto address = read_address({*text, item.range}, family, findings);
    if (address) addresses.push_back({*address, item.range});
  };
  if (value.is_scalar()) add(value);
  for (const yaml::Node& item : value.items)
    add(item);
  return addresses;
}

// The node or port that a key of `addresses` names.
std::optional<WrittenAddresses> read_owner(
    std::string_view name, SourceRange range, const IpContext& context) {
  if (name.find('/') != std::string_view::npos) {
    std::optional<PortRef> port = context.endpoints.port(name, range);
    if (!port) return std::nullopt;
    NodeName node = port->node;
    return WrittenAddresses{std::move(node), std::move(port), {}, range};
  }
  const NodeSpec* node = context.endpoints.node(name, range);
  if (node == nullptr) return std::nullopt;
  return WrittenAddresses{node->name, std::nullopt, {}, range};
}

std::vector<WrittenAddresses> read_addresses(
    const Layers& ip, Family family, const IpContext& context) {
  std::vector<WrittenAddresses> result;
  const Layer addresses = ip.value("addresses");
  if (!addresses) return result;
  for (const NodeKey& key : read_node_keys(*addresses.node, context.findings)) {
    const std::size_t each = 1 + key.entry->value.items.size();
    if (!context.findings.may_expand(key.members.size() * each, key.entry->key_range)) break;
    for (std::size_t i = 0; i < key.members.size(); ++i) {
      auto owner = read_owner(key.members.at(i), key.entry->key_range, context);
      if (!owner) continue;
      owner->addresses = read_written(key.entry->value, key.members, i, family, context.findings);
      result.push_back(std::move(*owner));
    }
  }
  return result;
}

// A next hop, in the spelling that the kernel prints. A malformed address stays as written, for
// rules to report.
Sourced<std::string> read_hop(const Layers& layers, std::string_view key) {
  Sourced<std::string> text = read_text(layers, key);
  if (const Result<IpAddress> address = IpAddress::parse(text.value)) text.value = address->str();
  return text;
}

// The destination of a route, in the kernel's spelling but for the length of a host's prefix, which
// it leaves out.
Sourced<std::string> read_destination(const Layers& route, Family family, Findings& findings) {
  Sourced<std::string> text = read_text(route, "to");
  if (text.value.empty()) return text;
  const auto everything = [&findings, &text] {
    findings
        .error("out-of-range", text.range, fmt::format("`to: {}` is the default route", text.value))
        .with_help("give its next hop as `gateway`, beside `routes`");
  };
  if (text.value == "default") {
    everything();
  } else if (const auto subnet = read_subnet(text, family, findings)) {
    if (subnet->value.prefix_length() == 0) everything();
    text.value = subnet->value.str();
  }
  return text;
}

std::vector<RouteSpec> read_routes(const Layers& ip, Family family, Findings& findings) {
  std::vector<RouteSpec> routes;
  const Layer list = ip.value("routes");
  if (!list) return routes;
  for (const yaml::Node& item : list.node->items) {
    const Layers route{item};
    RouteSpec spec{read_destination(route, family, findings), read_hop(route, "via")};
    if (spec.to.value.empty() || spec.via.value.empty()) continue;
    routes.push_back(std::move(spec));
  }
  return routes;
}

}  // namespace

namespace {

void allocate_loopback(LoopbackSpec& loopback, const NodeSpec& node, const IpContext& context) {
  const Sourced<Subnet>& subnet = *loopback.subnet;
  if (!node.host_number) {
    context.findings
        .error(
            "missing-key",
            node.range,
            fmt::format(
                "{} needs a 'host' number for its loopback in '{}'",
                node.name.str(),
                context.network))
        .with_key("host")
        .with_note(subnet.range, "the subnet is given here")
        .with_help("give 'host' (from 1); the name ends in no digits to take it from");
    return;
  }
  const auto address = subnet.value.at(node.host_number->value);
  if (address) {
    loopback.addresses.emplace(node.name, Sourced<IpAddress>{*address, subnet.range});
    return;
  }
  context.findings
      .error(
          "subnet-too-small",
          subnet.range,
          fmt::format(
              "subnet {} of the loopbacks of '{}' has no address number {}, which {} would have",
              subnet.value.str(),
              context.network,
              node.host_number->value,
              node.name.str()))
      .with_note(node.range, "the node")
      .with_help("widen the subnet, or give the node a lower `host` number");
}

}  // namespace

std::optional<LoopbackSpec> decode_loopback(const Layers& network, const IpContext& context) {
  const Layers section = network.section("loopback");
  if (section.empty()) return std::nullopt;
  LoopbackSpec loopback;
  loopback.range = section.all().back().node->range;
  const Sourced<std::string> subnet = read_text(section, "subnet");
  if (!subnet.value.empty()) loopback.subnet = read_subnet(subnet, Family::ipv4, context.findings);
  if (!loopback.subnet) return loopback;
  const NodeName* before = nullptr;  // the ports come in order
  for (const PortRef& port : context.ports) {
    if (before != nullptr && *before == port.node) continue;
    before = &port.node;
    const auto node = context.spec.nodes.find(port.node);
    if (node != context.spec.nodes.end()) allocate_loopback(loopback, node->second, context);
  }
  return loopback;
}

IpSpec decode_ip(
    const Layers& parent, std::string_view key, Family family, const IpContext& context) {
  const Layers ip = parent.section(key);
  IpSpec spec;
  if (ip.empty()) return spec;
  spec.range = ip.all().back().node->range;
  const Sourced<std::string> subnet = read_text(ip, "subnet");
  if (!subnet.value.empty()) spec.subnet = read_subnet(subnet, family, context.findings);
  const Sourced<std::string> per = read_text(ip, "per");
  spec.per_port = context.always_per_port || per.value == "port";
  if (context.always_per_port && per.value == "node") {
    context.findings
        .error(
            "out-of-range",
            per.range,
            fmt::format("'per: node' has no meaning in chain '{}'", context.network))
        .with_help("remove it: each port of a chain has an address");
  }
  if (const Layer prefix = ip.value("prefix"); prefix && per.value != "cable") {
    context.findings
        .error(
            "key-without-effect",
            prefix.node->range,
            fmt::format("'prefix' of '{}' has no effect without 'per: cable'", context.network))
        .with_help("remove it: the subnet has its prefix length");
  }
  if (per.value == "cable") {
    if (context.cables == nullptr || family != Family::ipv4) {
      context.findings
          .error(
              "out-of-range",
              per.range,
              fmt::format(
                  "'per: cable' has no meaning for these addresses of '{}'", context.network))
          .with_help("it is for `ipv4` of a network of mode ethernet");
    } else {
      spec.cable_prefix = read_number(ip, "prefix", kPairPrefix).value;
    }
  }
  spec.gateway = read_hop(ip, "gateway");
  spec.routes = read_routes(ip, family, context.findings);
  std::vector<PortRef> ports = context.ports;
  if (spec.cable_prefix != 0) {
    std::set<PortRef> all = cable_ports(context.spec, *context.cables);
    all.insert(ports.begin(), ports.end());
    ports.assign(all.begin(), all.end());
  }
  const AllocationRequest request{
      context.spec,
      context.network,
      std::move(ports),
      read_addresses(ip, family, context),
      spec.cable_prefix != 0 ? context.cables : nullptr};
  const bool is_unread =
      context.is_unread || (!spec.subnet && !subnet.value.empty()) ||
      (!per.value.empty() && per.value != "node" && per.value != "port" && per.value != "cable");
  if (!is_unread) allocate_addresses(request, spec, context.findings);
  return spec;
}

}  // namespace fabric
