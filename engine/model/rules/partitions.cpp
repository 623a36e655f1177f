// SPDX-License-Identifier: Apache-2.0
// Mode infiniband: partitions, their members, and the VLANs that they carry.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/partition_ports.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kPartitionRules[] = {
    {"pkey-decimal",
     Severity::warning,
     RuleStage::document,
     "A P_Key from 8000 to 8999 without 0x is decimal, and its author most likely meant "
     "hexadecimal: 8002 is 0x1f42.",
     "E-ib-pkey: InfiniBand Architecture 1.3, 10.9.1",
     "Write P_Keys in hexadecimal, quoted: \"0x8002\"."},
    {"partition-without-members",
     Severity::warning,
     RuleStage::document,
     "A partition that names no member is in no port's table.",
     "E-opensm-partitions: OpenSM, doc/partition-config.txt",
     "Name its members, or remove it."},
    {"partition-limited-ipoib",
     Severity::warning,
     RuleStage::document,
     "Two limited members of a partition can't talk to each other, and the IP interfaces of these "
     "ports run in that partition. OpenSM makes a port that the default partition does not name a "
     "limited member of it.",
     "E-ib-pkey: InfiniBand Architecture 1.3, 10.9.1; E-ipoib-partition: RFC 4391, 4; "
     "E-opensm-partitions: OpenSM, doc/partition-config.txt",
     "Make them full members, or run their IP in another partition."},
    {"partition-default-open",
     Severity::warning,
     RuleStage::document,
     "Limited members are kept apart in their partition. Where the document does not name the "
     "default partition, all ports are full members of the default partition and reach each other "
     "in it.",
     "E-opensm-partitions: OpenSM, doc/partition-config.txt",
     "Name `Default` with `ALL: limited` and `SELF: full`."},
    {"pkey-invalid",
     Severity::error,
     RuleStage::document,
     "A P_Key has 16 bits. The low 15 are its identity, from 1 to 0x7fff; bit 15 says full or "
     "limited.",
     "E-ib-pkey: InfiniBand Architecture 1.3, 10.9",
     "Use a number from 1 to 0x7fff."},
    {"pkey-duplicate",
     Severity::error,
     RuleStage::document,
     "P_Keys that differ only in bit 15 are one partition.",
     "E-ib-pkey: InfiniBand Architecture 1.3, 10.9",
     "Give each partition its own low 15 bits."},
    {"pkey-limit",
     Severity::error,
     RuleStage::document,
     "The P_Key table of a port is finite, and the default partition takes one entry.",
     "E-esx-pkeys: Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, installation guide rev. "
     "1.30, 4.4.2.4; E-hardware-table: docs/hardware.md",
     "Make the port a member of fewer partitions."},
    {"partition-member-unknown",
     Severity::error,
     RuleStage::document,
     "A member that is no node or port of the network gets no P_Key; one syntax error makes "
     "OpenSM ignore the whole file. A switch is a member by its port 0, whose GUID is the "
     "switch's.",
     "E-opensm-partitions: OpenSM, doc/partition-config.txt",
     "Use a node or endpoint of the network, ALL or SELF; give a switch its `node_guid`."},
    {"partition-limited-only",
     Severity::warning,
     RuleStage::document,
     "Two limited members can't talk to each other. A partition without a full member carries "
     "nothing.",
     "E-ib-pkey: InfiniBand Architecture 1.3, 10.9",
     "Make at least one member `full`."},
    {"vlan-needs-partition",
     Severity::error,
     RuleStage::document,
     "InfiniBand has no VLAN tags: a VLAN is carried by a partition.",
     "E-ipoib-partition: RFC 4392; Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, "
     "installation guide rev. 1.30, 4.4.2.4",
     "Add `partition: NAME` with a partition of the network."},
    {"partition-without-ipoib",
     Severity::error,
     RuleStage::document,
     "IPoIB runs in the broadcast group of its partition, which OpenSM makes only where the "
     "partition says so: an interface without it never has a carrier. The interface of a port "
     "runs in the default partition, a VLAN in its own.",
     "E-ipoib-group: RFC 4391, 5; E-opensm-partitions: OpenSM, doc/partition-config.txt",
     "Write `ipoib: true` in the partition."},
};

constexpr std::int64_t kIdentity = 0x7fff;
// "8002" without 0x, which is 0x1f42: the usual P_Keys of full members are 0x8001 and on.
constexpr std::int64_t kFirstDecimal = 8000;
constexpr std::int64_t kLastDecimal = 8999;
constexpr std::int64_t kLargestPkey = 0xffff;

bool is_valid(std::int64_t pkey) {
  return pkey > 0 && pkey <= kLargestPkey && (pkey & kIdentity) != 0;
}

