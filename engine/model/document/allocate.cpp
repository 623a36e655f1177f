// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/allocate.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/model/cable_ports.hpp"

namespace fabric {

namespace {

class Allocation {
 public:
  Allocation(const AllocationRequest& request, IpSpec& ip, Findings& findings)
      : request_{request}, ip_{ip}, findings_{findings} {
    const std::span<const PortRef> all{request.ports};
    for (std::size_t first = 0; first < all.size();) {  // they come in order
      std::size_t count = 1;
      while (first + count < all.size() && all[first + count].node == all[first].node)
        ++count;
      nodes_.push_back(all.subspan(first, count));
      most_ports_ = std::max(most_ports_, count);
      first += count;
    }
  }

  void run() {
    for (const WrittenAddresses& written : request_.written)
      take_written(written);
    if (ip_.subnet && request_.cables != nullptr) {
      allocate_cables(*request_.cables);
    } else if (ip_.subnet) {
      for (const Ports& ports : nodes_)
        allocate_node(ports);
    } else if (is_known(ip_.range)) {
      findings_
          .error(
              "missing-key",
              ip_.range,
              fmt::format("the addresses of '{}' have no 'subnet'", request_.network))
          .with_key("subnet");
    }
  }

 private:
  using Ports = std::span<const PortRef>;  // ports of one node, at least one

  // The place of a port's address: its own line, or the node where the subnet's line gave it.
  struct Owner {
    const PortRef* port;  // a port of the request
    SourceRange place;
  };

  // Members of a node set share the place of their key; a written `host` is nearer.
  static SourceRange place_of(const NodeSpec& node) {
    const bool written = node.host_number && is_known(node.host_number->range);
    return written ? node.host_number->range : node.range;
  }

  void put(const PortRef& port, const Sourced<IpAddress>& address, SourceRange place) {
    const std::size_t before = owners_.size();
    const auto owner = owners_.try_emplace(owners_.end(), address.value, Owner{&port, place});
    if (owners_.size() == before) {
      findings_
          .error(
              "address-conflict",
              place,
              fmt::format(
                  "{} and {} both have the address {} in '{}'",
                  owner->second.port->str(),
                  port.str(),
                  address.value.str(),
                  request_.network))
          .about(port.subject())
          .with_note(owner->second.place, owner->second.port->str() + " has it here");
      return;
    }
    ip_.addresses.try_emplace(ip_.addresses.end(), port)->second.push_back(address);
  }

  // Reports what no port of the subnet can have.
  bool can_have(const Sourced<IpAddress>& address) {
    if (!ip_.subnet) return true;
    const Subnet& subnet = ip_.subnet->value;
    const bool is_cut_up = ip_.cable_prefix != 0;
    if (subnet.contains(address.value) && (is_cut_up || !subnet.is_reserved(address.value)))
      return true;
    const std::string problem =
        subnet.contains(address.value)
            ? fmt::format("no port can have {}: {} reserves it", address.value.str(), subnet.str())
            : fmt::format("{} is outside of {}", address.value.str(), subnet.str());
    findings_.error("address-outside-subnet", address.range, problem)
        .with_note(ip_.subnet->range, "the subnet is given here");
    return false;
  }

  void take_port(const PortRef& port, const Sourced<IpAddress>& address) {
    written_.insert(port);
    if (can_have(address)) put(port, address, address.range);
  }

