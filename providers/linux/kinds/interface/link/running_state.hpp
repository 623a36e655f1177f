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

// The routes of an interface as they run, and the rule for what comes in by it.

std::vector<Probe> route_probes();
// Attributes of the running layer of one interface; an attribute that is not there is absent.
using RunningAttributes = std::map<std::string, Reading, std::less<>>;
// Adds gateway, gateway6, routes, incoming_table and source_table. ip of CentOS 7 shows its rules
// in no form to read: of a source table the file has to be enough there.
void read_routes(RunningAttributes& attributes, const NodeFacts& facts, const std::string& device);
// Routes of any author, of both families; none where they are not known. Without routes over
// several gateways.
struct DefaultRoute {
  std::string device, gateway;
};
std::vector<DefaultRoute> default_routes(const NodeFacts& facts);
// The routes of one interface that stand in files, in the main table; none where they are not
// known.
struct WrittenRoutes {
  std::string gateway, gateway6;  // of the default routes
  std::vector<Route> others;
};
WrittenRoutes written_routes(const NodeFacts& facts, const std::string& device);
// In the words of `ip rule` and `ip route`, without those of the document's tables: the rules for
// what comes in, goes out, or is sent from an address of the interface or into a table with a route
// over it, as "from 10.30.0.5 lookup 7 priority 100", of IPv6 as "-6 from ..."; and the routes over
// it in such tables, as "10.9.0.0/16 via 10.30.0.254 table 7".
struct PolicyRouting {
  std::vector<std::string> rules, routes;
};
PolicyRouting policy_routing(
    const NodeFacts& facts, const std::string& device, const std::vector<std::string>& addresses);

std::vector<Probe> running_probes();

// The interfaces of a node as they run.
class RunningLinks {
 public:
  // Of a node that nothing is known of.
  RunningLinks() = default;
  static RunningLinks read(std::string_view probe_output);

  // False if the probe did not run: then nothing below is known.
  bool is_known() const { return known_; }
  bool exists(const std::string& device) const;
  // A file below /sys/class/net/DEVICE; "" if there is none: "mtu", "bonding/mode".
  std::string file(const std::string& device, std::string_view path) const;
  // The bond or bridge that it is a port of; "" if none.
  std::string master(const std::string& device) const { return file(device, "master"); }
  // VLANs and IPoIB children on it, by their names in order.
  std::vector<std::string> above(const std::string& device) const;
  // By /proc/net/vlan/config.
  struct Vlan {
    std::int64_t id = 0;
    std::string parent;
  };
  const Vlan* vlan(const std::string& device) const;
  // /proc/net/bonding/DEVICE; "" if there is none.
  std::string proc_bonding(const std::string& device) const;

 private:
  void read_vlans(std::string_view config);

  bool known_ = false;
  FileTexts files_;  // by path
  std::map<std::string, Vlan, std::less<>> vlans_;
};

// As good as the facts.
const RunningLinks& running_links(const NodeFacts& facts);

// `device` is what the interface is called now; "" = it does not exist. `port` may be null.
RunningAttributes running_attributes(
    const NodeFacts& facts,
    const RunningLinks& links,
    const std::string& device,
    const LinkTarget& target);

// All interfaces as `ip -j addr` told them; null if it did not, or is too old for that form.
const std::vector<IpLink>* links_by_ip(const NodeFacts& facts);

// As a Value, in order of address: the order in which the document's are.
Value address_list(std::vector<std::string> addresses);

}  // namespace fabric::providers
