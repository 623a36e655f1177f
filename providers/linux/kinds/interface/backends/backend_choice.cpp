// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/backends/backend_choice.hpp"

#include <algorithm>
#include <set>

namespace fabric::providers {

BackendChoice choose_backend(
    const NodeFacts& facts, std::string_view wanted, std::string_view device) {
  const Signs& signs = signs_of(facts);
  const bool by_node = wanted.empty() || wanted == "auto";
  const std::span<const BackendRow> rows = backends();
  const auto row = std::ranges::find_if(rows, [&](const BackendRow& each) {
    return by_node ? each.owns(facts, signs, device) : each.name == wanted;
  });
  if (row == rows.end()) return {};
  BackendChoice choice{&row->of_node(signs), std::string{row->bonds_need(signs)}};
  // A node that did not report its signs has an unknown back end.
  if (by_node || !has_signs(facts)) return choice;
  choice.lacks = row->lacks(signs);
  if (choice.lacks.empty()) return choice;
  const auto found = std::ranges::find_if(
      rows, [&](const BackendRow& each) { return each.owns(facts, signs, device); });
  if (found != rows.end()) choice.instead = found->name;
  return choice;
}

std::vector<FormerFile> former_files(
    const NetworkBackend& chosen, const LinkTarget& target, const FileTexts& files) {
  const std::vector<std::string> own = chosen.paths(target);
  std::set<std::string> seen{own.begin(), own.end()};
  std::vector<FormerFile> former;
  // From the last, so that a file that netplan shares with networkd is networkd's.
  const std::span<const BackendRow> rows = backends();
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    const NetworkBackend& other = row->files();
    if (!other.obstacle(target, {}).empty()) continue;
    for (std::string& path : other.paths(target)) {
      const auto file = files.find(path);
      if (file == files.end() || !other.owns(file->second)) continue;
      if (seen.insert(path).second) former.push_back({&other, std::move(path)});
    }
  }
  return former;
}

}  // namespace fabric::providers