void check_decimals(const NetworkSpec& network, Diagnostics& diagnostics) {
  for (const WrittenKey& each : *network.written) {
    const auto number =
        each.key == "networks.*.partitions.*.pkey" ? parse_integer(each.value) : std::nullopt;
    if (!number || *number < kFirstDecimal || *number > kLastDecimal) continue;
    diagnostics
        .warning(
            "pkey-decimal",
            each.range,
            fmt::format("P_Key {} is decimal, which is {:#x}", each.value, *number))
        .with_help(fmt::format(
            "write \"0x{}\" if it is hexadecimal, \"{:#x}\" if it is decimal",
            each.value,
            *number));
  }
}

void check_keys(const NetworkSpec& network, Diagnostics& diagnostics) {
  std::map<std::int64_t, const PartitionSpec*> first;
  for (const PartitionSpec& partition : network.partitions) {
    const std::int64_t pkey = partition.pkey.value;
    if (pkey == PartitionSpec::kUnreadable) continue;
    if (!is_valid(pkey)) {
      diagnostics
          .error(
              "pkey-invalid",
              partition.pkey.range,
              fmt::format(
                  "P_Key {} of partition {} is not valid",
                  pkey < 0 ? std::to_string(pkey) : fmt::format("{:#x}", pkey),
                  partition.name))
          .with_help("its identity is the low 15 bits, from 1 to 0x7fff; bit 15 is ignored");
      continue;
    }
    const auto [found, fresh] = first.emplace(pkey & kIdentity, &partition);
    if (fresh) continue;
    diagnostics
        .error(
            "pkey-duplicate",
            partition.pkey.range,
            fmt::format(
                "partition {} has the P_Key {:#x} of partition {}",
                partition.name,
                pkey & kIdentity,
                found->second->name))
        .with_note(found->second->pkey.range, "the first")
        .with_help("only the low 15 bits tell partitions apart: 0x8001 and 0x0001 are one");
  }
}

// The member ports that `who` means; empty if it means none.
std::vector<PortRef> ports_of(
    const Context& context, const NetworkSpec& network, const std::string& who) {
  const std::vector<PortRef>& members = context.members(network);
  if (who == "ALL") return members;
  std::vector<PortRef> result;
  const Result<NodeName> node = NodeName::parse(std::string_view{who}.substr(0, who.find('/')));
  if (!node) return result;
  const auto first = std::lower_bound(members.begin(), members.end(), PortRef{*node, "", ""});
  for (auto port = first; port != members.end() && port->node == *node; ++port) {
    if (means_port(who, *port)) result.push_back(*port);
  }
  return result;
}

// OpenSM knows a switch by the GUID of its port 0, and no other port of it can be a member.
void check_switch_member(
    const NodeSpec& node,
    const PartitionSpec& partition,
    const PartitionMember& member,
    Diagnostics& diagnostics) {
  const bool names_port = member.who.find('/') != std::string::npos;
  if (!names_port && !node.node_guid.value.empty()) return;
  diagnostics
      .error(
          "partition-member-unknown",
          member.range,
          names_port
              ? fmt::format(
                    "member {} of partition {} is a port of a switch", member.who, partition.name)
              : fmt::format(
                    "member {} of partition {} is a switch without `node_guid`",
                    member.who,
                    partition.name))
      .with_note(node.range, "the switch")
      .with_help(
          names_port ? fmt::format(
                           "hosts are members by their ports, a switch as a whole: write {}",
                           node.name.str())
                     : "OpenSM knows members by their port GUIDs: add the `node_guid` of an "
                       "unmanaged switch, or leave it out; frames pass switches that are no "
                       "members");
}

