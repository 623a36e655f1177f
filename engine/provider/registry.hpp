// SPDX-License-Identifier: Apache-2.0
// Registry: the platforms of this program, and its providers by platform and kind. Filled by name
// in the composition root. A node is asked over the network if and only if its platform is here
// (is_reached() of model/spec.hpp).
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "engine/model/resource.hpp"
#include "engine/model/spec.hpp"
#include "engine/provider/provider.hpp"

namespace fabric {

namespace platform {
class HostPlatform;
}

class Registry {
 public:
  // REQUIRES: no platform of this name was added before; it outlives this.
  void add(const platform::HostPlatform& platform);
  // REQUIRES: `platform` was added before, and no provider of this kind for it.
  void add(Platform platform, Provider provider);

  // REQUIRES: the platform was added.
  const platform::HostPlatform& host(Platform platform) const;
  std::set<Platform> platforms() const;

  // Null if there is no such provider.
  const Provider* find(Platform platform, std::string_view kind) const;
  // The provider for the resource's platform and kind; null if there is none.
  const Provider* find(const Resource& resource) const;
  // All providers, in order of kind.
  std::vector<const Provider*> all(Platform platform) const;
  // Each probe once, in order of id. REQUIRES: equal ids of one platform have equal scripts.
  std::vector<Probe> probes(Platform platform) const;
  // Only probes of the named kinds.
  std::vector<Probe> probes(Platform platform, const std::vector<std::string>& kinds) const;
  // Provider::relate of every kind, on resources with their orphans (provider/orphan.hpp).
  void relate(std::vector<Resource>& resources) const;
  // The questions to a node: its identity, the providers' probes, and the platform's own.
  std::vector<Probe> all_probes(Platform platform) const;

 private:
  struct Entry {
    const platform::HostPlatform* host = nullptr;
    std::map<std::string_view, Provider> providers;  // by kind
  };
  std::map<Platform, Entry> entries_;
};

}  // namespace fabric
