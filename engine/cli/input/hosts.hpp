// SPDX-License-Identifier: Apache-2.0
// Facts of hosts that no document names yet.
#pragma once

#include <string>
#include <vector>

#include "engine/cli/terminal/context.hpp"
#include "engine/description/merge.hpp"
#include "engine/platform/facts.hpp"

namespace fabric::cli {

// Of these hosts by SSH (or in the lab), or with --facts of all that have a file in that folder,
// else of those named. Node sets are taken.
// A node that turns out to be no Linux host is asked again, by its own platform. Fails with
// ErrorCode::invalid for what is no name of a host, and as read_facts.
Result<std::vector<NodeFacts>> facts_of_hosts(
    Context& context, const std::vector<std::string>& hosts);

// The InfiniBand subnets that these hosts are in, each as the first of its hosts sees it: sources
// that tell the cables. `hosts` is what `facts` say. A host that could not look is noted.
Result<std::vector<description::Source>> subnets_of_hosts(
    Context& context, const description::Description& hosts, const std::vector<NodeFacts>& facts);

}  // namespace fabric::cli
