// SPDX-License-Identifier: Apache-2.0
// The foreign descriptions that `fabric import` reads.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "engine/base/limits.hpp"
#include "engine/base/result.hpp"
#include "engine/description/description.hpp"

namespace fabric::description {

struct ForeignFormat {
  std::string_view name;     // of --from: "topo"
  std::string_view summary;  // "ibdm topology file (.topo)"
  // True for content that only this format has; the first such format in the table is taken.
  bool (*recognises)(std::string_view text);
  // Fails with ErrorCode::invalid, "line N: ...", if the text has another format or more content
  // than limits::kNodes or kCables; it never guesses.
  Result<Description> (*parse)(std::string_view text);
  Nearness nearness = Nearness::cabling;
  std::size_t bytes_max = limits::kDocumentBytes;
};

// The formats that no tool on a node prints, in order of name.
const std::vector<ForeignFormat>& foreign_formats();

Result<Description> parse_ansible(std::string_view text);
Result<Description> parse_cable_csv(std::string_view text);
Result<Description> parse_containerlab(std::string_view text);
Result<Description> parse_lst(std::string_view text);
Result<Description> parse_node_name_map(std::string_view text);
Result<Description> parse_ptm(std::string_view text);
Result<Description> parse_slurm(std::string_view text);
Result<Description> parse_topo(std::string_view text);

}  // namespace fabric::description
