// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/registry.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/check.hpp"
#include "engine/platform/host_platform.hpp"

namespace fabric {

namespace {

std::vector<Probe> probes_of(const std::vector<const Provider*>& providers) {
  std::map<std::string, std::string> scripts;
  for (const Provider* provider : providers) {
    for (Probe& probe : provider->probes()) {
      const auto [place, is_new] = scripts.try_emplace(std::move(probe.id), probe.script);
      FABRIC_CHECK(is_new || place->second == probe.script, "two probes share an id and differ");
    }
  }
  std::vector<Probe> probes;
  probes.reserve(scripts.size());
  for (auto& [id, script] : scripts)
    probes.push_back({id, std::move(script)});
  return probes;
}

}  // namespace

void Registry::add(const platform::HostPlatform& platform) {
  const bool is_new = entries_.try_emplace(platform.id(), Entry{&platform, {}}).second;
  FABRIC_CHECK(is_new, "two platforms of one name");
}

void Registry::add(Platform platform, Provider provider) {
  const auto entry = entries_.find(platform);
  FABRIC_CHECK(entry != entries_.end(), "a provider for a platform that is not there");
  FABRIC_CHECK(
      provider.probes && provider.observe && provider.disruption && provider.work,
      "a kind of resource is asked, observed and changed, and says what that disrupts");
  const std::string_view kind = provider.kind;
  const bool is_new = entry->second.providers.emplace(kind, std::move(provider)).second;
  FABRIC_CHECK(is_new, "two providers of one kind for one platform");
}

const platform::HostPlatform& Registry::host(Platform platform) const {
  const auto entry = entries_.find(platform);
  FABRIC_CHECK(entry != entries_.end(), "a node of a platform that this program does not reach");
  return *entry->second.host;
}

std::set<Platform> Registry::platforms() const {
  std::set<Platform> platforms;
  for (const auto& [platform, entry] : entries_)
    platforms.insert(platform);
  return platforms;
}

const Provider* Registry::find(Platform platform, std::string_view kind) const {
  const auto entry = entries_.find(platform);
  if (entry == entries_.end()) return nullptr;
  const auto found = entry->second.providers.find(kind);
  return found == entry->second.providers.end() ? nullptr : &found->second;
}

const Provider* Registry::find(const Resource& resource) const {
  return find(resource.platform, resource.address.kind);
}

std::vector<const Provider*> Registry::all(Platform platform) const {
  std::vector<const Provider*> all;
  const auto entry = entries_.find(platform);
  if (entry == entries_.end()) return all;
  all.reserve(entry->second.providers.size());
  for (const auto& [kind, provider] : entry->second.providers)
    all.push_back(&provider);
  return all;
}

std::vector<Probe> Registry::probes(Platform platform) const {
  return probes_of(all(platform));
}

std::vector<Probe> Registry::probes(
    Platform platform, const std::vector<std::string>& kinds) const {
  std::vector<const Provider*> named;
  for (const std::string& kind : kinds) {
    if (const Provider* provider = find(platform, kind); provider != nullptr)
      named.push_back(provider);
  }
  return probes_of(named);
}

void Registry::relate(std::vector<Resource>& resources) const {
  for (const auto& [platform, entry] : entries_) {
    for (const auto& [kind, provider] : entry.providers) {
      if (provider.relate) provider.relate(resources);
    }
  }
}

std::vector<Probe> Registry::all_probes(Platform platform) const {
  const platform::HostPlatform& machine = host(platform);
  std::vector<Probe> probes = this->probes(platform);
  const auto add = [&probes](Probe probe, bool in_front) {
    const bool known = std::any_of(
        probes.begin(), probes.end(), [&](const Probe& other) { return other.id == probe.id; });
    if (!known) probes.insert(in_front ? probes.begin() : probes.end(), std::move(probe));
  };
  add(machine.identity_probe(), true);
  for (Probe& probe : machine.own_probes())
    add(std::move(probe), false);
  return probes;
}

}  // namespace fabric
