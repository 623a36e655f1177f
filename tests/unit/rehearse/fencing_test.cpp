// SPDX-License-Identifier: Apache-2.0
// Every step that the examples send is fenced, or reads only.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/unit/rehearse/ring_plan.hpp"

namespace fabric::rehearse {

namespace {

std::vector<std::filesystem::path> examples() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry :
       std::filesystem::directory_iterator{std::string{FABRIC_SOURCE_DIR} + "/examples"}) {
    const std::filesystem::path document = entry.path() / "fabric.yaml";
    if (std::filesystem::exists(document)) found.push_back(document);
  }
  return found;
}

}  // namespace

TEST_CASE("each step of each example is fenced or changes nothing", "[rehearse]") {
  std::size_t applied = 0;
  for (const std::filesystem::path& path : examples()) {
    INFO(path.string());
    std::ifstream file{path};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    SourceMap sources;
    const FileId id = sources.add("fabric.yaml", text);
    FabricSpec spec = std::move(load_document(sources, {id}).spec);
    spec.reached = {Platform::linux};
    Registry registry;
    providers::add_builtin_providers(registry);
    Diagnostics diagnostics;
    const std::vector<Resource> resources = expand(spec, diagnostics);
    // Some are of platforms that come later, and many equal nodes tell nothing more.
    constexpr std::size_t kFew = 8;
    if (diagnostics.has_errors() || spec.nodes.size() > kFew) continue;
    // Whatever goes to a node is seen by its monitors: the fence of each step, and whether it
    // changed something although it is said to read only.
    World world{{spec, sources, resources, registry, {}}, 1};
    const Round round = world.round({});
    if (!round.empty && round.exit == ExitCode::done) ++applied;
    for (const std::string& violation : world.violations()) {
      INFO(violation);
      CHECK(violation.find("without a fence") == std::string::npos);
      CHECK(violation.find("read only") == std::string::npos);
      CHECK(violation.find("its lock") == std::string::npos);
    }
  }
  CHECK(applied >= 4);
}

}  // namespace fabric::rehearse
