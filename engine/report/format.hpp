// SPDX-License-Identifier: Apache-2.0
// Format: one way to write a kind of document, and the input of every format.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.hpp"
#include "engine/report/terminal/style.hpp"

namespace fabric::report {

// The settings that a writer needs about the readers of its document.
struct Audience {
  Style style;           // of a text for people
  std::string version;   // of fabric
  std::string root;      // the checkout that paths are made relative to; may be empty
  std::string folder{};  // to which relative paths are relative; "" = the root
};

// A row of the table of a kind of document (formats.hpp).
template <class Document>
struct Format {
  std::string_view name;  // of --format
  // Returns one whole document with its final newline.
  Text (*write)(const Document& document, const Audience& audience);
};

template <class Document>
using Formats = std::span<const Format<Document>>;

// "human", "json", ..., in the order of the table; the first is the default of --format.
template <class Document>
std::vector<std::string> names_of(Formats<Document> formats) {
  std::vector<std::string> names;
  for (const Format<Document>& format : formats)
    names.emplace_back(format.name);
  return names;
}

// REQUIRES: `name` is in the table, as checked by the command line (cli/terminal/format.hpp);
// otherwise the program stops.
template <class Document>
Text write_as(
    std::string_view name,
    Formats<Document> formats,
    const Document& document,
    const Audience& audience) {
  const auto format = std::find_if(
      formats.begin(), formats.end(), [&](const auto& each) { return each.name == name; });
  FABRIC_CHECK(format != formats.end(), "a format that its document has not");
  return format->write(document, audience);
}

}  // namespace fabric::report
