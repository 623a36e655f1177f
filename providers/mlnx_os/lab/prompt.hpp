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
// A line that replaces all that begin so, and its removal. Both say nothing.
std::string set(MlnxosMachine& machine, const std::string& start, const std::string& rest);
std::string unset(MlnxosMachine& machine, const std::string& start);

// Of a switch with InfiniBand ports: "ib ..." in configuration mode, and what shows it.
std::string infiniband_line(MlnxosMachine& machine, const Words& words, bool no);
std::optional<std::string> show_infiniband(
    const MlnxosMachine& machine, const Network& network, const std::string& line);
// Names of partitions, the default one first; members of one of them (who, "full" or "limited").
std::vector<std::string> partitions(const MlnxosMachine& machine);
std::vector<std::pair<std::string, std::string>> members(
    const MlnxosMachine& machine, const std::string& partition);
// "4K", as an MTU of a partition is written.
std::optional<std::uint32_t> bytes_of(std::string_view word);

// `show interfaces port-channel summary`, or of the channels over a pair.
std::string show_channels(const MlnxosMachine& machine, const Network& network, bool of_pair);

// One line of the configuration mode. Nothing where it was done, else what is printed.
std::string configure(MlnxosMachine& machine, const std::vector<std::string>& given);
// What `show ...` prints; nothing is known of other words: "" and `known` is false.
std::string show(
    const MlnxosMachine& machine,
    const Network& network,
    const std::vector<std::string>& words,
    bool enabled,
    bool& known);

}  // namespace fabric::lab::mlnxos
