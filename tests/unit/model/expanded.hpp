// SPDX-License-Identifier: Apache-2.0
// A document's text to its resources, and short ways to ask about them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/model/document/load.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"

namespace fabric::test {

using Lines = std::vector<std::string>;

struct Expanded {
  SourceMap sources;
  FabricSpec spec;
  std::vector<Resource> resources;
  Diagnostics refused;  // what is no resource

  const Resource& at(std::string_view address) const {
    const auto found = std::find_if(resources.begin(), resources.end(), [&](const Resource& each) {
      return each.address.str() == address;
    });
    INFO(address);
    REQUIRE(found != resources.end());
    return *found;
  }

  Lines addresses(std::string_view kind = "") const {
    Lines lines;
    for (const Resource& each : resources) {
      if (kind.empty() || each.address.kind == kind) lines.push_back(each.address.str());
    }
    return lines;
  }

  // "5: mode lag", of all resources, each once, in order of place.
  Lines features() const {
    std::vector<std::pair<std::uint32_t, std::string>> found;
    for (const Resource& each : resources) {
      for (const Feature& feature : each.features) {
        const Position position = sources.position(feature.range.file, feature.range.begin);
        found.emplace_back(position.line, feature.written);
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    Lines lines;
    for (const auto& [line, written] : found)
      lines.push_back(std::to_string(line) + ": " + written);
    return lines;
  }

  std::uint32_t line(const SourceRange& range) const {
    return sources.position(range.file, range.begin).line;
  }
};

inline Expanded expand_text(std::string text) {
  Expanded expanded;
  const FileId file = expanded.sources.add("fabric.yaml", std::move(text));
  LoadedDocument loaded = load_document(expanded.sources, {file});
  for (const Diagnostic& each : loaded.diagnostics.items()) {
    if (each.severity == Severity::error) FAIL(each.rule << ": " << each.message);
  }
  expanded.spec = std::move(loaded.spec);
  expanded.spec.reached = {Platform::linux, Platform::cumulus, Platform::nvos};
  expanded.resources = expand(expanded.spec, expanded.refused);
  return expanded;
}

// Desired attributes as JSON.
inline std::string desired(const Resource& resource) {
  Map map;
  for (const auto& [name, attribute] : resource.desired)
    map.emplace(name, attribute.value);
  return to_json(Value{std::move(map)});
}

inline Lines addresses_of(const std::vector<ResourceAddress>& list) {
  Lines lines;
  for (const ResourceAddress& each : list)
    lines.push_back(each.str());
  return lines;
}

inline Lines after(const Resource& resource) {
  return addresses_of(resource.after);
}

inline Lines beneath(const Resource& resource) {
  return addresses_of(resource.beneath);
}

inline Lines feature_names(const Resource& resource) {
  Lines lines;
  for (const Feature& feature : resource.features)
    lines.push_back(feature.name);
  return lines;
}

}  // namespace fabric::test
