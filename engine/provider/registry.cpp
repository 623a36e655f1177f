#include "engine/provider/registry.hpp"

#include <algorithm>
#include <map>

#include "engine/base/check.hpp"

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

void Registry::add(std::unique_ptr<Provider> provider) {
  const auto place = std::lower_bound(
      providers_.begin(),
      providers_.end(),
      provider->kind(),
      [](const auto& known, std::string_view kind) { return known->kind() < kind; });
  FABRIC_CHECK(
      place == providers_.end() || (*place)->kind() != provider->kind(),
      "two providers of one kind");
  providers_.insert(place, std::move(provider));
}

const Provider* Registry::find(std::string_view kind) const {
  const auto found = std::find_if(providers_.begin(), providers_.end(), [kind](const auto& known) {
    return known->kind() == kind;
  });
  return found == providers_.end() ? nullptr : found->get();
}

std::vector<const Provider*> Registry::all() const {
  std::vector<const Provider*> all;
  all.reserve(providers_.size());
  for (const auto& provider : providers_)
    all.push_back(provider.get());
  return all;
}

std::vector<Probe> Registry::probes() const {
  return probes_of(all());
}

std::vector<Probe> Registry::probes(const std::vector<std::string>& kinds) const {
  std::vector<const Provider*> named;
  for (const std::string& kind : kinds) {
    if (const Provider* provider = find(kind); provider != nullptr) named.push_back(provider);
  }
  return probes_of(named);
}

}  // namespace fabric
