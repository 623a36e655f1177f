// SPDX-License-Identifier: Apache-2.0
// FileTree: its state on the disk. A journalled file system in ordered mode, at its weakest:
// nothing is promised about unsynced changes, neither whether they are written nor in which order.
#include <algorithm>
#include <set>
#include <utility>

#include "engine/base/check.hpp"
#include "providers/linux/lab/host/file_tree.hpp"

namespace fabric::lab {

namespace {

// After this time the kernel's flusher writes a change back (E-write-back).
constexpr std::int64_t kWrittenBackAfter = 35'000;

}  // namespace

void FileTree::will_change(InodeNumber number, const std::string& path) {
  if (is_volatile(path)) return;
  last_unsynced_ = milliseconds_;
  if (unsynced_files_.contains(number)) return;
  const Inode& file = *inode(number);
  unsynced_files_.emplace(number, OnDisk{file.content, file.owner, file.group, path, file.mode});
}

void FileTree::renamed(std::vector<NameChange> names, const std::string& path) {
  if (is_volatile(path)) return;
  last_unsynced_ = milliseconds_;
  unsynced_names_.push_back({std::move(names), path});
}

void FileTree::retire(InodeNumber number, const std::string& path) {
  if (!is_volatile(path)) retired_.emplace(number, *inode(number));
  erase_inode(number);
}

void FileTree::sync_all() {
  unsynced_names_.clear();
  unsynced_files_.clear();
  retired_.clear();
}

FileError FileTree::sync(std::string_view path) {
  const Place place = locate(path, Follow::yes);
  if (place.error != FileError::none) return place.error;
  unsynced_files_.erase(place.inode);
  if (inode(place.inode)->kind != FileKind::directory) return FileError::none;
  // A rename out of another directory takes that one's earlier changes with it: the journal of a
  // file system is in order.
  std::set<InodeNumber> directories{place.inode};
  for (auto change = unsynced_names_.rbegin(); change != unsynced_names_.rend(); ++change) {
    const bool taken = std::ranges::any_of(change->names, [&](const NameChange& each) {
      return directories.contains(each.directory);
    });
    if (!taken) continue;
    for (const NameChange& each : std::exchange(change->names, {}))
      directories.insert(each.directory);
  }
  drop_names_of_no_directory();
  if (unsynced_names_.empty()) retired_.clear();
  return FileError::none;
}

// Drops the names in directories that are removed.
void FileTree::drop_names_of_no_directory() {
  for (std::size_t before = unsynced_names_.size() + 1; before != unsynced_names_.size();) {
    before = unsynced_names_.size();
    std::set<InodeNumber> may_come_back;
    for (const Unsynced& change : unsynced_names_) {
      for (const NameChange& each : change.names)
        may_come_back.insert(each.before);
    }
    std::erase_if(unsynced_names_, [&](const Unsynced& change) {
      return std::ranges::none_of(change.names, [&](const NameChange& each) {
        return inodes_.contains(each.directory) || may_come_back.contains(each.directory);
      });
    });
  }
}

void FileTree::write_back(std::int64_t milliseconds) {
  milliseconds_ = std::max(milliseconds_, milliseconds);
  if (milliseconds_ - last_unsynced_ > kWrittenBackAfter) sync_all();
}

std::vector<std::string> FileTree::unsynced() const {
  std::set<std::string> paths;
  for (const Unsynced& change : unsynced_names_) {
    // In a folder that an attempt has made which was cut short there is nothing to lose.
    const Inode* there = find(change.path);
    const bool is_empty_folder =
        there != nullptr && there->kind == FileKind::directory && there->entries.empty();
    if (!change.names.empty() && !is_empty_folder) paths.insert(change.path);
  }
  for (const auto& [number, disk] : unsynced_files_) {
    const Inode* file = inode(number);
    if (file == nullptr) continue;  // of a file that is gone there is nothing to lose
    const bool is_same = file->content == disk.content && file->mode == disk.mode &&
                         file->owner == disk.owner && file->group == disk.group;
    if (!is_same) paths.insert(disk.path);
  }
  return {paths.begin(), paths.end()};
}

// Back to the names that are on the disk.
void FileTree::take_back_names() {
  for (auto change = unsynced_names_.rbegin(); change != unsynced_names_.rend(); ++change) {
    for (auto each = change->names.rbegin(); each != change->names.rend(); ++each) {
      Inode* directory = get(each->directory);
      if (directory == nullptr) continue;
      if (each->before == 0) {
        directory->entries.erase(each->name);
      } else {
        directory->entries[each->name] = each->before;
      }
    }
  }
}

void FileTree::keep_some_names(Random& random) {
  for (const Unsynced& change : unsynced_names_) {
    const bool is_kept = random.chance(50);
    // A renamed file must exist under its old name, which may have been lost.
    const bool is_possible = std::ranges::all_of(change.names, [&](const NameChange& each) {
      const Inode* directory = inode(each.directory);
      if (directory == nullptr) return false;
      const auto entry = directory->entries.find(each.name);
      return change.names.size() == 1 || each.after != 0 ||
             (entry != directory->entries.end() && entry->second == each.before);
    });
    if (!is_kept || !is_possible) continue;
    for (const NameChange& each : change.names) {
      auto& entries = get(each.directory)->entries;
      if (each.after == 0) {
        entries.erase(each.name);
      } else {
        entries[each.name] = each.after;
      }
    }
  }
}

void FileTree::drop_unreachable() {
  std::set<InodeNumber> reached{kRoot};
  std::vector<InodeNumber> left{kRoot};
  while (!left.empty()) {
    const InodeNumber number = left.back();
    left.pop_back();
    for (const auto& [name, child] : inode(number)->entries) {
      if (reached.insert(child).second) left.push_back(child);
    }
  }
  std::erase_if(inodes_, [&](const auto& entry) { return !reached.contains(entry.first); });
}

void FileTree::lose_unsynced(Random& random) {
  inodes_.merge(retired_);
  take_back_names();
  keep_some_names(random);
  for (const auto& [number, disk] : unsynced_files_) {
    Inode* file = get(number);
    if (file == nullptr) continue;
    switch (random.below(3)) {
      case 0:
        file->content = disk.content;
        break;
      case 1:
        file->content.resize(random.below(file->content.size() + 1));
        break;
      default:
        break;
    }
    if (random.chance(50)) continue;
    file->mode = disk.mode;
    file->owner = disk.owner;
    file->group = disk.group;
  }
  sync_all();
  drop_unreachable();
  arrivals_.clear();
}

// Files that the machine itself puts into its tree, as opposed to changes by its users.

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
