// SPDX-License-Identifier: Apache-2.0
// Every example converges, on each of its platforms, and every step that it sends is fenced, or
// reads only.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "engine/lab/lab_spec.hpp"

#include "tests/unit/rehearse/ring_plan.hpp"

namespace fabric::rehearse {

namespace {

std::vector<std::filesystem::path> examples() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry :
       std::filesystem::directory_iterator{std::string{FABRIC_SOURCE_DIR} + "/examples"}) {
    if (std::filesystem::exists(entry.path() / "fabric.yaml")) found.push_back(entry.path());
  }
  return found;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

lab::LabSpec reality_of(
    const std::filesystem::path& folder, SourceMap& sources, const FabricSpec& spec) {
  std::optional<FileId> file;
  const std::filesystem::path path = folder / "lab.yaml";
  if (std::filesystem::exists(path)) file = sources.add("lab.yaml", text_of(path));
  Diagnostics diagnostics;
  lab::LabSpec reality = lab::load_lab(sources, file, spec, diagnostics);
  REQUIRE_FALSE(diagnostics.has_errors());
  return reality;
}

}  // namespace

TEST_CASE(
    "each example converges, and each of its steps is fenced or changes nothing", "[rehearse]") {
  std::set<Platform> applied;
  for (const std::filesystem::path& folder : examples()) {
    INFO(folder.string());
    SourceMap sources;
    const FileId id = sources.add("fabric.yaml", text_of(folder / "fabric.yaml"));
    FabricSpec spec = std::move(load_document(sources, {id}).spec);
    Registry registry;
    providers::add_builtin_providers(registry);
    spec.reached = registry.platforms();
    Diagnostics diagnostics;
    const std::vector<Resource> resources = expand(spec, diagnostics);
    REQUIRE_FALSE(diagnostics.has_errors());
    // Many equal nodes tell nothing more: tests/lab/examples.py has them all, over real SSH.
    constexpr std::size_t kFew = 8;
    if (spec.nodes.size() > kFew) continue;
    // Whatever goes to a node is seen by its monitors: the fence of each step, and whether it
    // changed something although it is said to read only.
    Scene scene{
        spec,
        sources,
        resources,
        registry,
        providers::simulated_platforms(),
        reality_of(folder, sources, spec)};
    for (const auto& [name, node] : spec.nodes) {
      if (node.platform.value == Platform::mlnx_os) scene.allow_no_rollback.insert(name);
    }
    World world{std::move(scene), 1};
    const Round first = world.round({});
    INFO(first.failure);
    CHECK((!first.errors && first.complete && !first.empty));
    CHECK(first.exit == ExitCode::done);
    CHECK(world.round({}).empty);
    for (const std::string& violation : world.violations()) {
      INFO(violation);
      CHECK(violation.empty());
    }
    for (const auto& [name, node] : spec.nodes)
      applied.insert(node.platform.value);
  }
  CHECK(
      applied == std::set<Platform>{
                     Platform::linux,
                     Platform::esxi,
                     Platform::esx_classic,
                     Platform::mlnx_os,
                     Platform::cumulus,
                     Platform::nvos,
                     Platform::unmanaged});
}

}  // namespace fabric::rehearse