void check_members(
    const Context& context,
    const NetworkSpec& network,
    const PartitionSpec& partition,
    std::map<PortRef, std::uint32_t>& entries,
    Diagnostics& diagnostics) {
  bool full = partition.members.empty();
  std::set<PortRef> ports;
  for (const PartitionMember& member : partition.members) {
    full = full || member.full.value;
    if (member.who == "SELF") continue;
    const std::vector<PortRef> meant = ports_of(context, network, member.who);
    ports.insert(meant.begin(), meant.end());
    const bool is_switch_member =
        member.who != "ALL" && !meant.empty() && meant.front().adapter.empty();
    if (const NodeSpec* node = is_switch_member ? context.node(meant.front()) : nullptr)
      check_switch_member(*node, partition, member, diagnostics);
    if (const NodeSpec* node = meant.empty() ? nullptr : context.node(meant.front());
        node != nullptr && member.who != "ALL" && node->state.value == NodeState::absent) {
      diagnostics
          .warning(
              "partition-member-unknown",
              member.range,
              fmt::format(
                  "member {} of partition {} is released: managers hand out the partition without "
                  "it",
                  member.who,
                  partition.name))
          .about(node->name)
          .with_note(node->state.range, "it is released here")
          .with_help("remove the member, or `state: absent`");
    }
    if (!meant.empty() || member.who == "ALL") continue;
    const std::string name = member.who.substr(0, member.who.find('/'));
    const bool known = context.spec().find_node(name) != nullptr;
    diagnostics
        .error(
            "partition-member-unknown",
            member.range,
            known ? fmt::format(
                        "member {} of partition {} has no port in network {}",
                        member.who,
                        partition.name,
                        network.name)
                  : fmt::format(
                        "member {} of partition {} is no node or endpoint",
                        member.who,
                        partition.name))
        .about(Subject{name})
        .because_of(network.unread_end)
        .with_note(network.range, "the network")
        .with_help("members are nodes or endpoints of the network, ALL or SELF");
  }
  for (const PortRef& port : ports)
    ++entries[port];
  if (partition.members.empty()) {
    diagnostics
        .warning(
            "partition-without-members",
            partition.range,
            fmt::format("partition {} has no members, so no port is in it", partition.name))
        .with_help("name them, `members: {n1: full}`, or remove the partition");
  }
  if (full) return;
  diagnostics
      .warning(
          "partition-limited-only",
          partition.range,
          fmt::format(
              "partition {} has limited members only, which can't talk to each other",
              partition.name))
      .with_help("make at least one member `full`");
}

void check_limit(
    const Context& context,
    const NetworkSpec& network,
    const std::map<PortRef, std::uint32_t>& entries,
    Diagnostics& diagnostics) {
  std::set<std::string> reported;
  for (const auto& [port, count] : entries) {
    const AdapterSpec* adapter = context.adapter(port);
    if (adapter == nullptr || adapter->hardware == nullptr) continue;
    const HardwareModel& model = *adapter->hardware;
    const bool has_default = std::any_of(
        network.partitions.begin(), network.partitions.end(), [](const PartitionSpec& partition) {
          return (partition.pkey.value & kIdentity) == kIdentity;
        });
    const std::uint32_t needed = count + (has_default ? 0 : 1);
    if (needed <= model.pkeys || !reported.insert(model.slug).second) continue;
    const auto key = network.keys.find("partitions");
    diagnostics
        .error(
            "pkey-limit",
            key == network.keys.end() ? network.range : key->second,
            fmt::format(
                "port {} needs {} P_Keys, the default partition included, but {} has a table of {}",
                port.str(),
                needed,
                model.name,
                model.pkeys))
        .about(port.subject())
        .with_note(adapter->model.range, "the model is given here")
        .with_help("make the port a member of fewer partitions");
  }
}

void check_vlans(const NetworkSpec& network, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const PartitionSpec& partition : network.partitions)
    names.push_back(partition.name);
  for (const VlanSpec& vlan : network.vlans) {
    const std::string& wanted = vlan.partition.value;
    if (wanted.empty()) {
      diagnostics
          .error(
              "vlan-needs-partition",
              vlan.range,
              fmt::format("VLAN {} of network {} names no partition", vlan.name, network.name))
          .with_help("InfiniBand has no VLAN tags; add `partition: NAME`");
    } else if (std::find(names.begin(), names.end(), wanted) == names.end()) {
      const std::string near = nearest(wanted, names);
      diagnostics
          .error(
              "vlan-needs-partition",
              vlan.partition.range,
              fmt::format(
                  "VLAN {} names partition '{}', which network {} does not have",
                  vlan.name,
                  wanted,
                  network.name))
          .with_note(network.range, "the network")
          .with_help(
              near.empty() ? "add the partition under `partitions`"
                           : fmt::format("did you mean '{}'?", near));
    }
  }
}

// Ports of hosts with IPoIB that the default partition does not name. OpenSM makes them limited
// members of it all the same (E-opensm-partitions).
bool check_unnamed_ipoib(
    const Context& context,
    const NetworkSpec& network,
    const PartitionSpec& partition,
    Diagnostics& diagnostics) {
  if (!network.ipoib || !is_default(partition) || partition.members.empty()) return false;
  const std::vector<PortRef> named = ipoib_ports(network, partition, context.members(network));
  const PortRef* first = nullptr;
  std::size_t count = 0;
  const std::vector<PortRef> all = ipoib_ports(network, context.members(network));
  for (const PortRef& port : all) {
    if (port.adapter.empty() || std::binary_search(named.begin(), named.end(), port)) continue;
    if (first == nullptr) first = &port;
    ++count;
  }
  if (first == nullptr) return false;
  diagnostics
      .warning(
          "partition-limited-ipoib",
          partition.range,
          fmt::format(
              "partition {}, in which IP of network {} runs, does not name {}{}: limited members "
              "of it, which reach full members alone",
              partition.name,
              network.name,
              first->str(),
              count == 1 ? "" : fmt::format(" and {} more ports", count - 1)))
      .with_help(
          "add `ALL: full` to its members, or name with `ipoib: {ports: [...]}` the ports that "
          "have IP");
  return true;
}

