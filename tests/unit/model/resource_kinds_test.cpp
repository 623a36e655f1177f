// SPDX-License-Identifier: Apache-2.0
// What expansion makes of every document of the examples and of the golden tests is what the rows
// of the kinds say, and each name in a row is made somewhere.
#include "engine/model/resource_kinds.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "engine/model/document/load.hpp"
#include "engine/model/expand/expand.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

using Row = const ResourceKind*;

// What rows and resources have, by row.
struct Seen {
  std::map<Row, std::set<std::string, std::less<>>> bindings, attributes;
  std::set<std::string> undeclared;

  void add(const Resource& resource) {
    const Row row = find_resource_kind(resource.address.kind, resource.platform);
    const std::string of = std::string{resource.address.kind} +
                           (is_switch(resource.platform) ? " of a switch: " : ": ");
    if (row == nullptr) {
      undeclared.insert(of + "no row");
      return;
    }
    const auto bindings = key_names(row->binding);
    for (const auto& [key, value] : *resource.binding) {
      if (key == "observe") continue;
      this->bindings[row].insert(std::string{key});
      if (!bindings.contains(key)) undeclared.insert(of + "binding " + std::string{key});
    }
    const auto attributes = key_names(row->attributes);
    for (const auto& [name, value] : *resource.desired) {
      this->attributes[row].insert(name);
      if (!attributes.contains(name) && !attributes.contains("*"))
        undeclared.insert(of + "attribute " + name);
    }
    const auto features = key_names(row->features);
    for (const Feature& each : resource.features) {
      const bool is_declared = each.name.empty() || resource.desired.contains(each.name) ||
                               attributes.contains(each.name) || features.contains(each.name) ||
                               features.contains(each.name.substr(0, each.name.find('.')) + ".*");
      if (!is_declared) undeclared.insert(of + "feature " + each.name);
    }
  }
};

// Nothing of a document that has a mistake.
void add_all_of(std::string text, Seen& seen) {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", std::move(text));
  LoadedDocument loaded = load_document(sources, {file});
  if (loaded.diagnostics.has_errors()) return;
  for (const PlatformTraits& each : platforms()) {
    if (each.is_managed) loaded.spec.reached.insert(each.platform);
  }
  Diagnostics refused;
  for (const Resource& each : expand(loaded.spec, refused))
    seen.add(each);
}

Seen seen_everywhere() {
  Seen seen;
  for (const char* folder : {"examples", "tests/golden", "tests/facts"}) {
    const auto top = std::filesystem::path{FABRIC_SOURCE_DIR} / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{top}) {
      if (entry.path().extension() != ".yaml" || entry.is_symlink()) continue;
      std::ifstream file{entry.path()};
      std::ostringstream text;
      text << file.rdbuf();
      add_all_of(text.str(), seen);
    }
  }
  return seen;
}

TEST_CASE("the rows of the kinds are what expansion makes", "[model]") {
  const Seen seen = seen_everywhere();
  CHECK(seen.undeclared == std::set<std::string>{});
  std::set<std::string> never;
  const auto from_facts = key_names("FACTS");
  for (const ResourceKind& row : resource_kinds()) {
    const std::string of = std::string{row.kind} + (row.of_switch ? " of a switch: " : ": ");
    const auto made = [&row](const auto& by_row, std::string_view name) {
      const auto found = by_row.find(&row);
      return name == "*" || (found != by_row.end() && found->second.contains(name));
    };
    for (const std::string_view name : key_names(row.binding)) {
      if (from_facts.contains(name)) continue;
      if (!made(seen.bindings, name)) never.insert(of + "binding " + std::string{name});
    }
    for (const std::string_view name : key_names(row.attributes)) {
      if (!made(seen.attributes, name)) never.insert(of + "attribute " + std::string{name});
    }
  }
  CHECK(never == std::set<std::string>{});
}

}  // namespace
}  // namespace fabric
