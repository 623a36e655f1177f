// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/former_link.hpp"

#include <utility>

#include "providers/linux/kinds/adapter/inventory.hpp"

namespace fabric::providers {

std::optional<FormerLink> former_link(
    const Resource& resource,
    const LinkTarget& target,
    const NodeFacts& facts,
    const FileTexts& files,
    const RunningLinks& links) {
  if (target.kind != LinkKind::vlan && target.kind != LinkKind::ipoib_child) return std::nullopt;
  for (const std::string& path : files_about(resource.address, files)) {
    std::optional<Resource> before = owned_resource(facts.node, files.at(path));
    if (!before) continue;
    std::vector<Card> cards = inventory_of(facts);
    FoundLink link = find_link(*before, cards, links);
    const bool is_other = !link.device.empty() && link.device != target.name;
    if (link.why.empty() && is_other) return FormerLink{std::move(cards), std::move(link)};
  }
  return std::nullopt;
}

std::vector<remote::Argv> release_former(
    const std::optional<FormerLink>& former, const NetworkBackend& backend) {
  if (!former) return {};
  const std::string& name = former->link.device;
  std::vector<remote::Argv> commands = backend.release(former->link.target, name);
  commands.push_back({"sh", "-c", kDeleteIfThere, "fabric", name});
  return commands;
}

std::vector<remote::Argv> restore_former(
    const std::optional<FormerLink>& former, const NetworkBackend& backend) {
  if (!former) return {};
  return backend.restore({former->link.target, former->link.device, false, {}, {}, {}});
}

std::vector<std::string> files_about(const ResourceAddress& address, const FileTexts& files) {
  std::vector<std::string> paths;
  for (const auto& [path, content] : files) {
    if (owned_address(address.node, content) == address) paths.push_back(path);
  }
  return paths;
}

}  // namespace fabric::providers
