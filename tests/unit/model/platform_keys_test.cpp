// SPDX-License-Identifier: Apache-2.0
#include "engine/model/platform_keys.hpp"

#include <set>
#include <string>
#include <vector>

#include "engine/model/platform.hpp"
#include "engine/schema/catalog.hpp"
#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

// Every key of the schema of documents, as the table spells keys; of `mode` every value.
class Keys {
 public:
  Keys() : schema_{*parse_json(schema::find_schema("fabric"))} { add(schema_, ""); }
  const std::set<std::string>& all() const { return all_; }

 private:
  const Value& resolved(const Value& node) const {
    const std::string reference = node.string_or_empty("$ref");
    return reference.empty() ? node : *schema_.find("$defs")->find(reference.substr(8));
  }

  void put(const std::string& path, const Value& node) {
    all_.insert(path);
    const Value* choices = node.find("enum");
    if (path == "networks.*.mode" && choices != nullptr) {
      for (const Value& each : *choices->as_list())
        all_.insert(path + "=" + to_text(each));
    }
    // A partial node, whose keys are those of `nodes`.
    if (path != "defaults" && path != "profiles.*") add(node, path);
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the schema.
  void add(const Value& written, const std::string& path) {
    const Value& node = resolved(written);
    const std::string dot = path.empty() ? "" : path + ".";
    if (const Value* properties = node.find("properties")) {
      for (const auto& [key, value] : *properties->as_map())
        put(dot + std::string{key}, value);
    }
    for (const char* free : {"additionalProperties", "items"}) {
      const Value* value = node.find(free);
      if (value == nullptr || value->as_map() == nullptr) continue;
      if (std::string_view{free} == "items") {
        add(*value, path);
      } else {
        put(dot + "*", *value);
      }
    }
    if (node.find("patternProperties") != nullptr) all_.insert(dot + "*");
    for (const char* forms : {"anyOf", "oneOf"}) {
      const Value* list = node.find(forms);
      if (list == nullptr) continue;
      for (const Value& each : *list->as_list())
        add(each, path);
    }
  }

  Value schema_;
  std::set<std::string> all_;
};

const KeyRow* row_of(const PlatformTraits& platform, const std::string& key) {
  const std::size_t equals = key.find('=');
  return equals == std::string::npos
             ? find_key_row(platform, key)
             : find_key_row(platform, key.substr(0, equals), key.substr(equals + 1));
}

// Names of its own, whose keys are the rows.
bool is_container(const std::string& key) {
  return key == "nodes" || key == "networks" || key == "nodes.*" || key == "networks.*" ||
         key == "networks.*.mode";
}

TEST_CASE("every key of the schema has a use on every platform") {
  const Keys keys;
  CHECK(keys.all().contains("nodes.*.adapters.*.firmware.params.*"));
  CHECK(keys.all().contains("networks.*.subnet_manager.routing_engine"));
  std::vector<std::string> unknown;
  for (const std::string& key : keys.all()) {
    if (is_container(key)) continue;
    for (const PlatformTraits& platform : platforms()) {
      const KeyRow* row = row_of(platform, key);
      if (row == nullptr) unknown.push_back(key + " on " + std::string{platform.name});
    }
  }
  CHECK(unknown == std::vector<std::string>{});
}

TEST_CASE("a row is of a key that the schema has, and says what to write where it refuses") {
  const Keys keys;
  for (const PlatformTraits& platform : platforms()) {
    for (const std::span<const KeyRow> rows : platform.keys->rows) {
      for (const KeyRow& row : rows) {
        CAPTURE(platform.name, row.key);
        const std::string key{row.key.substr(0, row.key.find('='))};
        CHECK(keys.all().contains(key));
        // Whoever is refused is told what to write.
        const bool is_told_here = row.rule == "key-not-on-platform";
        const bool refuses = (row.use == KeyUse::refused && is_told_here) || !row.needs.empty();
        CHECK(refuses == !row.instead.empty());
        CHECK((row.needs.empty() || keys.all().contains(std::string{row.needs})));
      }
    }
  }
}

TEST_CASE("a key is shown as its author writes it") {
  CHECK(
      shown_key("nodes.*.adapters.*.firmware.params.*=default") ==
      "adapters.firmware.params: default");
  CHECK(shown_key("networks.*.mode=lag") == "mode: lag");
  CHECK(shown_key("rollout") == "rollout");
}

}  // namespace
}  // namespace fabric
