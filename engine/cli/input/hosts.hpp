// SPDX-License-Identifier: Apache-2.0
// Facts of hosts that no document names yet.
#pragma once

#include <string>
#include <vector>

#include "engine/cli/terminal/context.hpp"
#include "engine/description/merge.hpp"
#include "engine/platform/facts.hpp"

namespace fabric::cli {

// The facts of these hosts by SSH (or in the lab); with --facts, of all hosts that have a file in
// that folder, or of those named. Takes node sets. A node that turns out to be no Linux host is
// asked again, by its own platform. Fails with ErrorCode::invalid for a text that is no name of a
// host, and as read_facts.
Result<std::vector<NodeFacts>> facts_of_hosts(
    Context& context, const std::vector<std::string>& hosts);

// The InfiniBand subnets of these hosts, each as its first host sees it: sources of cables. `hosts`
// is made from `facts`. Hosts that could not read their subnet are noted.
Result<std::vector<description::Source>> subnets_of_hosts(
    Context& context, const description::Description& hosts, const std::vector<NodeFacts>& facts);

}  // namespace fabric::cli
