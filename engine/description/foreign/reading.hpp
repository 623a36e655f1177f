// SPDX-License-Identifier: Apache-2.0
// What all parsers of foreign files share: refusals with their line, YAML trees, CSV rows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/description/foreign/cabling.hpp"
#include "engine/yaml/node.hpp"

namespace fabric::description {

// "line N: message"
Error refusal(std::size_t line, std::string message);

// The lines of a text, to tell on which one a byte stands (from 1).
class Lines {
 public:
  explicit Lines(std::string_view text);
  std::size_t of(std::size_t offset) const;

 private:
  std::vector<std::size_t> ends_;
};

// A YAML file of somebody else, by the reader of documents: no anchors, no tags, no duplicate keys.
// Fails with the first problem.
Result<yaml::Node> read_yaml(std::string_view text);

// A name or address of a host, and nothing that a shell, YAML or a node set could take for more.
bool is_host_text(std::string_view text);

struct CsvRow {
  std::vector<std::string> cells;  // trimmed
  bool is_comment = false;         // its line begins with '#'
  std::size_t line = 1;
};
// RFC 4180; rows of nothing but empty cells are left out. Fails on a quote that does not end.
Result<std::vector<CsvRow>> read_csv(std::string_view text);

// As describe(), within the limits of a document. Fails where there are no cables and no devices.
Result<Description> described(const Cabling& cabling, const std::string& mode);

}  // namespace fabric::description
