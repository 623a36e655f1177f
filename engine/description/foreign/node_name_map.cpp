// SPDX-License-Identifier: Apache-2.0
// The node name map of infiniband-diags and OpenSM: a line for each node, with its GUID and a
// person's name for it.
#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/description/foreign/formats.hpp"
#include "engine/description/foreign/reading.hpp"
#include "engine/model/names.hpp"

namespace fabric::description {

Result<Description> parse_node_name_map(std::string_view text) {
  Description found;
  LineReader reader{text};
  while (FABRIC_TRY(reader.next())) {
    const std::size_t line = reader.number();
    std::string_view rest = trim(reader.line());
    if (rest.empty() || rest.front() == '#') continue;
    const std::string_view word = take_word(rest);
    const auto guid = word.starts_with("0x") ? parse_unsigned(word.substr(2), 16) : std::nullopt;
    const std::size_t open = rest.find('"');
    const std::size_t close = open == std::string_view::npos ? open : rest.find('"', open + 1);
    if (!guid || close == std::string_view::npos || close == open + 1)
      return refusal(line, "expected a GUID and a name: 0x0002c902004b0918 \"leaf1\"");
    const std::string name{rest.substr(open + 1, close - open - 1)};
    const auto [known, is_new] = found.names_by_guid.emplace(Guid{*guid}.str(), name);
    if (!is_new && known->second != name)
      return refusal(
          line, fmt::format("{} is '{}' here, and '{}' above", word, name, known->second));
    if (found.names_by_guid.size() > limits::kNodes)
      return refusal(line, fmt::format("more than {} names", limits::kNodes));
  }
  if (found.names_by_guid.empty()) return refusal(1, "the map has no name");
  return found;
}

}  // namespace fabric::description
