// SPDX-License-Identifier: Apache-2.0
// Files that the machine itself puts into its tree, as opposed to changes by its users.
#include "engine/base/check.hpp"
#include "providers/linux/lab/host/file_tree.hpp"

namespace fabric::lab {

void FileTree::install_inode(std::string_view path, Inode inode) {
  const std::size_t slash = path.rfind('/');
  FABRIC_CHECK(slash != std::string_view::npos, "the lab installs a file at a relative path");
  if (slash > 0) install_directory(path.substr(0, slash));
  const Place place = locate(path, Follow::no);
  FABRIC_CHECK(place.directory != 0, "the lab installs a file below a file");
  if (place.inode != 0) erase_inode(place.inode);
  insert(place, std::move(inode));
  // The file is on the disk, in place of any file with this name.
  for (Unsynced& change : unsynced_names_) {
    std::erase_if(change.names, [&place](const NameChange& each) {
      return each.directory == place.directory && each.name == place.name;
    });
  }
}

void FileTree::install(std::string_view path, std::string content, std::uint32_t mode) {
  Inode file;
  file.mode = mode;
  file.content = std::move(content);
  install_inode(path, std::move(file));
}

void FileTree::install_directory(std::string_view path) {
  if (arrive(path) != nullptr) return;
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const Place place = locate(path.substr(0, end), Follow::yes);
    if (place.inode == 0) {
      FABRIC_CHECK(place.directory != 0, "the lab makes a directory below a file");
      Inode directory;
      directory.kind = FileKind::directory;
      directory.mode = 0755;
      insert(place, std::move(directory));
    }
    if (end == std::string_view::npos) return;
  }
}

void FileTree::install_symlink(std::string_view path, std::string target) {
  Inode link;
  link.kind = FileKind::symlink;
  link.mode = 0777;
  link.content = std::move(target);
  install_inode(path, std::move(link));
}

void FileTree::install_null_device(std::string_view path) {
  Inode device;
  device.kind = FileKind::null_device;
  device.mode = 0666;
  install_inode(path, std::move(device));
}

void FileTree::install_program(std::string_view path, std::string name) {
  Inode program;
  program.kind = FileKind::program;
  program.mode = 0755;
  program.content = std::move(name);
  install_inode(path, std::move(program));
}

void FileTree::install_generated(
    std::string_view path,
    std::function<std::optional<std::string>()> reader,
    std::function<FileError(std::string_view)> writer) {
  Inode file;
  file.kind = FileKind::generated;
  file.mode = (reader ? 0444U : 0U) | (writer ? 0200U : 0U);
  file.reader = std::move(reader);
  file.writer = std::move(writer);
  install_inode(path, std::move(file));
}

void FileTree::erase_all_below(std::string_view path) {
  const Place place = locate(path, Follow::no);
  if (place.inode == 0) return;
  std::vector<InodeNumber> left{place.inode};
  std::vector<InodeNumber> doomed;
  while (!left.empty()) {
    const InodeNumber number = left.back();
    left.pop_back();
    for (const auto& [name, child] : inode(number)->entries) {
      left.push_back(child);
      doomed.push_back(child);
    }
  }
  for (const InodeNumber number : doomed)
    inodes_.erase(number);
  arrivals_.clear();
  get(place.inode)->entries.clear();
}

void FileTree::visit_persistent(
    const std::function<void(const std::string&, const Inode&)>& visit) const {
  std::vector<std::pair<std::string, InodeNumber>> left{{"", 1}};
  while (!left.empty()) {
    const auto [path, number] = left.back();
    left.pop_back();
    const Inode* here = inode(number);
    if (!path.empty()) visit(path, *here);
    for (auto entry = here->entries.rbegin(); entry != here->entries.rend(); ++entry) {
      const std::string& name = entry->first;
      const bool volatile_root = path.empty() && (name == "tmp" || name == "run" || name == "dev" ||
                                                  name == "proc" || name == "sys");
      if (!volatile_root) left.emplace_back(path + "/" + name, entry->second);
    }
  }
}

}  // namespace fabric::lab
