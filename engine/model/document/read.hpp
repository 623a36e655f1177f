// SPDX-License-Identifier: Apache-2.0
// Reads typed values from layers. The schema has checked the shape: a value of another type counts
// as absent, since it has its diagnostic already.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/model/document/layers.hpp"

namespace fabric {

using TextMap = std::map<std::string, Sourced<std::string>>;

// Returns `fallback` without a place if nothing is given. Numbers and flags are read as their text.
Sourced<std::string> read_text(
    const Layers& section, std::string_view key, std::string_view fallback = {});
// A text that zips with its key. Sets that do not zip are `bad-node-set`.
Sourced<std::string> read_zipped(const Layers& section, std::string_view key, Findings& findings);
Sourced<bool> read_flag(const Layers& section, std::string_view key, bool fallback = false);
std::optional<Sourced<bool>> find_flag(const Layers& section, std::string_view key);
std::optional<Sourced<std::int64_t>> find_integer(const Layers& section, std::string_view key);
// Also absent if it is negative or beyond 32 bits.
std::optional<Sourced<std::uint32_t>> find_number(const Layers& section, std::string_view key);
Sourced<std::uint32_t> read_number(
    const Layers& section, std::string_view key, std::uint32_t fallback = 0);
// "500ms", "90s", "15m", "2h".
Sourced<Duration> read_duration(const Layers& section, std::string_view key, Duration fallback);
std::vector<Sourced<std::string>> read_texts(const Layers& section, std::string_view key);
// Whole numbers from 0 up to 32 bits.
std::vector<Sourced<std::uint32_t>> read_numbers(const Layers& section, std::string_view key);
// A list whose items may be node sets, expanded. A broken set is `bad-node-set`.
std::vector<Sourced<std::string>> read_names(
    const Layers& section, std::string_view key, Findings& findings);
// A list is an argument vector, a text is run by `sh -c`; empty if the key is not given.
Sourced<std::vector<std::string>> read_command(const Layers& section, std::string_view key);
// The scalars of a mapping whose keys are free; an empty value is left out.
TextMap read_text_map(const Layers& section);

// The choice with the written to_string(), or else the first one.
template <class Enumeration>
Sourced<Enumeration> read_choice(
    const Layers& section, std::string_view key, std::initializer_list<Enumeration> choices) {
  const Sourced<std::string> text = read_text(section, key);
  for (const Enumeration choice : choices) {
    if (to_string(choice) == text.value) return {choice, text.range};
  }
  return {*choices.begin(), {}};
}

// Reports `duplicate-key` if more than one of `keys` is given, in any layers. `only_across`: not if
// both are in one mapping, which the schema reports.
void check_exclusive(
    const Layers& section,
    std::initializer_list<std::string_view> keys,
    Findings& findings,
    bool only_across = false);

}  // namespace fabric
