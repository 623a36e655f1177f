// SPDX-License-Identifier: Apache-2.0
#include "engine/description/subnet.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/description/names.hpp"
#include "engine/model/hardware.hpp"
#include "engine/subnet/node_description.hpp"

namespace fabric::description {

namespace {

// The greatest number of ports of a card in the document's schema.
constexpr std::uint32_t kPortsOfCard = 2;

// "" if the device is unknown, or not in the hardware table.
std::string model_of(const IbNode& node) {
  if (!node.device_id) return {};
  // A card that can be both is here as InfiniBand, so VPI or InfiniBand alone.
  for (const HardwareModel* model :
       hardware_by_device(static_cast<std::uint32_t>(*node.device_id))) {
    if (model->infiniband) return model->slug;
  }
  return {};
}

// "200" of 4xHDR, as a document has it. "" where it is unknown, or less than both ends can do:
// that is never wanted.
std::string rate_of(const IbPort& port) {
  if (!port.lanes || !port.speed || !port.could_be.empty()) return {};
  const double of_lane = lane_gbps(*port.speed);
  // The usual names of lane rates are signalling rates without the overhead of coding.
  constexpr std::array kNamed{2.5, 5.0, 10.0, 14.0, 25.0, 50.0, 100.0, 200.0};
  const auto next = std::find_if(
      kNamed.rbegin(), kNamed.rend(), [of_lane](double each) { return each <= of_lane; });
  const double rate = *next * static_cast<double>(*port.lanes);
  const auto whole = static_cast<std::int64_t>(rate);
  return static_cast<double>(whole) == rate ? std::to_string(whole) : "";
}

// False: no model with this device id runs its ports so fast, so that the link and the id
// contradict each other.
bool may_run_at(const IbNode& node, const std::string& rate) {
  const auto gigabits = parse_unsigned(rate, 10);
  if (!gigabits || !node.device_id) return true;
  const auto models = hardware_by_device(static_cast<std::uint32_t>(*node.device_id));
  std::uint32_t most = 0;
  for (const HardwareModel* model : models)
    most = std::max(most, model->infiniband_gbps);
  return most == 0 || most >= *gigabits;
}

class Reader {
 public:
  explicit Reader(const ObservedTopology& topology) : topology_{topology} {
    network_.mode = "infiniband";
    network_.external_manager = true;
  }

  Result<Description> read() {
    count_names();
    for (const IbNode& node : topology_.nodes)
      add_node(node);
    for (std::size_t i = 0; i < topology_.nodes.size(); ++i)
      add_cables(i);
    if (network_.cables.empty())
      return Error{
          ErrorCode::invalid, "line 1: there is no cable between nodes of a document in it"};
    say_what_is_uncertain();
    found_.networks.emplace(network_.mode, std::move(network_));
    return std::move(found_);
  }

 private:
  // How a node of the subnet is named in the document.
  struct Place {
    std::string node, adapter;
    std::string module;  // "L1/U1/" of a director's chip
  };

  static std::string key_of(const IbNode& node) {
    if (node.type == IbNodeType::switch_node) {
      const SwitchDescription told = describe_switch(node.name);
      return fmt::format("{}/{}{}/{}", told.name, told.module_kind, told.module, told.asic);
    }
    const AdapterDescription told = describe_adapter(node.name);
    return told.host + "/" + told.device;
  }

  void count_names() {
    for (const IbNode& node : topology_.nodes) {
      ++uses_[key_of(node)];
      if (node.type != IbNodeType::channel_adapter) continue;
      const std::string host = describe_adapter(node.name).host;
      ++adapters_of_[host];
    }
  }

  static std::string guid_name(const char* kind, const IbNode& node, std::size_t number) {
    return node.guid ? fmt::format("{}-{}", kind, node.guid->str().substr(2))
                     : fmt::format("{}-{}", kind, number);
  }

  // A name that no other node has; "" if its description has none.
  void add_node(const IbNode& node) {
    const std::size_t number = places_.size();
    places_.emplace_back();
    if (node.guid) by_guid_.emplace(*node.guid, number);
    for (const IbPort& port : node.ports) {
      if (port.guid) by_port_guid_.emplace(*port.guid, number);
      if (port.lid) by_lid_.emplace(*port.lid, number);
    }
    if (node.lid) by_lid_.emplace(*node.lid, number);
    if (is_aggregation_node(node.name)) {
      ++aggregation_nodes_;
      return;
    }
    if (node.type == IbNodeType::switch_node) add_switch(node, number);
    if (node.type == IbNodeType::channel_adapter || node.type == IbNodeType::unknown)
      add_adapter(node, number);
    if (node.type == IbNodeType::router) ++routers_;
  }

