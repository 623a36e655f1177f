// SPDX-License-Identifier: Apache-2.0
// The files of OpenSM as the provider writes them, for each manager of a document whose GUIDs the
// document itself tells. usage: manager_files DOCUMENT FOLDER; they come into FOLDER/NODE under
// their own names. Exit 1: the document has errors, 3: a manager has none.
#include "providers/linux/kinds/subnet_manager/manager_files.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/model/document/load.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/peers.hpp"
#include "providers/builtin.hpp"

namespace {

using namespace fabric;

// The port that the manager is on, by the end of its address: "ib.hca.1" is n1/hca/1.
Guid own_guid(const Resource& resource) {
  const auto found = resource.binding.find(keys::kPortGuids);
  const Map* guids = found == resource.binding.end() ? nullptr : found->second.as_map();
  for (const auto& [port, guid] : guids == nullptr ? Map{} : *guids) {
    const std::size_t slash = port.find('/');
    std::string name = port.substr(slash + 1);
    if (slash == std::string::npos) continue;  // a switch
    name.replace(name.find('/'), 1, ".");
    if (port.substr(0, slash) != resource.address.node.str()) continue;
    if (resource.address.name.ends_with("." + name)) return *Guid::parse(to_text(guid));
  }
  return Guid{0};
}

bool write_files(const Resource& resource, const std::filesystem::path& folder) {
  const auto files = providers::manager_files(resource, own_guid(resource), false);
  if (!files) {
    std::fprintf(stderr, "%s\n", files.error().message.c_str());
    return false;
  }
  std::filesystem::create_directories(folder);
  for (const auto& [path, text] : *files)
    std::ofstream{folder / std::filesystem::path{path}.filename()} << text;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kNoFiles = 3;
  if (argc != 3) return 2;
  std::ifstream file{argv[1]};
  const std::string content{std::istreambuf_iterator<char>{file}, {}};
  SourceMap sources;
  LoadedDocument loaded = load_document(sources, {sources.add(argv[1], content)});
  loaded.spec.reached = {Platform::linux};
  std::vector<Resource> resources;
  if (!loaded.diagnostics.has_errors()) resources = expand(loaded.spec, loaded.diagnostics);
  for (const Diagnostic& item : loaded.diagnostics.items())
    std::fprintf(stderr, "%s: %s\n", item.rule.c_str(), item.message.c_str());
  if (loaded.diagnostics.has_errors()) return 1;
  Registry registry;
  providers::add_builtin_providers(registry);
  bool all = true;
  const Bindings guids = port_guid_bindings(resources, {}, registry);
  for (const Resource& resource : with_bindings(std::move(resources), guids)) {
    if (resource.address.kind == "subnet_manager")
      all = write_files(resource, std::filesystem::path{argv[2]} / resource.address.node.str()) &&
            all;
  }
  return all ? 0 : kNoFiles;
}
