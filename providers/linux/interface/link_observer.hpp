// Observes interfaces of one node: what runs, what the files make of it, and whose files they are.
#pragma once

#include <string>
#include <vector>

#include "engine/provider/provider.hpp"
#include "providers/linux/interface/backends/backend_choice.hpp"
#include "providers/linux/interface/link/find_link.hpp"

namespace fabric::providers {

class LinkObserver {
 public:
  LinkObserver(const NodeFacts& facts, Diagnostics& diagnostics);
  Observation observe(const Resource& resource);

 private:
  using Attributes = std::map<std::string, std::optional<Reading>, std::less<>>;

  Attributes persistent(const Resource& resource, const FoundLink& link);
  Attributes without_backend(const Resource& resource);
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
  void report_obstacle(const Resource& resource, const std::string& obstacle);
  // True if there is something that this resource takes over.
  bool judge_foreign(
      const Resource& resource, const NetworkBackend& backend, const LinkTarget& target);
  void report_unused(
      const Resource& resource, const NetworkBackend& backend, const LinkTarget& target);
  void report_bond(const Resource& resource, const FoundLink& link);

  const NodeFacts& facts_;
  Diagnostics& diagnostics_;
  std::vector<Card> cards_;
  RunningLinks links_;
  FileTexts files_;
  bool reported_backend_ = false;
  bool reported_unused_ = false;
  bool reported_package_ = false;
};

}  // namespace fabric::providers
