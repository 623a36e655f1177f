#include "engine/model/expand.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/expand_support.hpp"

namespace fabric {

namespace {

// Numbers of mlxconfig: parameters are compared by number, for their names differ between releases.
constexpr std::int64_t kLinkTypeEthernet = 2;
constexpr std::int64_t kChainingBasic = 1;

// Two ports in one subnet: without these Linux answers ARP for either address on either port, and
// drops what comes in by the port that the route does not name.
constexpr std::pair<std::string_view, std::string_view> kSharedSubnetSysctls[] = {
    {"net.ipv4.conf.all.arp_ignore", "1"},
    {"net.ipv4.conf.all.arp_announce", "2"},
    {"net.ipv4.conf.all.rp_filter", "2"},
};

bool is_expanded(const NodeSpec& node) {
  return node.platform.value == Platform::linux && node.state.value != NodeState::absent;
}

bool is_expanded(const NetworkSpec& network) {
  return network.mode.value == Mode::ethernet || network.mode.value == Mode::chain;
}

// A member port with the network that it is in.
struct Member {
  const NetworkSpec* network = nullptr;
  SourceRange range;
};
using Members = std::map<PortRef, Member>;

Members collect_members(const FabricSpec& spec) {
  Members members;
  for (const auto& [name, network] : spec.networks) {
    if (!is_expanded(network)) continue;
    for (const CableSpec& cable : network.cables) {
      members.emplace(cable.a.value, Member{&network, cable.a.range});
      members.emplace(cable.b.value, Member{&network, cable.b.range});
    }
    for (const Sourced<PortRef>& port : network.ports)
      members.emplace(port.value, Member{&network, port.range});
  }
  return members;
}

void put_text(Map& binding, const char* key, const std::string& value) {
  if (!value.empty()) binding.emplace(key, value);
}

Map adapter_binding(const NodeSpec& node, const AdapterSpec& adapter) {
  Map binding;
  binding.emplace("adapter", adapter.name);
  binding.emplace("model", adapter.hardware->slug);
  binding.emplace("family", adapter.hardware->family);
  List ids;
  for (const std::uint32_t id : adapter.hardware->device_ids)
    ids.emplace_back(id);
  binding.emplace("device_ids", std::move(ids));
  binding.emplace("ports", adapter.ports.value);
  put_text(binding, "pci", adapter.selector.pci.value);
  put_text(binding, "node_guid", adapter.selector.node_guid.value);
  put_text(binding, "mac", adapter.selector.mac.value);
  put_text(binding, "serial", adapter.selector.serial.value);
  if (node.state.value == NodeState::observe) binding.emplace("observe", true);
  return binding;
}

// The resources of one adapter, in the order in which they depend on each other.
class AdapterExpander {
 public:
  AdapterExpander(
      const NodeSpec& node,
      const AdapterSpec& adapter,
      const Members& members,
      std::vector<Resource>& resources)
      : node_{node},
        adapter_{adapter},
        members_{members},
        resources_{resources},
        binding_{adapter_binding(node, adapter)} {}

  void expand() {
    expand_adapter();
    expand_settings();
    expand_link_names();
    for (std::uint32_t port = 1; port <= adapter_.ports.value; ++port)
      expand_interface(port);
  }

 private:
  ResourceAddress address(std::string_view kind, std::string name) const {
    return {node_.name, std::string{kind}, std::move(name)};
  }
  std::string port_name(std::uint32_t port) const {
    return fmt::format("{}.{}", adapter_.name, port);
  }

  const Member* member(std::uint32_t port) const {
    const auto found = members_.find(PortRef{node_.name, adapter_.name, std::to_string(port)});
    return found == members_.end() ? nullptr : &found->second;
  }

  const NetworkSpec* chain() const {
    for (std::uint32_t port = 1; port <= adapter_.ports.value; ++port) {
      const Member* found = member(port);
      if (found != nullptr && found->network->mode.value == Mode::chain) return found->network;
    }
    return nullptr;
  }

  void expand_adapter() {
    Resource resource{address("adapter", adapter_.name), binding_, {}, {}, adapter_.range};
    const Sourced<std::string>& minimum = adapter_.firmware.minimum;
    if (!minimum.value.empty()) {
      resource.desired.emplace(
          "firmware_minimum",
          DesiredAttribute{minimum.value, minimum.range, "the document accepts no older firmware"});
    }
    resources_.push_back(std::move(resource));
  }

  void expand_link_types(Resource& settings) const {
    if (!adapter_.hardware->vpi()) return;
    const NetworkSpec* chained = chain();
    for (std::uint32_t port = 1; port <= adapter_.ports.value; ++port) {
      const Member* in = member(port);
      const NetworkSpec* network = chained != nullptr ? chained
                                   : in != nullptr    ? in->network
                                                      : nullptr;
      if (network == nullptr) continue;
      const std::string reason =
          chained != nullptr
              ? std::string{"mode chain needs Ethernet on both ports"}
              : fmt::format(
                    "mode ethernet of network {} needs port {} as Ethernet", network->name, port);
      settings.desired.emplace(
          fmt::format("LINK_TYPE_P{}", port),
          DesiredAttribute{kLinkTypeEthernet, network->mode.range, reason});
    }
  }

