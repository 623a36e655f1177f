// SPDX-License-Identifier: Apache-2.0
#include "engine/schema/catalog.hpp"

#include "engine/schema/embedded.hpp"

namespace fabric::schema {

namespace {
constexpr std::string_view kSuffix = ".schema.json";
}  // namespace

std::string_view find_schema(std::string_view name) {
  return find_table(std::string{name} + std::string{kSuffix});
}

std::string_view find_table(std::string_view file_name) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name == file_name) return file.text;
  }
  return {};
}

std::vector<std::string> schema_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name.size() > kSuffix.size() && file.name.ends_with(kSuffix)) {
      names.emplace_back(file.name.substr(0, file.name.size() - kSuffix.size()));
    }
  }
  return names;
}

}  // namespace fabric::schema