  void take_written(const WrittenAddresses& written) {
    const Ports ports = ports_of(written.node);
    const auto node = request_.spec.nodes.find(written.node);
    const bool is_of_switch =
        node != request_.spec.nodes.end() && is_switch(node->second.platform.value);
    if (is_of_switch && ports.empty()) {
      findings_
          .error(
              "port-not-in-network",
              written.range,
              fmt::format(
                  "{} is a switch: its ports in '{}' have no addresses from fabric",
                  written.node.str(),
                  request_.network))
          .about(written.node)
          .with_help("remove it; `gateway` names the address of a router");
      return;
    }
    if (ports.empty()) {
      findings_
          .error(
              "node-unknown",
              written.range,
              fmt::format("{} has no port in '{}'", written.node.str(), request_.network))
          .about(written.node)
          .because_of(findings_.cause_of(written.node.str()));
      return;
    }
    if (written.port) {
      if (std::find(ports.begin(), ports.end(), *written.port) == ports.end()) {
        findings_
            .error(
                "port-unknown",
                written.range,
                fmt::format(
                    "{} is no port with an address of its own in '{}'",
                    written.port->str(),
                    request_.network))
            .about(written.port->subject());
        return;
      }
      for (const auto& address : written.addresses)
        take_port(*written.port, address);
      return;
    }
    for (const PortRef& port : ports)
      written_.insert(port);  // judged here, never filled up
    if (!written.addresses.empty() && written.addresses.size() != ports.size()) {
      findings_
          .error(
              "out-of-range",
              written.range,
              fmt::format(
                  "{} has {} member ports in '{}', but {} addresses",
                  written.node.str(),
                  ports.size(),
                  request_.network,
                  written.addresses.size()))
          .about(written.node);
      return;
    }
    for (std::size_t i = 0; i < written.addresses.size(); ++i) {
      take_port(ports[i], written.addresses[i]);
    }
  }

  // Empty where the node has none here.
  Ports ports_of(const NodeName& node) const {
    const auto found = std::lower_bound(
        nodes_.begin(), nodes_.end(), node, [](const Ports& ports, const NodeName& wanted) {
          return ports.front().node < wanted;
        });
    return found == nodes_.end() || found->front().node != node ? Ports{} : *found;
  }

  void allocate_node(const Ports& ports) {
    const NodeName& name = ports.front().node;
    std::vector<const PortRef*> open;
    for (const PortRef& port : ports) {
      if (!written_.contains(port)) open.push_back(&port);
    }
    if (open.empty()) return;
    const auto found = request_.spec.nodes.find(name);
    FABRIC_CHECK(found != request_.spec.nodes.end(), "a member port belongs to a node");
    const NodeSpec* node = &found->second;
    if (!ip_.per_port && ports.size() > 1) {
      findings_
          .error(
              "missing-key",
              ip_.range,
              fmt::format(
                  "{} has {} ports in '{}', so their addresses do not follow from one host number",
                  name.str(),
                  ports.size(),
                  request_.network))
          .about(name)
          .with_key("per")
          .with_help("write 'per: port', or give them under 'addresses'");
      return;
    }
    if (!node->host_number) {
      findings_
          .error(
              "missing-key",
              node->range,
              fmt::format(
                  "{} needs a 'host' number for its address in '{}'", name.str(), request_.network))
          .about(name)
          .with_key("host")
          .with_note(ip_.subnet->range, "the subnet is given here")
          .with_help("give 'host' (from 1); the name ends in no digits to take it from");
      return;
    }
    for (const PortRef* port : open)
      allocate_port(*node, *port, ports);
  }

  void allocate_cables(const std::vector<CableSpec>& cables) {
    const std::uint64_t size = std::uint64_t{1} << (32U - ip_.cable_prefix);
    const std::uint64_t first = size == 2 ? 0 : 1;  // beside the network address
    std::set<PortRef> done = written_;
    for (std::size_t number = 0; number < cables.size(); ++number) {
      const CableSpec& cable = cables[number];
      if (!has_cable_subnet(request_.spec, cable)) continue;
      // A host comes before a switch.
      const auto place = [](const PortRef& port) {
        return std::pair{port.adapter.empty(), port};
      };
      const auto& [low, high] =
          std::minmax(cable.a.value, cable.b.value, [&place](const PortRef& a, const PortRef& b) {
            return place(a) < place(b);
          });
      if (!ip_.subnet->value.at(size * number + size - 1)) {
        report_too_small(cables.size(), size, cable);
        return;
      }
      std::uint64_t offset = first;
      for (const PortRef* port : {&low, &high}) {
        const IpAddress address = *ip_.subnet->value.at(size * number + offset++);
        if (done.insert(*port).second) put(*port, {address, ip_.subnet->range}, cable.range);
      }
    }
  }

