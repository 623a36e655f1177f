// SPDX-License-Identifier: Apache-2.0
// The kinds of resource of ESX hosts (3.5, 4), which have a service console.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"
#include "providers/os/os_version.hpp"

namespace fabric::providers::esx_classic {

class OsProvider final : public OsVersionProvider {
 public:
  std::vector<Probe> probes() const override;
  Map inventory(const NodeFacts& facts) const override;

 private:
  Result<OsVersion> version_of(const NodeFacts& facts) const override;
};

// That the card of the document is there; lists cards and NICs.
class AdapterProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kAdapter; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Map inventory(const NodeFacts& facts) const override;
  std::map<std::string, std::string, std::less<>> port_guids(
      const Resource& resource, const NodeFacts& facts) const override;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::none;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// The vendor's bundles, in the order in which they depend on each other (E-esx-bundles).
class SoftwareProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSoftware; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Map inventory(const NodeFacts& facts) const override;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::reboot;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// Link types of ports, which the driver gives a card at the boot (E-esx-port-types).
class SettingsProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSettings; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::reboot;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// Options of the drivers for the next boot: uplinks of IPoIB, SRP, NetQueue (E-esx-uplinks).
class ModuleProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kModule; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource&, std::string_view) const override { return true; }
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Map inventory(const NodeFacts& facts) const override;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::reboot;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// Whether a run that entered the maintenance mode still has to leave it.
class DrainProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kDrain; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::none;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers::esx_classic
