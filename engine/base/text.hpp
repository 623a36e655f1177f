// SPDX-License-Identifier: Apache-2.0
// Text: the few string operations that the standard library lacks.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabric {

std::string_view trim(std::string_view text);
// The parts between separators: "a,b,,c" by ',' gives four.
std::vector<std::string_view> split(std::string_view text, char separator);
// The parts between runs of blanks and tabs; none is empty.
std::vector<std::string_view> split_words(std::string_view text);
// The words of a sentence that could be names (letters, digits, '-', '_', and '.' within): of
// "pve1/cx5/1: not 'leaf2'." those are pve1, cx5, 1, not, leaf2. They refer to the text.
std::vector<std::string_view> name_words(std::string_view text);
// The lines without their ends; a last line without '\n' counts, "" has none. "\r\n" is one end.
std::vector<std::string_view> split_lines(std::string_view text);
// Removes and returns the first line of `rest`, as split_lines would. For texts of millions of
// lines, whose list would need much memory. REQUIRES: `rest` is not empty.
std::string_view take_line(std::string_view& rest);
// The last line that is not blank, trimmed: a tool's last word. "" if there is none.
std::string last_line(std::string_view text);
// The parts refer to the text, so a temporary would leave them dangling (in a range-for too).
template <class Temporary>
requires std::same_as<Temporary, std::string> std::vector<std::string_view> split(
    Temporary&& text, char separator)
= delete;
template <class Temporary>
requires std::same_as<Temporary, std::string> std::vector<std::string_view> split_words(
    Temporary&& text)
= delete;
template <class Temporary>
requires std::same_as<Temporary, std::string> std::vector<std::string_view> split_lines(
    Temporary&& text)
= delete;
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string to_lower(std::string_view text);

// The whole text as a decimal number, optional '-'; no blanks, no '+', nothing after it.
std::optional<std::int64_t> parse_integer(std::string_view text);
// The whole text as digits of `base` (2..16), no prefix.
std::optional<std::uint64_t> parse_unsigned(std::string_view text, int base);

// The number of edits (insert, delete, replace, swap of neighbours) that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b);
// The candidate that `word` probably means, or "" if none is near. Of equally near ones the one
// with the same digits ("pvee11" for "pve11", not "pvee1"), then the first in order.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace fabric
