// SPDX-License-Identifier: Apache-2.0
// The prompt of an Onyx switch: its modes, pager, echo and words.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "providers/mlnx_os/lab/mlnxos_machine.hpp"

namespace fabric::lab::mlnxos {

std::unique_ptr<PromptSession> open_prompt(MlnxosMachine& machine, const Network& network);

using Words = std::vector<std::string>;

std::string unrecognized(const std::string& word);
// Sets a line that replaces all lines with the same start; and removes it. Both print nothing.
std::string set(MlnxosMachine& machine, const std::string& start, const std::string& rest);
std::string unset(MlnxosMachine& machine, const std::string& start);

// For a switch with InfiniBand ports: "ib ..." in configuration mode, and its `show` commands.
std::string infiniband_line(MlnxosMachine& machine, const Words& words, bool no);
std::optional<std::string> show_infiniband(
    const MlnxosMachine& machine, const Network& network, const std::string& line);
// The partitions' names, the default one first; one's members (who, "full" or "limited").
std::vector<std::string> partitions(const MlnxosMachine& machine);
std::vector<std::pair<std::string, std::string>> members(
    const MlnxosMachine& machine, const std::string& partition);
// The bytes of "4K", as the MTU of a partition is written.
std::optional<std::uint32_t> bytes_of(std::string_view word);

// `show interfaces port-channel summary`, or that of channels over a pair.
std::string show_channels(const MlnxosMachine& machine, const Network& network, bool of_pair);

// Runs one line of the configuration mode. Returns "" or the error that the switch prints.
std::string configure(MlnxosMachine& machine, const std::vector<std::string>& given);
// The output of `show ...`; for unknown words "" with `known` false.
std::string show(
    const MlnxosMachine& machine,
    const Network& network,
    const std::vector<std::string>& words,
    bool enabled,
    bool& known);

}  // namespace fabric::lab::mlnxos
