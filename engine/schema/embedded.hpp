// SPDX-License-Identifier: Apache-2.0
// The files of schemas/, compiled in (embedded.cpp is made by cmake/FabricEmbed.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace fabric::schema {

struct EmbeddedFile {
  std::string_view name;  // "fabric.schema.json", "hardware.json"
  std::string_view text;
};

// The files in order of name.
const std::vector<EmbeddedFile>& embedded_files();

}  // namespace fabric::schema
