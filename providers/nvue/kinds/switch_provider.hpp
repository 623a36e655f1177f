// SPDX-License-Identifier: Apache-2.0
// A kind of resource whose attributes are read one by one, and whose changes are revisions.
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

// A provider with the probes of ports, bonds and VLANs. All its changes have the same disruption. A
// change that is applied but not saved is saved; for any other change `revise` is called, with
// facts.applied known and at least one attribute to activate.
Provider switch_provider(
    std::string_view kind,
    Disruption disruption,
    LayeredReading (*reading)(const SwitchFacts& facts, const Asked& asked),
    Result<Work> (*revise)(const Change& change, const SwitchFacts& facts));

}  // namespace fabric::providers::nvue
