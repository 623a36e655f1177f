// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/provenance_parts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric {

namespace {

constexpr std::string_view kDefault = "default";

// Values that no line gave.
class Defaults {
 public:
  explicit Defaults(std::string prefix) : prefix_{std::move(prefix)} {}

  void add(std::string_view key, const SourceRange& given, std::string value, std::string origin) {
    if (is_known(given)) return;
    found_.push_back({prefix_ + std::string{key}, std::move(value), std::move(origin), {}});
  }
  void add(std::string_view key, const SourceRange& given, std::string_view value) {
    add(key, given, std::string{value}, std::string{kDefault});
  }
  std::vector<Provenance> take() { return std::move(found_); }

 private:
  std::string prefix_;
  std::vector<Provenance> found_;
};

std::string flag(bool value) {
  return value ? "true" : "false";
}

std::string with_prefix(const IpAddress& address, const IpSpec& ip) {
  if (!ip.subnet) return address.str();
  return fmt::format("{}/{}", address.str(), ip.prefix_length());
}

// An automatic address stands at the line of its subnet.
std::string origin_of(const Sourced<IpAddress>& address, const IpSpec& ip) {
  const bool automatic = ip.subnet && address.range == ip.subnet->range;
  if (!automatic) return "document";
  const char* per = ip.cable_prefix != 0 ? "cable" : ip.per_port ? "port" : "node";
  return fmt::format("allocation (per {})", per);
}

constexpr const char* kOfLoopback = "allocation (host number)";

std::string loopback_text(const IpAddress& address) {
  return address.str() + "/32";
}

void add_addresses(const std::string& path, const IpSpec& ip, std::vector<Provenance>& found) {
  for (const auto& [port, addresses] : ip.addresses) {
    for (const Sourced<IpAddress>& address : addresses) {
      found.push_back(
          {path + ".addresses." + port.str(),
           with_prefix(address.value, ip),
           origin_of(address, ip),
           address.range});
    }
  }
}

struct NamedIp {
  std::string name;  // "ipv4", "vlans.storage.ipv4"
  const IpSpec* ip = nullptr;
};

std::vector<NamedIp> ips_of(const NetworkSpec& network) {
  std::vector<NamedIp> ips{{"ipv4", &network.ipv4}, {"ipv6", &network.ipv6}};
  if (network.ipoib) ips.push_back({"ipoib.ipv4", &network.ipoib->ipv4});
  for (const VlanSpec& vlan : network.vlans) {
    ips.push_back({"vlans." + vlan.name + ".ipv4", &vlan.ipv4});
  }
  return ips;
}

}  // namespace

std::vector<Provenance> node_defaults(const NodeSpec& node) {
  Defaults defaults{"nodes." + node.name.str() + "."};
  defaults.add("address", node.address.range, node.address.value, "default: the node's own name");
  defaults.add("platform", node.platform.range, to_string(node.platform.value));
  if (node.host_number) {
    defaults.add(
        "host",
        node.host_number->range,
        std::to_string(node.host_number->value),
        "default: the trailing digits of the name");
  }
  for (const AdapterSpec& adapter : *node.adapters) {
    if (adapter.hardware == nullptr) continue;
    defaults.add(
        "adapters." + adapter.name + ".ports",
        adapter.ports.range,
        std::to_string(adapter.ports.value),
        "default: of the model " + adapter.hardware->slug);
  }
  defaults.add("software.stack", node.software->stack.range, node.software->stack.value);
  defaults.add(
      "network_backend", node.network_backend.range, to_string(node.network_backend.value));
  defaults.add("adopt", node.adopt.range, flag(node.adopt.value));
  defaults.add("state", node.state.range, to_string(node.state.value));
  return defaults.take();
}