// Limited members reach full members only. Clients that are limited and servers that are full are
// what this is for.
void check_limited_ipoib(
    const Context& context,
    const NetworkSpec& network,
    const PartitionSpec& partition,
    Diagnostics& diagnostics) {
  const bool carries =
      (network.ipoib && is_default(partition)) ||
      std::any_of(network.vlans.begin(), network.vlans.end(), [&](const VlanSpec& vlan) {
        return vlan.partition.value == partition.name;
      });
  if (!carries || check_unnamed_ipoib(context, network, partition, diagnostics)) return;
  std::set<PortRef> limited;
  const PartitionMember* first = nullptr;
  for (const PartitionMember& member : partition.members) {
    if (member.who == "SELF") continue;
    if (member.full.value) return;
    for (const PortRef& port : ports_of(context, network, member.who))
      if (!port.adapter.empty()) limited.insert(port);
    if (first == nullptr) first = &member;
  }
  if (limited.size() < 2 || first == nullptr) return;
  diagnostics
      .warning(
          "partition-limited-ipoib",
          first->range,
          fmt::format(
              "{} ports are limited members of partition {}, in which IP of network {} runs: they "
              "don't reach each other",
              limited.size(),
              partition.name,
              network.name))
      .with_help("make them `full`, or give them IP in a partition where they are (`vlans`)");
}

// Reports limited members without a default partition: OpenSM's own joins all ports.
void check_isolation(const NetworkSpec& network, Diagnostics& diagnostics) {
  const PartitionMember* limited = nullptr;
  for (const PartitionSpec& partition : network.partitions) {
    if (is_default(partition)) return;
    for (const PartitionMember& member : partition.members)
      if (!member.full.value && limited == nullptr) limited = &member;
  }
  if (limited == nullptr) return;
  diagnostics
      .warning(
          "partition-default-open",
          limited->range,
          fmt::format(
              "{} is limited here, and network {} names no default partition: all ports are full "
              "members of it, and in it they still reach each other",
              limited->who,
              network.name))
      .with_help(
          "add `Default: {pkey: \"0x7fff\", members: {ALL: limited, SELF: full}}` to `partitions`");
}

// Without its flag `ipoib` OpenSM makes no broadcast group of a partition, and an interface that
// can't join that never has a carrier.
void needs_group(
    const NetworkSpec& network,
    const PartitionSpec& partition,
    const SourceRange& user,
    const std::string& what,
    Diagnostics& diagnostics) {
  if (partition.ipoib.value) return;
  diagnostics
      .error(
          "partition-without-ipoib",
          user,
          fmt::format(
              "{} of network {} runs in partition {}, which has no `ipoib: true`",
              what,
              network.name,
              partition.name))
      .with_note(
          is_known(partition.ipoib.range) ? partition.ipoib.range : partition.range,
          "the partition")
      .with_help(
          "add `ipoib: true` to it: without the broadcast group the IPoIB interface gets no "
          "carrier");
}

void check_groups(const NetworkSpec& network, Diagnostics& diagnostics) {
  const auto key = network.keys.find("ipoib");
  const SourceRange ipoib = key == network.keys.end() ? network.range : key->second;
  for (const PartitionSpec& partition : network.partitions) {
    if (network.ipoib && is_default(partition))
      needs_group(network, partition, ipoib, "IPoIB", diagnostics);
    for (const VlanSpec& vlan : network.vlans) {
      if (vlan.partition.value == partition.name)
        needs_group(network, partition, vlan.partition.range, "VLAN " + vlan.name, diagnostics);
    }
  }
}

}  // namespace

RuleRows partition_rules() {
  return kPartitionRules;
}

void check_partitions(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [name, network] : context.spec().networks) {
    if (network.mode.value != Mode::infiniband) continue;
    const About about{diagnostics, name};
    check_keys(network, diagnostics);
    check_decimals(network, diagnostics);
    std::map<PortRef, std::uint32_t> entries;
    for (const PartitionSpec& partition : network.partitions)
      check_members(context, network, partition, entries, diagnostics);
    for (const PartitionSpec& partition : network.partitions)
      check_limited_ipoib(context, network, partition, diagnostics);
    check_isolation(network, diagnostics);
    check_limit(context, network, entries, diagnostics);
    check_vlans(network, diagnostics);
    check_groups(network, diagnostics);
  }
}

}  // namespace fabric::rules
