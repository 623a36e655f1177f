// SPDX-License-Identifier: Apache-2.0
// Tests over the fabric and the judgement of their results.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "engine/base/exit_code.hpp"
#include "engine/base/random.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/execute/lease/leases.hpp"
#include "engine/model/spec.hpp"
#include "engine/provider/registry.hpp"
#include "engine/remote/runner.hpp"
#include "engine/verify/flows/flow_choice.hpp"
#include "engine/verify/verify.hpp"
#include "engine/workflow/listener.hpp"
#include "engine/workflow/resources.hpp"
#include "engine/workflow/wire_reading.hpp"

namespace fabric::workflow {

// Each level includes the ones before it. `link`: cables. (The true state of links is read if
// VerifyWish::links is set.) `path`: pings. `rdma`: whether RDMA works. `perf`: bandwidth by RDMA
// and TCP.
enum class VerifyLevel : std::uint8_t { link, path, rdma, perf };

struct VerifyWish {
  VerifyLevel level = VerifyLevel::path;
  Duration duration{5'000};                                 // for each measurement of `perf`
  verify::FlowPairs pairs = verify::FlowPairs::neighbours;  // flows that are measured
  bool failover = false;       // close the ports of bonds, one after the other
  bool links = false;          // read modules, FEC and slots, which takes seconds
  bool odd = false;            // compare equal nodes with each other by these readings
  std::set<NodeName> limit{};  // only these are pinged, measured or closed; empty = all
  // The terms of the locks under which subnet managers are stopped; nullopt: none is stopped.
  std::optional<execute::LeaseTerms> lock{};
};

// The subject of verify: the document, and the results of discovery and the providers.
struct Observed {
  const FabricSpec& spec;
  const discovery::Snapshot& snapshot;
  const Diagnostics& of_resources;
  const Registry& registry;  // has the platform of each node that was reached
  const std::vector<Resource>& resources;
};

// One script of pings per node, all nodes at the same time; counters are read before and after.
// `wire` is the state of the InfiniBand subnets. `listener` is given the nodes that have not
// answered yet.
verify::Report verify_now(
    Listener& listener,
    const Observed& observed,
    remote::StepRunner& runner,
    const VerifyWish& wish,
    verify::WireEvidence wire,
    Random& random);

// The first findings of `verify`.
struct VerifySources {
  std::vector<NodeFacts> facts;
  std::vector<WireWay> ways{};  // the ways to learn of the subnets
};

// All of `verify`, from facts on. `runner`: null where no node may be asked; then only the facts
// and the paths are judged.
verify::Report verify_fabric(
    Listener& listener,
    const Desired& desired,
    VerifySources sources,
    const VerifyWish& wish,
    remote::StepRunner* runner,
    Random& random);

// 13 with findings, 4 if the only problem is that nodes were not reached or that the evidence does
// not cover some cables.
ExitCode exit_code_of(const verify::Report& report);

}  // namespace fabric::workflow
