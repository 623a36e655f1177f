// SPDX-License-Identifier: Apache-2.0
#include "engine/model/resource_kinds.hpp"

#include <algorithm>
#include <iterator>

#include "engine/base/text.hpp"

namespace fabric {

namespace {

constexpr bool kHost = false;
constexpr bool kSwitch = true;

// The MTUs that the kernel gives an interface of Ethernet, and an InfiniBand subnet one of IPoIB.
constexpr std::string_view kNoIp = "addresses=[] routes=[] mtu=1500 mtu=2044 mtu=4092";

constexpr KeyGroup kGroups[] = {
    {"EVERY", "observe", "true: fabric shows the resource and never writes it"},
    {"ADAPTER",
     "adapter model family device_ids ports pci node_guid mac serial",
     "the card as the document describes it; one of the last four selects the card"},
    {"PORT", "ADAPTER port", "a port of a card"},
    {"NETWORK",
     "network backend adopt",
     "adopt: true, or a list of patterns of statements that fabric may drop"},
    {"FACTS",
     "port_guids leaving partly_read former present give_back taken_over interrupted_by",
     "port GUIDs of peers; ports whose resources are to go; a plan that is limited to some nodes; "
     "former, present and restored settings of a card; kernel parameters that another resource "
     "sets; resources of switches that need a drain outside of a limit"},
    {"IP",
     "mtu addresses gateway gateway6 routes",
     "mtu in bytes; addresses with their length, IPv4 first; routes: [{to, via, metric, table, "
     "source}]; `table`: the only table with the route; `source`: of the node's own packets; "
     "`hops`: [address] in place of `via` where flows are shared"},
};

constexpr ResourceKind kKinds[] = {
    {"os", "os", kHost, "", "release minimum", "", "release and oldest version of the system"},
    {"os", "os", kSwitch, "", "release minimum", "", "the same of a switch"},
    {"software",
     "stack",
     kHost,
     "",
     "stack minimum mft bundles",
     "",
     "the RDMA drivers, their oldest version, that of the firmware tools, bundles of ESX"},
    {"package", "NAME", kHost, "program", "installed", "", "program: the program that needs it"},
    {"module",
     "NAME",
     kHost,
     "adopt",
     "loaded *",
     "",
     "a kernel module and its parameters, as texts",
     "loaded=false"},
    {"tuning", "PROFILE", kHost, "FACTS", "*", "", "kernel parameters of a profile"},
    {"sysctl",
     "node, or NETWORK",
     kHost,
     "FACTS",
     "*",
     "",
     "kernel parameters of the document, or those that ports need which share a subnet"},
    {"forwarding",
     "cx5.1",
     kHost,
     "PORT network name",
     "accept_local forwarding ignore_routes_with_linkdown rp_filter",
     "",
     "kernel parameters of the port's interface"},
    {"adapter", "cx5", kHost, "ADAPTER", "firmware_minimum", "", "only checked"},
    {"firmware",
     "cx5",
     kHost,
     "ADAPTER image",
     "version psid",
     "image",
     "image: {source: path as written; path, sha256 and bytes of the file that was read}"},
    {"settings",
     "cx5",
     kHost,
     "ADAPTER at_least driver to_guest FACTS",
     "restore *",
     "driver_link_type",
     "parameters of the firmware; \"default\" is the factory's value; at_least: parameters that "
     "may be larger; restore: parameters that get their former values when the document does not "
     "ask for them; driver_link_type: no firmware tool knows the card, its driver sets the link "
     "type; to_guest: whether a guest is to have the card"},
    {"recovery",
     "cx5",
     kHost,
     "ADAPTER",
     "shown mode",
     "",
     "the firmware tools of ESXi see the card; mode of its driver, \"recovery\" between two boots"},
    {"sriov",
     "cx5",
     kHost,
     "ADAPTER driver adopt passed_through given_back adopted_ports",
     "vfs",
     "",
     "virtual functions of each port; adapters of the host that go to guests (passed_through) or "
     "come back (given_back) before vfs is set; adopted_ports: ports whose interface is taken "
     "over",
     "vfs=0"},
    {"passthrough",
     "cx5",
     kHost,
     "ADAPTER passed_through given_back settings",
     "passthrough",
     "",
     "the whole card for a guest, after its settings are in force; given back before them",
     "passthrough=false"},
    {"link_name",
     "cx5.1",
     kHost,
     "PORT link_type backend network bond",
     "name",
     "",
     "of the port's interface; network: the one that has fabric configure it; bond: that it is a "
     "slave of"},
    {"interface",
     "cx5.1",
     kHost,
     "PORT NETWORK name link_type bond primary carries vlans vfs",
     "IP master ipoib_mode incoming_table source_table",
     "infiniband bond adopt ipv6 transit network_backend",
     "a slave has mtu and master alone; primary: of its bond; carries: VLANs or IPoIB children lie "
     "on it; vlans, "
     "vfs: of "
     "a node that takes over, the ids on it and those of its card; incoming_table, source_table: "
     "number of the table and of the rule for packets that come in there, or have its address",
     kNoIp},
    {"interface",
     "7, or swp7s0",
     kSwitch,
     "switch_port network link_type fabric tags_only tags",
     "enabled mtu bridged access_vlan addresses",
     "infiniband ethernet",
     "a port as the document writes it; fabric: name of the document, for a port with an address"},
    {"bond",
     "bond0",
     kHost,
     "NETWORK bond slaves vlans link_type ipoib_mode",
     "IP mode miimon updelay downdelay lacp_rate hash_policy primary min_links ad_select "
     "fail_over_mac slaves roce",
     "adopt infiniband ipv6 network_backend",
     "slaves of the binding: [port binding with the name of its interface], in order; mode: the "
     "kernel's name; roce: a RoCE LAG device is expected",
     "addresses=[] routes=[] roce=false"},
    {"bond",
     "bond7",
     kSwitch,
     "switch_ports network host fabric bond tags_only tags",
     "mode members mtu bridged access_vlan mlag_id segment segment_mac",
     "",
     "by its lowest port; host: the host whose bond ends there; fabric: name of the document; "
     "bond: name at the switch of a bond that is left"},
    {"mlag",
     "DOMAIN",
     kSwitch,
     "peer first vlan address peer_address",
     "peerlink mtu system_mac backup vip multihoming",
     "vip address evpn",
     "the pair; first: the switch that comes first by name; addresses of the link; \"evpn\" of a "
     "switch that shares bonds without a pair: multihoming alone"},
    {"vlan",
     "NETWORK.VLAN",
     kHost,
     "PORT NETWORK id parent_kind parent name bond slaves",
     "IP id",
     "adopt network_backend",
     "with several parents on the node \"NETWORK.VLAN.cx5.1\"; bound to its port, or to its bond "
     "and slaves"},
    {"vlan",
     "NETWORK.VLAN, or NETWORK",
     kSwitch,
     "network id carried_at",
     "id",
     "",
     "carried by the bridge, or at these ports: [{ports, bond, mlag_id, access_vlan}]"},
    {"configuration",
     "saved",
     kSwitch,
     "ports channels vlans partitions",
     "",
     "",
     "settings of the document that another login can type and not save, at a switch that saves "
     "its running configuration only on a command"},
    {"qos",
     "cx5.1",
     kHost,
     "PORT network name roce_dscp cnp_dscp",
     "dcbx trust pfc roce_priority cnp_priority ecn cnp_dscp tos",
     "",
     "lossless RoCE at the port; tos: of RDMA CM, 0 to 255"},
    {"qos", "roce", kSwitch, "network", "mode trust pfc ecn", "", "lossless RoCE of the switch"},
    {"ipoib",
     "cx3.1.8005",
     kHost,
     "PORT NETWORK pkey parent name",
     "IP pkey ipoib_mode",
     "adopt",
     "a child of the port's interface; the P_Key of the name has the full membership bit, the "
     "attribute has the low 15 bits",
     kNoIp},
    {"subnet_manager",
     "NETWORK.cx3.1",
     kHost,
     "PORT network name adopt stack ndr managers node_guids peers declared_guids FACTS",
     "manages priority routing_engine subnet_prefix virtualization roots options io "
     "partitions",
     "adopt options.*",
     "peers: [\"node/adapter/port\"] whose port GUIDs the manager needs; partitions: [{name, pkey, "
     "ipoib, mtu, members: [{who: ALL|SELF|port, full}]}], with a default partition"},
    {"subnet_manager",
     "NETWORK",
     kSwitch,
     "network peers declared_guids FACTS",
     "manages priority virtualization partitions",
     "subnet_manager.*",
     "the manager of the switch"},
    {"drain",
     "hooks",
     kHost,
     "before after timeout_ms FACTS",
     "drained",
     "maintenance",
     "commands of a node with hooks; maintenance: the platform has such a mode"},
    {"drain", "hooks", kSwitch, "before after timeout_ms", "drained", "", "the same of a switch"},
    {"vswitch",
     "NAME",
     kHost,
     "network members",
     "mtu vmkernel_mtu",
     "",
     "a standard switch of an ESXi host"},
    {"cable",
     "cx5.1",
     kHost,
     "PORT instruction wait_ms",
     "carrier",
     "",
     "only where an operator is to be asked (cables_to_connect)"},
    {"carrier",
     "cx5.1",
     kHost,
     "PORT name own_adapter other_end other_node other_adapter",
     "",
     "",
     "each end of a cable whose interface is fabric's; it has no desired attributes"},
    {"link",
     "cx5.1-pve2.cx5.2",
     kHost,
     "peer port peer_port",
     "label length type speed",
     "",
     "the cable, at the end whose port comes first; for verify alone"},
};

void add_names(std::string_view words, std::set<std::string_view>& names) {
  for (const std::string_view word : split_words(words)) {
    const auto group =
        std::find_if(std::begin(kGroups), std::end(kGroups), [word](const KeyGroup& g) {
          return g.name == word;
        });
    if (group == std::end(kGroups)) {
      names.insert(word);
    } else {
      add_names(group->keys, names);
    }
  }
}

}  // namespace

std::span<const ResourceKind> resource_kinds() {
  return kKinds;
}
std::span<const KeyGroup> resource_key_groups() {
  return kGroups;
}

const ResourceKind* find_resource_kind(std::string_view kind, Platform platform) {
  const auto row =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const ResourceKind& each) {
        return each.kind == kind && each.of_switch == is_switch(platform);
      });
  return row == std::end(kKinds) ? nullptr : row;
}

std::set<std::string_view> key_names(std::string_view words) {
  std::set<std::string_view> names;
  add_names(words, names);
  return names;
}

Value resource_kind_table() {
  List kinds;
  for (const ResourceKind& each : kKinds) {
    kinds.emplace_back(
        Map{{"kind", each.kind},
            {"name", each.name},
            {"of", each.of_switch ? "switch" : "host"},
            {"binding", each.binding},
            {"attributes", each.attributes},
            {"features", each.features},
            {"meaning", each.meaning}});
  }
  List groups;
  for (const KeyGroup& each : kGroups)
    groups.emplace_back(Map{{"name", each.name}, {"keys", each.keys}, {"meaning", each.meaning}});
  return Map{{"kinds", std::move(kinds)}, {"groups", std::move(groups)}};
}

}  // namespace fabric
