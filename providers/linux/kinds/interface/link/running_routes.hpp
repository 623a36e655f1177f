// SPDX-License-Identifier: Apache-2.0
// The routes of an interface as they run, and the rule for what comes in by it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/provider/observation.hpp"
#include "engine/provider/provider.hpp"
#include "providers/linux/kinds/interface/link/link_config.hpp"

namespace fabric::providers {

std::vector<Probe> route_probes();

// Attributes of the running layer of one interface; an attribute that is not there is absent.
using RunningAttributes = std::map<std::string, Reading, std::less<>>;

// Adds gateway, gateway6, routes, incoming_table and source_table. ip of CentOS 7 shows its rules
// in no form to read: of a source table the file has to be enough there.
void read_routes(RunningAttributes& attributes, const NodeFacts& facts, const std::string& device);

// Routes of any author, of both families; none where they are not known. Without routes over
// several gateways.
struct DefaultRoute {
  std::string device, gateway;
};
std::vector<DefaultRoute> default_routes(const NodeFacts& facts);

// The routes of one interface that stand in files, in the main table; none where they are not
// known.
struct WrittenRoutes {
  std::string gateway, gateway6;  // of the default routes
  std::vector<Route> others;
};
WrittenRoutes written_routes(const NodeFacts& facts, const std::string& device);

}  // namespace fabric::providers
