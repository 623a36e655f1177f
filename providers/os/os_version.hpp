// SPDX-License-Identifier: Apache-2.0
// Provider "os" of systems that tell one version of themselves, which `os` is compared with.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

struct OsVersion {
  std::string name;                // of messages: "Cumulus Linux"
  std::vector<std::string> words;  // what documents call it, in lower case: "cumulus"
  std::string version;             // "5.9.1"
};

// Diagnostics: os-mismatch.
class OsVersionProvider : public Provider {
 public:
  std::string_view kind() const final { return kinds::kOs; }
  bool supports(const Resource& resource, std::string_view feature) const final;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const final;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const final {
    return Disruption::none;
  }
  // Fails for every change.
  Result<Work> work(const Change& change, const WorkContext& context) const final;

 private:
  // Fails where the system does not tell it; the message says why.
  virtual Result<OsVersion> version_of(const NodeFacts& facts) const = 0;
};

}  // namespace fabric::providers