  void add_switch(const IbNode& node, std::size_t number) {
    const SwitchDescription told = describe_switch(node.name);
    const bool is_own = uses_[key_of(node)] == 1 && !told.name.empty() &&
                        told.name.find("mellanox technologies") == std::string::npos;
    Place& place = places_[number];
    const std::string called = as_written(node.name, told.name);
    place.node = unique(
        is_own ? safe_name(called) : guid_name("switch", node, number + 1),
        "S" +
            (told.module == 0 ? key_of(node) + (is_own ? "" : std::to_string(number)) : told.name));
    Node& found = found_.nodes[place.node];
    found.is_switch = true;
    found.named = is_own;
    // A director has as many as it has chips.
    if (told.module == 0 && node.guid) found.node_guid = node.guid->str();
    found.model = is_own ? as_written(node.name, told.model) : found.model;
    if ((!is_own || place.node != called) && !node.name.empty())
      found.notes.push_back(fmt::format("the subnet calls it '{}'", node.name));
    if (told.module != 0)
      place.module = fmt::format(
          "{}{}/U{}/",
          static_cast<char>(told.module_kind - 'a' + 'A'),
          told.module,
          std::max<std::int64_t>(told.asic, 1));
  }

  void add_adapter(const IbNode& node, std::size_t number) {
    const AdapterDescription told = describe_adapter(node.name);
    const bool is_own = !told.host.empty() && uses_[key_of(node)] == 1 &&
                        (adapters_of_[told.host] == 1 || !told.device.empty());
    Place& place = places_[number];
    const std::string host = host_label(told.host);
    place.node = unique(
        is_own ? safe_name(as_written(node.name, host)) : guid_name("host", node, number + 1),
        "H" + (is_own ? host : std::to_string(number)));
    place.adapter = is_own && !told.device.empty() ? safe_name(told.device) : "hca";
    Node& found = found_.nodes[place.node];
    Adapter& adapter = found.adapters[place.adapter];
    const std::string model = model_of(node);
    adapter.assumed = model.empty();
    adapter.model = model.empty() ? kAssumedModel : model;
    adapter.ports = std::clamp<std::uint32_t>(
        static_cast<std::uint32_t>(node.port_count.value_or(1)), 1, kPortsOfCard);
    learn(node, told, adapter);
    found.named = is_own;
    if (is_own) return;
    if (node.guid) adapter.node_guid = node.guid->str();
    found.notes.push_back(
        node.name.empty() ? "the subnet has no name for this node"
                          : fmt::format("the subnet calls it '{}'", node.name));
  }

  static void learn(const IbNode& node, const AdapterDescription& told, Adapter& adapter) {
    for (const IbPort& each : node.ports) {
      PortEvidence& port = adapter.evidence[static_cast<std::uint32_t>(each.number)];
      if (node.guid) port.node_guid = node.guid->str();
      if (each.guid) port.port_guid = each.guid->str();
      if (!told.device.empty()) port.devices.insert(told.device);
    }
  }

  // `owner` is the node of the name: the same for all chips of a director, all adapters of a host.
  std::string unique(const std::string& name, const std::string& owner) {
    const auto known = name_of_owner_.find(owner);
    if (known != name_of_owner_.end()) return known->second;
    std::string free = name;
    for (std::size_t next = 2; !taken_.insert(to_lower(free)).second; ++next)
      free = fmt::format("{}-{}", name, next);
    name_of_owner_.emplace(owner, free);
    return free;
  }

  std::optional<std::size_t> find_peer(const IbPeer& peer) const {
    const auto look = [](const auto& table, const auto& key) -> std::optional<std::size_t> {
      if (!key) return std::nullopt;
      const auto found = table.find(*key);
      if (found == table.end()) return std::nullopt;
      return found->second;
    };
    if (const auto found = look(by_guid_, peer.node_guid)) return found;
    if (const auto found = look(by_port_guid_, peer.port_guid)) return found;
    return look(by_lid_, peer.lid);
  }

  End end_of(std::size_t node, std::int64_t port) const {
    const Place& place = places_[node];
    return {place.node, place.adapter, place.module + std::to_string(port)};
  }

  void add_cables(std::size_t index) {
    for (const IbPort& port : topology_.nodes[index].ports) {
      if (!port.peer) continue;
      const std::optional<std::size_t> peer = find_peer(*port.peer);
      if (!peer) {
        ++without_peer_;
        continue;
      }
      if (places_[index].node.empty() || places_[*peer].node.empty()) continue;
      const bool inside =
          places_[index].node == places_[*peer].node && !places_[index].module.empty();
      if (inside) {
        ++inside_;
        continue;
      }
      const End a = end_of(index, port.number);
      const End b = end_of(*peer, port.peer->port);
      if (a == b) {
        network_.notes.push_back(fmt::format(
            "line {}: {} port {} is looped to itself: left out", port.line, a.node, a.port));
        continue;
      }
      if (!has_port(index, port.number) || !has_port(*peer, port.peer->port)) {
        network_.notes.push_back(fmt::format(
            "line {}: {} port {} to {} port {} is left out: the cards of a document have at most "
            "{} ports",
            port.line,
            a.node,
            a.port,
            b.node,
            b.port,
            kPortsOfCard));
        continue;
      }
      const auto told_a = cabled_.find(a);
      const auto told_b = cabled_.find(b);
      const bool again = told_a != cabled_.end() && told_b != cabled_.end() &&
                         told_a->second == b && told_b->second == a;
      if (again) continue;
      if (told_a != cabled_.end() || told_b != cabled_.end()) {
        network_.notes.push_back(fmt::format(
            "line {}: {} port {} to {} port {} is left out: another line has another cable there",
            port.line,
            a.node,
            a.port,
            b.node,
            b.port));
        continue;
      }
      use_port(a);
      use_port(b);
      cabled_.emplace(a, b);
      cabled_.emplace(b, a);
      std::string rate = rate_of(port);
      if (!may_run_at(topology_.nodes[index], rate) || !may_run_at(topology_.nodes[*peer], rate))
        rate.clear();
      network_.cables.push_back({a, b, {}, {}, {}, std::move(rate)});
    }
  }

