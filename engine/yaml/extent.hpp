// SPDX-License-Identifier: Apache-2.0
// Finds the ends of the tokens of a YAML text: yaml-cpp gives only their begins. All offsets are
// bytes of the whole text; nothing here fails, at worst an extent stops at the end of the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fabric::yaml {

// The offset behind tags (!x), anchors (&x) and blanks after them; `begin` if there are none.
std::uint32_t skip_properties(std::string_view text, std::uint32_t begin);

// The end of the word that begins here: up to a blank, a line end or a flow indicator.
std::uint32_t word_end(std::string_view text, std::uint32_t begin);

// The end of the quoted scalar that begins here, or nullopt if its quote is never closed.
// REQUIRES: text[begin] is ' or ".
std::optional<std::uint32_t> quoted_end(std::string_view text, std::uint32_t begin);

// The end of the plain, quoted or block scalar that begins here and was read as `value`.
std::uint32_t scalar_end(std::string_view text, std::uint32_t begin, std::string_view value);

// The offset behind blanks, line ends and comments.
std::uint32_t skip_space(std::string_view text, std::uint32_t begin);

// The offset behind the next ']' or '}', if only separators and comments are in between.
std::uint32_t flow_collection_end(std::string_view text, std::uint32_t after_last_child);

// The offset behind the ~ or null that yaml-cpp saw here; `begin` if the value or key is empty.
std::uint32_t null_word_end(std::string_view text, std::uint32_t begin);

// True if ~ or null is written here as a value. To yaml-cpp an empty value begins where the next
// token does, which may be a key that is called null.
bool is_written_null(std::string_view text, std::uint32_t begin);

// The tab among the leading blanks of the line that holds `offset`, or npos.
std::size_t tab_in_indentation(std::string_view text, std::uint32_t offset);

}  // namespace fabric::yaml