  void report_too_small(std::size_t cables, std::uint64_t size, const CableSpec& first) {
    findings_
        .error(
            "subnet-too-small",
            ip_.subnet->range,
            fmt::format(
                "subnet {} of '{}' is too small for {} cables: each takes {} addresses",
                ip_.subnet->value.str(),
                request_.network,
                cables,
                size))
        .with_note(first.range, "the first cable that gets no addresses")
        .with_help("widen the subnet");
  }

  void allocate_port(const NodeSpec& node, const PortRef& port, const Ports& ports) {
    const std::uint64_t host = node.host_number->value;
    const auto place = std::find(ports.begin(), ports.end(), port) - ports.begin();
    const std::uint64_t number =
        ip_.per_port ? (host - 1) * most_ports_ + static_cast<std::uint64_t>(place) + 1 : host;
    const Result<IpAddress> address = ip_.subnet->value.host(number);
    if (address) {
      put(port, {*address, ip_.subnet->range}, place_of(node));
      return;
    }
    if (help_for_all_.empty()) help_for_all_ = wide_enough();
    // The broadcast address is the mistake where no larger number is beside it.
    const std::string why =
        number == largest_
            ? address.error().message
            : fmt::format("{} has no address number {}", ip_.subnet->value.str(), number);
    findings_
        .error(
            "address-outside-subnet",
            place_of(node),
            fmt::format(
                "{} would have the address number {} in '{}': {}",
                port.str(),
                number,
                request_.network,
                why))
        .about(port.subject())
        .with_note(ip_.subnet->range, "the subnet is given here")
        .with_help(help_for_all_);
  }

  // The help with a subnet that would hold every port; the largest number of one is known then.
  std::string wide_enough() {
    for (const Ports& ports : nodes_) {
      const auto found = request_.spec.nodes.find(ports.front().node);
      if (found == request_.spec.nodes.end() || !found->second.host_number) continue;
      const std::uint64_t host = found->second.host_number->value;
      largest_ = std::max(largest_, ip_.per_port ? (host - 1) * most_ports_ + ports.size() : host);
    }
    const Subnet& subnet = ip_.subnet->value;
    for (std::uint32_t prefix = subnet.prefix_length(); prefix-- > 1;) {
      const auto wider = Subnet::of_address(fmt::format("{}/{}", subnet.network().str(), prefix));
      if (wider && wider->host(largest_)) {
        return fmt::format(
            "the largest number is {}: a subnet of /{} or wider has it; or give lower `host` "
            "numbers",
            largest_,
            prefix);
      }
    }
    return {};
  }

  const AllocationRequest& request_;
  IpSpec& ip_;
  Findings& findings_;
  std::string help_for_all_;
  std::uint64_t largest_ = 0;  // of all numbers; known once there is a help
  std::vector<Ports> nodes_;   // in order of their names
  std::size_t most_ports_ = 0;
  std::set<PortRef> written_;
  std::map<IpAddress, Owner> owners_;
};

}  // namespace

void allocate_addresses(const AllocationRequest& request, IpSpec& ip, Findings& findings) {
  Allocation{request, ip, findings}.run();
}

std::vector<PortRef> address_ports(const NetworkSpec& network) {
  std::vector<PortRef> ports = network.member_ports();
  std::erase_if(ports, [](const PortRef& port) { return port.adapter.empty(); });
  if (network.mode.value == Mode::lag) keep_first_of_each_node(ports);
  return ports;
}

void keep_first_of_each_node(std::vector<PortRef>& ports) {
  const auto same_node = [](const PortRef& a, const PortRef& b) {
    return a.node == b.node;
  };
  ports.erase(std::unique(ports.begin(), ports.end(), same_node), ports.end());
}

}  // namespace fabric