  bool has_port(std::size_t node, std::int64_t port) const {
    return found_.nodes.at(places_[node].node).is_switch || (port >= 1 && port <= kPortsOfCard);
  }

  // iblinkinfo does not tell how many ports a card has.
  void use_port(const End& end) {
    Node& node = found_.nodes[end.node];
    if (node.is_switch) return;
    Adapter& adapter = node.adapters[end.adapter];
    if (end.port == "2") adapter.ports = 2;
  }

  void say_what_is_uncertain() {
    found_.of_subnet = true;
    if (routers_ != 0)
      found_.notes.push_back(fmt::format("Left out: {}.", counted(routers_, "router")));
    if (inside_ != 0)
      found_.notes.push_back(
          fmt::format("Left out: {} inside of directors.", counted(inside_ / 2, "link")));
    if (without_peer_ != 0)
      found_.notes.push_back(fmt::format(
          "Left out: {} whose other end the text does not describe.",
          counted(without_peer_, "port")));
    for (const ToolNote& note : topology_.notes) {
      constexpr std::size_t kNotes = 8;
      if (found_.notes.size() > kNotes) break;
      found_.notes.push_back(
          fmt::format("line {} is no part of the dump: {}", note.line, note.text));
    }
  }

  const ObservedTopology& topology_;
  Description found_;
  Network network_;
  std::vector<Place> places_;  // by index of the node
  std::map<std::string, std::size_t> uses_, adapters_of_;
  std::map<Guid, std::size_t> by_guid_, by_port_guid_;
  std::map<std::int64_t, std::size_t> by_lid_;
  std::map<std::string, std::string> name_of_owner_;
  std::set<std::string> taken_;
  std::map<End, End> cabled_;
  std::size_t aggregation_nodes_ = 0, routers_ = 0, inside_ = 0, without_peer_ = 0;
};

// iblinkinfo --switches-only describes no host: the name at the far end of a switch's cable is a
// host, with the port in that line.
ObservedTopology with_named_hosts(ObservedTopology topology) {
  std::set<std::int64_t> lids;
  std::set<Guid> guids;
  for (const IbNode& node : topology.nodes) {
    if (node.guid) guids.insert(*node.guid);
    if (node.lid) lids.insert(*node.lid);
    for (const IbPort& port : node.ports) {
      if (port.guid) guids.insert(*port.guid);
      if (port.lid) lids.insert(*port.lid);
    }
  }
  std::map<std::string, IbNode> hosts;  // by what they call themselves
  for (IbNode& node : topology.nodes) {
    for (IbPort& port : node.ports) {
      if (!port.peer || port.peer->name.empty()) continue;
      const IbPeer& peer = *port.peer;
      const bool known = (peer.lid && lids.contains(*peer.lid)) ||
                         (peer.port_guid && guids.contains(*peer.port_guid)) ||
                         (peer.node_guid && guids.contains(*peer.node_guid));
      const bool is_host = peer.type != IbNodeType::switch_node && (peer.lid || peer.port_guid) &&
                           !describe_adapter(peer.name).host.empty() &&
                           !is_aggregation_node(peer.name);
      if (known || !is_host) continue;
      IbNode& host = hosts[peer.name];
      host.type = IbNodeType::channel_adapter;
      host.name = peer.name;
      host.line = port.line;
      IbPort& end = host.ports.emplace_back();
      end.number = peer.port;
      end.guid = peer.port_guid;
      end.lid = peer.lid;
      end.line = port.line;
    }
  }
  for (auto& [name, host] : hosts)
    topology.nodes.push_back(std::move(host));
  return topology;
}

}  // namespace

Result<Description> describe(const ObservedTopology& topology) {
  if (topology.nodes.size() > limits::kNodes)
    return Error{ErrorCode::invalid, fmt::format("line 1: more than {} nodes", limits::kNodes)};
  const ObservedTopology whole = with_named_hosts(topology);
  return Reader{whole}.read();
}

}  // namespace fabric::description
