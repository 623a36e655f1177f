// SPDX-License-Identifier: Apache-2.0
// All probes of a node as one POSIX sh script, and its output taken apart again: one session and
// one exec per node, however many facts.
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
// for a mark; the end of the script has a mark of its own, so that output cut short is never taken
// for complete. `folders`: where programs are looked for after those of the login,
// "/usr/sbin:/sbin".
remote::Command probe_command(
    std::span<const Probe> probes,
    std::string_view nonce,
    Duration timeout,
    std::string_view folders);

// By ProbeTexts::printed. Fails with ErrorCode::invalid, naming the probe, if a section or the end
// mark is missing, and where another system answers than `expected`.
Result<std::map<std::string, ProbeOutput, std::less<>>> split_probe_output(
    std::span<const Probe> probes,
    std::string_view nonce,
    const remote::CommandOutput& output,
    ProbeTexts& texts,
    Platform expected);

// The platform that answered instead of `expected`; nothing where none shows itself. For a switch
// with NVUE it is cumulus: which one it is, its own probes tell.
std::optional<Platform> platform_that_answered(
    std::string_view nonce, const remote::CommandOutput& output, Platform expected);

}  // namespace fabric::platform
