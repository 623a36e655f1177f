// SPDX-License-Identifier: Apache-2.0
// Observes interfaces of one node: the running state, the state that the files make, and the owners
// of the files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/provider/file_digests.hpp"
#include "engine/provider/provider.hpp"
#include "providers/linux/kinds/interface/backends/backend_choice.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"
#include "providers/parsers/proc_bonding.hpp"

namespace fabric::providers {

class LinkObserver {
 public:
  LinkObserver(const NodeFacts& facts, Diagnostics& diagnostics);
  Observation observe(const Resource& resource);

 private:
  using Attributes = std::map<std::string, std::optional<Reading>, std::less<>>;

  Attributes persistent(const Resource& resource, const FoundLink& link);
  Attributes without_backend(const Resource& resource);
  // Attributes for a back end that the document names and the node does not have.
  Attributes without_program(const Resource& resource, const BackendChoice& choice);
  Map values_in_files(
      const Resource& resource,
      const LinkTarget& target,
      const NetworkBackend& backend,
      bool adopts) const;
  Attributes read_files(
      const Resource& resource,
      const LinkTarget& target,
      const NetworkBackend& backend,
      bool adopts) const;
  // Attributes for a back end without rules for incoming packets.
  Attributes without_transit(const Resource& resource, const NetworkBackend& backend);
  void report_obstacle(const Resource& resource, const std::string& obstacle);
  // Reports running configuration that this resource takes over.
  void report_live(const Resource& resource, const FoundLink& link);
  // Reports a VLAN of the same number and port with another name, which no resource takes over.
  void report_same_vlan(const Resource& resource, const FoundLink& link);
  bool judge_foreign(
      const Resource& resource, const NetworkBackend& backend, const FoundLink& link);
  void report_unused(
      const Resource& resource, const NetworkBackend& backend, const LinkTarget& target);
  void report_bond(const Resource& resource, const FoundLink& link);

  const NodeFacts& facts_;
  Diagnostics& diagnostics_;
  const std::vector<Card>& cards_;
  const RunningLinks& links_;
  const FileTexts& files_;
  FileDigests digests_;
  bool reported_backend_ = false;
  bool reported_foreign_ = false;  // of the resource that was judged last
  bool takes_over_ = false;        // the same
  std::vector<ForeignEntry> taken_;
  bool reported_unused_ = false;
  bool reported_package_ = false;
  bool reported_transit_ = false;
};

// Faults of a running bond. For plans (a warning) and for `verify` (a failure).

struct BondAilment {
  std::string_view fault;  // engine/provider/bond_faults.hpp
  std::string text;
  friend bool operator==(const BondAilment&, const BondAilment&) = default;
};
// The faults, worst first; empty = healthy. A state "up" is no evidence of LACP: every MII status
// may be up, and the RoCE LAG device may exist, while nothing is aggregated.
std::vector<BondAilment> bond_ailments(const ProcBonding& bond);

// Another program that writes a file of network configuration: what fabric takes out of the file
// comes back when that program runs again.

struct Generator {
  std::string_view name;  // "Proxmox SDN"; "" = none that is known
  std::string_view told;  // how to make that program leave the interface alone
  bool known() const { return !name.empty(); }
};
// The program is recognised by the path of the file, or by the comments at its head.
Generator generator_of(std::string_view path, std::string_view content);

}  // namespace fabric::providers
