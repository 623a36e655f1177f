// Pings over the fabric and the judgement of what came back.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/cli/exit_code.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/remote/runner.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::cli {

// Each does what the ones before it do. `link`: cables. `path`: pings. `rdma`: whether RDMA works.
// `perf`: bandwidth by RDMA and TCP.
enum class VerifyLevel : std::uint8_t { link, path, rdma, perf };

struct VerifyWish {
  VerifyLevel level = VerifyLevel::path;
  Duration duration{5'000};  // of each measurement of `perf`
  bool failover = false;     // close the ports of bonds, one after the other
};

// What is verified: the document, and what discovery and the providers said of it.
struct Observed {
  const FabricSpec& spec;
  const discovery::Snapshot& snapshot;
  const Diagnostics& of_resources;
};

// One script of pings per node, all nodes at once; counters are read before and after. `wire` is
// what the InfiniBand subnets look like. `context` hears who is still waited for.
verify::Report verify_now(
    Context& context,
    const Observed& observed,
    remote::StepRunner& runner,
    const VerifyWish& wish,
    verify::WireEvidence wire,
    Random& random);

// 13 with findings, 4 if the only thing wrong is that nodes were not reached.
ExitCode exit_code_of(const verify::Report& report);

void show(const Context& context, const verify::Report& report, const SourceMap& sources);

}  // namespace fabric::cli
