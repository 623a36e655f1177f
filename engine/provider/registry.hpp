// Registry: the providers of this program, by kind. Filled by name in the composition root.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/provider/provider.hpp"

namespace fabric {

class Registry {
 public:
  // REQUIRES: no provider of this kind was added before.
  void add(std::unique_ptr<Provider> provider);
  // Null if there is none.
  const Provider* find(std::string_view kind) const;
  // In order of kind.
  std::vector<const Provider*> all() const;
  // Each probe once, in order of id. REQUIRES: equal ids have equal scripts.
  std::vector<Probe> probes() const;
  // Only those of the named kinds.
  std::vector<Probe> probes(const std::vector<std::string>& kinds) const;

 private:
  std::vector<std::unique_ptr<Provider>> providers_;  // in order of kind
};

}  // namespace fabric
