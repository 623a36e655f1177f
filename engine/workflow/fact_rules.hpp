// SPDX-License-Identifier: Apache-2.0
// The rules of the document that need facts of its hosts.
#pragma once

#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/spec.hpp"
#include "engine/provider/registry.hpp"
#include "engine/verify/evidence/evidence.hpp"

namespace fabric::workflow {

struct JudgedFacts {
  const FabricSpec& spec;
  const discovery::Snapshot& snapshot;
  const std::vector<Resource>& resources;
  const Registry& registry;
  const verify::Evidence& evidence;  // of that document and snapshot
};

// A finding that a provider has made at the same place already is not repeated.
void judge_facts(const JudgedFacts& judged, Diagnostics& diagnostics);

}  // namespace fabric::workflow
