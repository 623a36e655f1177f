// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/cli/verbs/commit.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/model/platform_keys.hpp"
#include "engine/model/resource_kinds.hpp"
#include "engine/schema/catalog.hpp"
#include "engine/value/json.hpp"

namespace fabric::cli {

namespace {

// No schemas, and beside them: which keys of the document each platform has, and the kinds of
// resource of a plan.
constexpr std::string_view kPlatforms = "platforms";
constexpr std::string_view kResources = "resources";

std::string names() {
  std::vector<std::string> all = schema::schema_names();
  all.emplace_back(kPlatforms);
  all.emplace_back(kResources);
  return join(all, ", ");
}

std::string text_of(std::string_view name) {
  if (name == kPlatforms) return to_json_pretty(platform_key_table()) + "\n";
  if (name == kResources) return to_json_pretty(resource_kind_table()) + "\n";
  return std::string{schema::find_schema(name)};
}

class SchemaVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("NAME", name_, "one of " + names())->default_val("fabric");
  }

  Result<ExitCode> run(Context& context) override {
    const std::string text = text_of(name_);
    if (text.empty()) {
      return Error{
          ErrorCode::invalid, fmt::format("no schema '{}'; there are: {}", name_, names())};
    }
    if (context.json()) {
      const Value schema = FABRIC_TRY(parse_json(text));
      context.events().emit(
          "info", "schema", fmt::format("schema {}", name_), {{"schema", schema}});
    } else {
      context.result(text);
    }
    return ExitCode::done;
  }

 private:
  std::string name_;
};

class VersionVerb final : public Verb {
 public:
  void declare(CLI::App& app) override { static_cast<void>(app); }

  Result<ExitCode> run(Context& context) override {
    const std::string text = fmt::format("fabric {} ({})", FABRIC_VERSION, source_commit());
    if (context.json()) {
      context.events().emit(
          "info",
          "version",
          text,
          {{"fabric", FABRIC_VERSION}, {"commit", std::string{source_commit()}}, {"ui", "1.0"}});
    } else {
      context.result(text + "\n");
    }
    return ExitCode::done;
  }
};

}  // namespace

std::unique_ptr<Verb> make_schema() {
  return std::make_unique<SchemaVerb>();
}
std::unique_ptr<Verb> make_version() {
  return std::make_unique<VersionVerb>();
}

}  // namespace fabric::cli
