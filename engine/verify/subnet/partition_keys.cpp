// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/subnet/partition_keys.hpp"

#include <algorithm>
#include <cstddef>

#include "engine/model/partition_ports.hpp"
#include "engine/model/topology/infiniband_subnets.hpp"
#include "engine/verify/subnet/managers.hpp"

namespace fabric::verify {

namespace {

// SELF is only the port of the present master, and that changes; a foreign master may be at any
// port.
enum class Self : std::uint8_t { no, maybe, yes };

Self self_of(const NetworkSpec& network, const PortRef& port) {
  if (has_external_manager(network)) return Self::maybe;
  if (!places_manager(network, port)) return Self::no;
  return network.subnet_managers.size() > 1 ? Self::maybe : Self::yes;
}

// True for a full member; nullopt if the port is no member.
std::optional<bool> membership_as(const PartitionSpec& partition, const PortRef& port, bool self) {
  std::optional<bool> full;
  std::ptrdiff_t best = -1;
  for (const PartitionMember& member : members_for_manager(partition)) {
    const bool meant = member.who == "SELF" ? self : means_port(member.who, port);
    if (!meant || specificity(member) < best) continue;
    best = specificity(member);
    full = member.full.value;
  }
  return full;
}

struct Allowed {
  std::optional<bool> if_self, if_not;  // full member? nullopt: no member

  bool is_sure() const { return if_self == if_not; }
  bool member() const { return if_self || if_not; }
  bool full() const { return if_self.value_or(false) || if_not.value_or(false); }
};

Allowed allowed(const NetworkSpec& network, const PartitionSpec& partition, const PortRef& port) {
  const Self self = self_of(network, port);
  Allowed result{membership_as(partition, port, true), membership_as(partition, port, false)};
  if (self == Self::yes) result.if_not = result.if_self;
  if (self == Self::no) result.if_self = result.if_not;
  return result;
}

std::uint16_t identity_of(const PartitionSpec& partition) {
  return static_cast<std::uint16_t>(partition.pkey.value & kPkeyIdentity);
}

const PartitionSpec* partition_of(const NetworkSpec& network, std::uint16_t key) {
  const auto found =
      std::ranges::find_if(network.partitions, [key](const PartitionSpec& partition) {
        return identity_of(partition) == (key & kPkeyIdentity);
      });
  return found == network.partitions.end() ? nullptr : &*found;
}

}  // namespace

std::optional<bool> membership(
    const NetworkSpec& network, const PartitionSpec& partition, const PortRef& port) {
  const Allowed here = allowed(network, partition, port);
  return here.is_sure() ? here.if_self : std::nullopt;
}

std::vector<WrongKey> wrong_keys(
    const NetworkSpec& network, const PortRef& port, const std::vector<std::uint16_t>& table) {
  std::vector<WrongKey> wrong;
  for (const PartitionSpec& partition : network.partitions) {
    const std::optional<bool> full = membership(network, partition, port);
    if (!full) continue;
    const std::uint16_t identity = identity_of(partition);
    const auto wanted = static_cast<std::uint16_t>(identity | (*full ? kFullMember : 0));
    if (std::find(table.begin(), table.end(), wanted) != table.end()) continue;
    const auto other = std::ranges::find_if(
        table, [identity](std::uint16_t key) { return (key & kPkeyIdentity) == identity; });
    wrong.push_back({partition.name, wanted, other == table.end() ? std::uint16_t{0} : *other});
  }
  return wrong;
}

std::vector<SurplusKey> surplus_keys(
    const NetworkSpec& network, const PortRef& port, const std::vector<std::uint16_t>& table) {
  std::vector<SurplusKey> surplus;
  if (network.partitions.empty() && has_external_manager(network)) return surplus;
  const std::vector<WrongKey> wrong = wrong_keys(network, port, table);
  for (const std::uint16_t key : table) {
    if ((key & kPkeyIdentity) == 0) continue;
    const PartitionSpec* partition = partition_of(network, key);
    if (partition == nullptr) {
      if ((key & kPkeyIdentity) != kDefaultPartition) surplus.push_back({"", key, false});
      continue;
    }
    const bool is_wrong =
        std::ranges::any_of(wrong, [key](const WrongKey& each) { return each.found == key; });
    const Allowed here = allowed(network, *partition, port);
    // OpenSM makes every port a limited member of the default partition.
    const bool member = here.member() || is_default(*partition);
    const bool fits = member && ((key & kFullMember) == 0 || here.full());
    if (!fits && !is_wrong) surplus.push_back({partition->name, key, member});
  }
  return surplus;
}

}  // namespace fabric::verify
