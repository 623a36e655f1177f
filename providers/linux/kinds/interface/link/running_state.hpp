// SPDX-License-Identifier: Apache-2.0
// The running state of an interface, by iproute2 of any age, sysfs and /proc.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/observation.hpp"
#include "engine/provider/provider.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/interface/link/link_config.hpp"
#include "providers/parsers/ip_json.hpp"

namespace fabric::providers {

// The probes of the running routes, and of the rules for incoming packets.

std::vector<Probe> route_probes();
// Attributes of the running layer of one interface; an attribute that is not there is absent.
using RunningAttributes = std::map<std::string, Reading, std::less<>>;
// Adds gateway, gateway6, routes, incoming_table and source_table. ip of CentOS 7 prints its rules
// in no machine-readable form: there the file alone tells of a source table.
void read_routes(RunningAttributes& attributes, const NodeFacts& facts, const std::string& device);
// A default route of any author and family. Routes over several gateways are left out.
struct DefaultRoute {
  std::string device, gateway;
};
std::vector<DefaultRoute> default_routes(const NodeFacts& facts);
// The routes of one interface in the main table that files have; none where they are not known.
struct WrittenRoutes {
  std::string gateway, gateway6;  // of the default routes
  std::vector<Route> others;
};
WrittenRoutes written_routes(const NodeFacts& facts, const std::string& device);
// Policy routing of one interface in the words of `ip rule` and `ip route`, without the document's
// tables: rules for packets that come in, go out, are sent from an address of the interface, or
// look up a table with a route over it, as "from 10.30.0.5 lookup 7 priority 100", IPv6 with "-6"
// before; and the routes over it in such tables, as "10.9.0.0/16 via 10.30.0.254 table 7".
struct PolicyRouting {
  std::vector<std::string> rules, routes;
};
PolicyRouting policy_routing(
    const NodeFacts& facts, const std::string& device, const std::vector<std::string>& addresses);

std::vector<Probe> running_probes();

// The running interfaces of a node.
class RunningLinks {
 public:
  // For a node without facts.
  RunningLinks() = default;
  static RunningLinks read(std::string_view probe_output);

  // False if the probe did not run: then all functions below return nothing.
  bool is_known() const { return known_; }
  bool exists(const std::string& device) const;
  // A file below /sys/class/net/DEVICE, "mtu", "bonding/mode"; "" if there is none.
  std::string file(const std::string& device, std::string_view path) const;
  // The bond or bridge that the interface is a port of; "" if none.
  std::string master(const std::string& device) const { return file(device, "master"); }
  // The VLANs and IPoIB children on the interface, in order of name.
  std::vector<std::string> above(const std::string& device) const;
  // An entry of /proc/net/vlan/config.
  struct Vlan {
    std::int64_t id = 0;
    std::string parent;
  };
  const Vlan* vlan(const std::string& device) const;
  // The text of /proc/net/bonding/DEVICE; "" if there is none.
  std::string proc_bonding(const std::string& device) const;

 private:
  void read_vlans(std::string_view config);

  bool known_ = false;
  FileTexts files_;  // by path
  std::map<std::string, Vlan, std::less<>> vlans_;
};

// Valid as long as the facts.
const RunningLinks& running_links(const NodeFacts& facts);

// `device`: the interface's present name; "" = it does not exist. `port` may be null.
RunningAttributes running_attributes(
    const NodeFacts& facts,
    const RunningLinks& links,
    const std::string& device,
    const LinkTarget& target);

// The interfaces in `ip -j addr`; null if it failed, or is too old for JSON.
const std::vector<IpLink>* links_by_ip(const NodeFacts& facts);

// As a Value in order of address, as in the document.
Value address_list(std::vector<std::string> addresses);

}  // namespace fabric::providers
