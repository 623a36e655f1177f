// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/link_files.hpp"

#include <algorithm>
#include <utility>

#include "engine/model/resource_keys.hpp"
#include "providers/linux/kinds/interface/backends/backend_choice.hpp"
#include "providers/linux/kinds/interface/backends/ipoib_mode.hpp"
#include "providers/linux/kinds/interface/former_link.hpp"
#include "providers/linux/kinds/interface/given_name.hpp"

namespace fabric::providers {

std::set<std::string> LinkFiles::write(ActionDraft& draft, const LinkConfig& config) const {
  std::set<std::string> written;
  const auto put = [&](const std::string& path, const std::string& content, std::uint32_t mode) {
    written.insert(path);
    const auto former = there_.find(path);
    if (former != there_.end() && former->second == content) return;
    draft.title += (draft.title.empty() ? "write " : " ") + path;
    replace_file(draft, {path, content, mode, "root:root"}, text_at(there_, path));
  };
  for (const ConfigFile& file : backend_.render(link_.target, config))
    put(file.path, file.content, backend_.file_mode());
  if (const auto& file = link_.target.name_file) put(file->path, file->content, kNameFileMode);
  return written;
}

void LinkFiles::remove_stale(ActionDraft& draft, const std::set<std::string>& written) const {
  const auto remove = [&](const std::string& path, const NetworkBackend& of) {
    draft.title += (draft.title.empty() ? "remove " : ", remove ") + path;
    remove_file(draft, path, text_at(there_, path), of.file_mode());
  };
  for (const std::string& path : stale(written))
    remove(path, backend_);
  for (const FormerFile& former : former_files(backend_, link_.target, there_))
    remove(former.path, *former.backend);
}

void LinkFiles::undo_slaves(ActionDraft& draft) const {
  for (const Slave& slave : link_.target.slaves) {
    LinkTarget port{.address = change_.resource.address};
    port.address.kind = kinds::kInterface;
    port.address.name = slave.label;
    port.name = slave.name;
    port.card = slave.card;
    port.port = slave.port;
    const auto former = backend_.read(port, there_);
    const bool waits = former && former->master == link_.target.name &&
                       links_.master(slave.port->netdev) != link_.target.name;
    for (const std::string& path : backend_.paths(port)) {
      if (!waits) {
        put_back(draft, path, text_at(there_, path), backend_.file_mode());
      } else if (there_.contains(path)) {
        draft.undo.remove(path);
      }
    }
  }
}

std::vector<std::string> LinkFiles::stale(const std::set<std::string>& written) const {
  std::vector<std::string> all = backend_.paths(link_.target);
  if (const std::string rule = ipoib_mode_path(link_.target);
      std::find(all.begin(), all.end(), rule) == all.end())
    all.push_back(rule);
  for (std::string& path : files_about(change_.resource.address, there_))
    all.push_back(std::move(path));
  std::set<std::string> seen = written;
  for (const FormerFile& former : former_files(backend_, link_.target, there_))
    seen.insert(former.path);
  std::vector<std::string> paths;
  for (const std::string& path : all) {
    const auto file = there_.find(path);
    if (file != there_.end() && backend_.owns(file->second) && seen.insert(path).second)
      paths.push_back(path);
  }
  return paths;
}

}  // namespace fabric::providers
