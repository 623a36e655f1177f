// SPDX-License-Identifier: Apache-2.0
// SwitchProvider: a kind of resource whose attributes are read one by one, and whose changes are
// revisions.
#pragma once

#include <string>

#include "engine/provider/provider.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"

namespace fabric::providers::nvue {

struct Asked {
  const Resource& resource;
  const std::string& attribute;
  const Value& desired;
};

class SwitchProvider : public Provider {
 public:
  std::string_view kind() const final { return kind_; }
  // Those of ports, bonds and VLANs.
  std::vector<Probe> probes() const override { return configuration_probes(); }
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const final;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const final {
    return disruption_;
  }
  // What is applied and only not saved is saved; anything else is `revise`.
  Result<Work> work(const Change& change, const WorkContext& context) const final;

 protected:
  // `kind` outlives the provider; all that the kind changes interrupts the same.
  SwitchProvider(std::string_view kind, Disruption disruption)
      : kind_{kind}, disruption_{disruption} {}

 private:
  virtual LayeredReading reading(const SwitchFacts& facts, const Asked& asked) const = 0;
  // REQUIRES: facts.applied is known, and something of the change is activated.
  virtual Result<Work> revise(const Change& change, const SwitchFacts& facts) const = 0;

  std::string_view kind_;
  Disruption disruption_;
};

}  // namespace fabric::providers::nvue