  void expand_settings() {
    Resource settings{
        address("settings", adapter_.name),
        binding_,
        {},
        {address("adapter", adapter_.name)},
        adapter_.range};
    expand_link_types(settings);
    if (const NetworkSpec* chained = chain()) {
      settings.desired.emplace(
          "HOST_CHAINING_MODE",
          DesiredAttribute{
              kChainingBasic,
              chained->mode.range,
              fmt::format("mode chain of network {} forwards in the card", chained->name)});
    }
    // What a mode decides stands already; a parameter that repeats it changes nothing.
    for (const auto& [name, value] : adapter_.firmware.params) {
      if (!value.value) continue;
      const auto number = parse_integer(*value.value);
      settings.desired.emplace(
          name,
          DesiredAttribute{
              number ? Value{*number} : Value{*value.value},
              value.range,
              "the document sets this firmware parameter"});
    }
    if (settings.desired.empty()) return;
    has_settings_ = true;
    resources_.push_back(std::move(settings));
  }

  Map port_binding(std::uint32_t port) const {
    Map binding = binding_;
    binding.emplace("port", port);
    return binding;
  }

  void expand_link_names() {
    for (const auto& [port, name] : adapter_.names) {
      Resource resource{
          address("link_name", port_name(port)),
          port_binding(port),
          {},
          {address("adapter", adapter_.name)},
          name.range};
      resource.desired.emplace(
          "name", DesiredAttribute{name.value, name.range, "the document names this interface"});
      resources_.push_back(std::move(resource));
    }
  }

  void expand_interface(std::uint32_t port) {
    const Member* in = member(port);
    if (in == nullptr) return;
    const NetworkSpec& network = *in->network;
    Resource resource{
        address("interface", port_name(port)),
        port_binding(port),
        {},
        {address("adapter", adapter_.name)},
        in->range};
    resource.binding.emplace("network", network.name);
    resource.binding.emplace("backend", to_string(node_.network_backend.value));
    const auto name = adapter_.names.find(port);
    if (name != adapter_.names.end()) {
      resource.binding.emplace("name", name->second.value);
      resource.after.push_back(address("link_name", port_name(port)));
    }
    if (has_settings_) resource.after.push_back(address("settings", adapter_.name));
    if (network.mtu.value != 0) {
      resource.desired.emplace(
          "mtu",
          DesiredAttribute{
              network.mtu.value,
              network.mtu.range,
              fmt::format("network {} has MTU {}", network.name, network.mtu.value)});
    }
    add_addresses(resource, network, port);
    if (!resource.desired.empty()) resources_.push_back(std::move(resource));
  }

  void add_addresses(Resource& resource, const NetworkSpec& network, std::uint32_t port) const {
    const IpSpec& ip = network.ipv4;
    const auto found = ip.addresses.find(PortRef{node_.name, adapter_.name, std::to_string(port)});
    if (!ip.subnet || found == ip.addresses.end() || found->second.empty()) return;
    std::vector<IpAddress> sorted;
    for (const Sourced<IpAddress>& each : found->second)
      sorted.push_back(each.value);
    std::sort(sorted.begin(), sorted.end());
    List list;
    for (const IpAddress& each : sorted)
      list.emplace_back(fmt::format("{}/{}", each.str(), ip.subnet->value.prefix_length()));
    resource.desired.emplace(
        "addresses",
        DesiredAttribute{
            std::move(list),
            found->second.front().range,
            fmt::format("network {} has subnet {}", network.name, ip.subnet->value.str())});
  }

  const NodeSpec& node_;
  const AdapterSpec& adapter_;
  const Members& members_;
  std::vector<Resource>& resources_;
  Map binding_;
  bool has_settings_ = false;
};

// One per network of which the node has two ports in one IPv4 subnet.
void expand_sysctls(
    const NodeSpec& node, const Members& members, std::vector<Resource>& resources) {
  std::map<std::string, std::pair<const NetworkSpec*, std::uint32_t>> addressed;
  for (auto port = members.lower_bound(PortRef{node.name, "", ""});
       port != members.end() && port->first.node == node.name;
       ++port) {
    const NetworkSpec* network = port->second.network;
    if (!network->ipv4.subnet || !network->ipv4.addresses.contains(port->first)) continue;
    auto& [first, count] = addressed[network->name];
    first = network;
    ++count;
  }
  for (const auto& [name, entry] : addressed) {
    const auto& [network, count] = entry;
    if (count < 2) continue;
    Resource resource{{node.name, "sysctl", name}, {}, {}, {}, network->ipv4.subnet->range};
    if (node.state.value == NodeState::observe) resource.binding.emplace("observe", true);
    for (const auto& [key, value] : kSharedSubnetSysctls) {
      resource.desired.emplace(
          std::string{key},
          DesiredAttribute{
              value,
              network->ipv4.subnet->range,
              fmt::format(
                  "{} ports of the node are in subnet {}: each must answer for its own address "
                  "only",
                  count,
                  network->ipv4.subnet->value.str())});
    }
    resources.push_back(std::move(resource));
  }
}

}  // namespace

std::vector<Resource> expand(const FabricSpec& spec, Diagnostics& diagnostics) {
  refuse_unsupported(spec, diagnostics);
  const Members members = collect_members(spec);
  std::vector<Resource> resources;
  for (const auto& [name, node] : spec.nodes) {
    if (!is_expanded(node)) continue;
    for (const AdapterSpec& adapter : node.adapters) {
      if (adapter.hardware != nullptr) AdapterExpander{node, adapter, members, resources}.expand();
    }
    expand_sysctls(node, members, resources);
  }
  std::sort(resources.begin(), resources.end(), [](const Resource& a, const Resource& b) {
    return a.address < b.address;
  });
  return resources;
}

}  // namespace fabric
