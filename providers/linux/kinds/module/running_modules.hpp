// SPDX-License-Identifier: Apache-2.0
// The modules that the kernel has now, with the parameters that it shows.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

struct ModuleParameter {
  std::string value;
  bool writable = false;  // while the module is loaded
};

// Loaded modules, by names as module_name gives them.
struct RunningModules {
  bool known = false;  // the probe ran
  std::set<std::string, std::less<>> loaded;
  std::set<std::string, std::less<>> built_in;
  // Parameters of loaded modules; unreadable ones are left out.
  std::map<std::string, std::map<std::string, ModuleParameter, std::less<>>, std::less<>>
      parameters;

  bool has(std::string_view module) const {
    return loaded.contains(module) || built_in.contains(module);
  }
  const ModuleParameter* parameter(std::string_view module, std::string_view name) const;
};

Probe running_modules_probe();
const RunningModules& running_modules(const NodeFacts& facts);

}  // namespace fabric::providers
