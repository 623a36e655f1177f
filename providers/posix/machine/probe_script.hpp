// SPDX-License-Identifier: Apache-2.0
// All probes of a node as one POSIX sh script, and the parser of its output: one session and one
// exec per node, however many facts.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/probe.hpp"
#include "engine/platform/probe_texts.hpp"
#include "engine/remote/command.hpp"

namespace fabric::platform {

// The command (`sh -s FOLDERS NONCE` with the script on standard input). Sections are marked on
// both streams with `nonce`, a word that needs no quotes, so that a tool's output can't be taken
// for a mark; the end of the script has a mark of its own, so that a cut output is never taken for
// complete. `folders`: the path in which programs are searched after that of the login,
// "/usr/sbin:/sbin".
remote::Command probe_command(
    std::span<const Probe> probes,
    std::string_view nonce,
    Duration timeout,
    std::string_view folders);

// The outputs by ProbeTexts::printed. Fails with ErrorCode::invalid, naming the probe, if a section
// or the end mark is missing, or if another system than `expected` answered.
Result<std::map<std::string, ProbeOutput, std::less<>>> split_probe_output(
    std::span<const Probe> probes,
    std::string_view nonce,
    const remote::CommandOutput& output,
    ProbeTexts& texts,
    Platform expected);

// The platform that answered instead of `expected`; nullopt if none shows itself. Any switch with
// NVUE is cumulus: its own probes tell which platform it is.
std::optional<Platform> platform_that_answered(
    std::string_view nonce, const remote::CommandOutput& output, Platform expected);

}  // namespace fabric::platform
