// Pings over the fabric and the judgement of what came back.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cli/context.hpp"
#include "engine/cli/exit_code.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/remote/runner.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::cli {

// `link`: cables only. `path`: pings as well.
enum class VerifyLevel : std::uint8_t { link, path };

// One script of pings per node, all nodes at once. `context` hears who is still waited for.
verify::Report verify_now(
    Context& context,
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    remote::StepRunner& runner,
    VerifyLevel level);

// 13 with findings, 4 if the only thing wrong is that nodes were not reached.
ExitCode exit_code_of(const verify::Report& report);

void show(const Context& context, const verify::Report& report, const SourceMap& sources);

}  // namespace fabric::cli