std::vector<Provenance> network_derived(const NetworkSpec& network) {
  const std::string prefix = "networks." + network.name + ".";
  Defaults defaults{prefix};
  if (network.lag) {
    defaults.add("lag.bond", network.lag->bond.range, network.lag->bond.value);
    defaults.add(
        "lag.miimon", network.lag->miimon.range, std::to_string(network.lag->miimon.value));
  }
  if (network.qos) {
    const QosSpec& qos = *network.qos;
    std::vector<std::string> lossless;
    for (const Sourced<std::uint32_t>& each : qos.lossless)
      lossless.push_back(std::to_string(each.value));
    defaults.add("qos.trust", qos.trust.range, qos.trust.value);
    defaults.add(
        "qos.lossless", qos.lossless.front().range, fmt::format("[{}]", join(lossless, ", ")));
    defaults.add("qos.dscp.roce", qos.roce_dscp.range, std::to_string(qos.roce_dscp.value));
    defaults.add("qos.dscp.cnp", qos.cnp_dscp.range, std::to_string(qos.cnp_dscp.value));
    defaults.add("qos.ecn", qos.ecn.range, flag(qos.ecn.value));
  }
  std::vector<Provenance> found = defaults.take();
  for (const NamedIp& each : ips_of(network))
    add_addresses(prefix + each.name, *each.ip, found);
  if (!network.loopback) return found;
  for (const auto& [node, address] : network.loopback->addresses) {
    found.push_back(
        {prefix + "loopback.addresses." + node.str(),
         loopback_text(address.value),
         kOfLoopback,
         address.range});
  }
  return found;
}

std::vector<Provenance> rollout_defaults(const RolloutSpec& rollout) {
  Defaults defaults{"rollout."};
  defaults.add(
      "max_unavailable",
      rollout.max_unavailable.range,
      std::to_string(rollout.max_unavailable.value));
  defaults.add(
      "max_failures", rollout.max_failures.range, std::to_string(rollout.max_failures.value));
  defaults.add(
      "reboot_timeout",
      rollout.reboot_timeout.range,
      format_duration(rollout.reboot_timeout.value));
  defaults.add(
      "confirm_timeout",
      rollout.confirm_timeout.range,
      format_duration(rollout.confirm_timeout.value));
  defaults.add("patience", rollout.patience.range, format_duration(rollout.patience.value));
  defaults.add(
      "paths_lost", rollout.paths_lost.range, std::string{to_string(rollout.paths_lost.value)});
  defaults.add(
      "redundancy", rollout.redundancy.range, std::string{to_string(rollout.redundancy.value)});
  return defaults.take();
}

std::vector<Provenance> explain_port(const FabricSpec& spec, const PortRef& port) {
  std::vector<Provenance> found;
  const auto add =
      [&](std::string_view what, std::string value, std::string origin, SourceRange at) {
        found.push_back(
            {fmt::format("{} {}", port.str(), what), std::move(value), std::move(origin), at});
      };
  for (const auto& [name, network] : spec.networks) {
    const std::vector<PortRef> members = network.member_ports();
    if (!std::binary_search(members.begin(), members.end(), port)) continue;
    add("network", name, fmt::format("mode {}", to_string(network.mode.value)), network.range);
    if (is_known(network.mtu.range)) {
      add("mtu", std::to_string(network.mtu.value), "networks." + name, network.mtu.range);
    }
    for (const CableSpec& cable : network.cables) {
      if (cable.a.value == port) add("cable", cable.b.value.str(), "networks." + name, cable.range);
      if (cable.b.value == port) add("cable", cable.a.value.str(), "networks." + name, cable.range);
    }
    for (const NamedIp& each : ips_of(network)) {
      const auto addresses = each.ip->addresses.find(port);
      if (addresses == each.ip->addresses.end()) continue;
      for (const Sourced<IpAddress>& address : addresses->second) {
        add(each.name,
            with_prefix(address.value, *each.ip),
            origin_of(address, *each.ip),
            address.range);
      }
    }
    if (!network.loopback) continue;
    const auto loopback = network.loopback->addresses.find(port.node);
    if (loopback != network.loopback->addresses.end()) {
      add("loopback", loopback_text(loopback->second.value), kOfLoopback, loopback->second.range);
    }
  }
  return found;
}

}  // namespace fabric
