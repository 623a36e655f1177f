// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/host/file_tree.hpp"

#include <algorithm>
#include <array>

namespace fabric::lab {

bool is_volatile(std::string_view path) {
  constexpr std::array<std::string_view, 6> kVolatile = {
      "/tmp", "/run", "/var/run", "/dev", "/proc", "/sys"};
  return std::any_of(kVolatile.begin(), kVolatile.end(), [&](std::string_view root) {
    return path == root || (path.size() > root.size() && path.substr(0, root.size()) == root &&
                            path[root.size()] == '/');
  });
}

std::string_view describe(FileError error) {
  switch (error) {
    case FileError::none:
      return "Success";
    case FileError::not_found:
      return "No such file or directory";
    case FileError::exists:
      return "File exists";
    case FileError::not_a_directory:
      return "Not a directory";
    case FileError::is_a_directory:
      return "Is a directory";
    case FileError::denied:
      return "Permission denied";
    case FileError::not_permitted:
      return "Operation not permitted";
    case FileError::no_space:
      return "No space left on device";
    case FileError::invalid:
      return "Invalid argument";
    case FileError::loop:
      return "Too many levels of symbolic links";
    case FileError::not_empty:
      return "Directory not empty";
    case FileError::busy:
      return "Device or resource busy";
    case FileError::read_only:
      return "Read-only file system";
  }
  return "";
}

FileTree::FileTree() {
  Inode root;
  root.kind = FileKind::directory;
  root.mode = 0755;
  inodes_.emplace(kRoot, std::move(root));
}

Inode* FileTree::get(InodeNumber number) {
  const auto found = inodes_.find(number);
  return found == inodes_.end() ? nullptr : &found->second;
}

const Inode* FileTree::inode(InodeNumber number) const {
  const auto found = inodes_.find(number);
  return found == inodes_.end() ? nullptr : &found->second;
}

// The most frequent question of programs, which does not need the path.
const Inode* FileTree::find(std::string_view path, Follow follow) const {
  if (const auto [directory, name] = split(path); directory != nullptr) {
    const Inode& folder = *inode(directory->way.back().directory);
    const auto entry = folder.entries.find(name);
    if (entry == folder.entries.end()) return nullptr;
    const Inode* target = inode(entry->second);
    if (target->kind != FileKind::symlink || follow == Follow::no) return target;
  }
  const Place place = locate(path, follow);
  return place.error == FileError::none ? inode(place.inode) : nullptr;
}

bool FileTree::allows(const Inode& inode, std::string_view user, std::uint32_t bit) const {
  if (user == "root")
    return bit != 1 || inode.kind == FileKind::directory || (inode.mode & 0111U) != 0;
  if (inode.owner == user) return (inode.mode & (bit << 6U)) != 0;
  if (inode.group == user) return (inode.mode & (bit << 3U)) != 0;
  return (inode.mode & bit) != 0;
}

std::vector<std::string> FileTree::list(std::string_view path) const {
  std::vector<std::string> names;
  const Inode* directory = find(path);
  if (directory == nullptr) return names;
  for (const auto& [name, number] : directory->entries)
    names.push_back(name);
  return names;
}

FileError FileTree::read(std::string_view path, std::string_view user, std::string& content) const {
  const Place place = locate(path, Follow::yes);
  if (place.error != FileError::none) return place.error;
  const Inode* file = inode(place.inode);
  if (file->kind == FileKind::directory) return FileError::is_a_directory;
  if (!allows(*file, user, 4)) return FileError::denied;
  if (file->kind == FileKind::generated) {
    if (!file->reader) return FileError::denied;
    std::optional<std::string> text = file->reader();
    if (!text) return FileError::invalid;
    content = std::move(*text);
    return FileError::none;
  }
  content = file->kind == FileKind::program ? "\x7f"
                                              "ELF\n"
                                            : file->content;
  return FileError::none;
}

FileError FileTree::may_change_directory(const Place& place, std::string_view user) const {
  if (place.directory == 0) return place.error;
  const std::string_view root = std::string_view{place.path}.substr(0, 5);
  if (root == "/proc" || place.path.rfind("/sys/", 0) == 0) return FileError::denied;
  return allows(*inode(place.directory), user, 2) ? FileError::none : FileError::denied;
}

FileError FileTree::room_for(const std::string& path) const {
  return full_ && !is_volatile(path) ? FileError::no_space : FileError::none;
}

void FileTree::changed(const std::string& path) {
  if (is_volatile(path)) return;
  ++changes_;
  touched_.insert(path);
}

InodeNumber FileTree::insert(const Place& place, Inode inode) {
  const InodeNumber number = next_++;
  inode.modified = time_;
  inodes_.emplace(number, std::move(inode));
  get(place.directory)->entries[place.name] = number;
  return number;
}

FileError FileTree::open_for_write(
    std::string_view path,
    std::string_view user,
    std::uint32_t mode,
    Open how,
    InodeNumber& number) {
  const Place place = locate(path, Follow::yes);
  if (place.inode == 0) {
    if (place.directory == 0 || place.error != FileError::not_found) return place.error;
    if (const FileError error = may_change_directory(place, user); error != FileError::none)
      return error;
    if (const FileError error = room_for(place.path); error != FileError::none) return error;
    Inode file;
    file.mode = mode;
    file.owner = std::string{user};
    file.group = std::string{user};
    number = insert(place, std::move(file));
    written_[number] = place.path;
    will_change(number, place.path);
    renamed({{place.directory, place.name, 0, number}}, place.path);
    changed(place.path);
    return FileError::none;
  }
  Inode& file = *get(place.inode);
  if (file.kind == FileKind::directory) return FileError::is_a_directory;
  if (!allows(file, user, 2)) return FileError::denied;
  if (file.kind == FileKind::program) return FileError::busy;
  if (file.kind == FileKind::generated && !file.writer) return FileError::denied;
  number = place.inode;
  written_[number] = place.path;
  if (file.kind != FileKind::regular || how == Open::append || file.content.empty())
    return FileError::none;
  will_change(number, place.path);
  file.content.clear();
  file.modified = time_;
  changed(place.path);
  return FileError::none;
}

FileError FileTree::append(InodeNumber number, std::string_view bytes) {
  Inode* file = get(number);
  if (file == nullptr || file->kind == FileKind::null_device || bytes.empty())
    return FileError::none;
  if (file->kind == FileKind::generated) {
    const std::function<FileError(std::string_view)> writer =
        file->writer;  // may replace the tree below it
    return writer(bytes);
  }
  const std::string& path = written_[number];
  if (const FileError error = room_for(path); error != FileError::none) return error;
  will_change(number, path);
  file->content += bytes;
  file->modified = time_;
  changed(path);
  return FileError::none;
}

FileError FileTree::make_directory(
    std::string_view path, std::string_view user, std::uint32_t mode) {
  const Place place = locate(path, Follow::yes);
  if (place.inode != 0) return FileError::exists;
  if (const FileError error = may_change_directory(place, user); error != FileError::none)
    return error;
  if (const FileError error = room_for(place.path); error != FileError::none) return error;
  Inode directory;
  directory.kind = FileKind::directory;
  directory.mode = mode;
  directory.owner = std::string{user};
  directory.group = std::string{user};
  const InodeNumber number = insert(place, std::move(directory));
  renamed({{place.directory, place.name, 0, number}}, place.path);
  changed(place.path);
  return FileError::none;
}

FileError FileTree::remove(std::string_view path, std::string_view user) {
  const Place place = locate(path, Follow::no);
  if (place.error != FileError::none) return place.error;
  if (inode(place.inode)->kind == FileKind::directory) return FileError::is_a_directory;
  if (const FileError error = may_change_directory(place, user); error != FileError::none)
    return error;
  retire(place.inode, place.path);
  get(place.directory)->entries.erase(place.name);
  renamed({{place.directory, place.name, place.inode, 0}}, place.path);
  changed(place.path);
  return FileError::none;
}

FileError FileTree::remove_directory(std::string_view path, std::string_view user) {
  const Place place = locate(path, Follow::no);
  if (place.error != FileError::none) return place.error;
  const Inode* directory = inode(place.inode);
  if (directory->kind != FileKind::directory) return FileError::not_a_directory;
  if (!directory->entries.empty()) return FileError::not_empty;
  if (const FileError error = may_change_directory(place, user); error != FileError::none)
    return error;
  retire(place.inode, place.path);
  get(place.directory)->entries.erase(place.name);
  renamed({{place.directory, place.name, place.inode, 0}}, place.path);
  changed(place.path);
  return FileError::none;
}

FileError FileTree::rename(std::string_view from, std::string_view to, std::string_view user) {
  const Place source = locate(from, Follow::no);
  if (source.error != FileError::none) return source.error;
  const Place target = locate(to, Follow::no);
  if (target.directory == 0) return target.error;
  if (source.inode == target.inode) return FileError::none;
  for (const Place* place : {&source, &target}) {
    if (const FileError error = may_change_directory(*place, user); error != FileError::none)
      return error;
  }
  if (target.inode != 0) {
    const bool onto_directory = inode(target.inode)->kind == FileKind::directory;
    const bool of_directory = inode(source.inode)->kind == FileKind::directory;
    if (onto_directory && !of_directory) return FileError::is_a_directory;
    if (!onto_directory && of_directory) return FileError::not_a_directory;
    if (onto_directory && !inode(target.inode)->entries.empty()) return FileError::not_empty;
    retire(target.inode, target.path);
  }
  const FileKind kind = inode(source.inode)->kind;
  if (kind == FileKind::directory || kind == FileKind::symlink) arrivals_.clear();
  get(source.directory)->entries.erase(source.name);
  get(target.directory)->entries[target.name] = source.inode;
  renamed(
      {{source.directory, source.name, source.inode, 0},
       {target.directory, target.name, target.inode, source.inode}},
      target.path);
  changed(source.path);
  if (!is_volatile(target.path)) touched_.insert(target.path);
  return FileError::none;
}

FileError FileTree::symlink(std::string_view target, std::string_view path, std::string_view user) {
  const Place place = locate(path, Follow::no);
  if (place.inode != 0) return FileError::exists;
  if (const FileError error = may_change_directory(place, user); error != FileError::none)
    return error;
  if (const FileError error = room_for(place.path); error != FileError::none) return error;
  Inode link;
  link.kind = FileKind::symlink;
  link.mode = 0777;
  link.owner = std::string{user};
  link.content = std::string{target};
  const InodeNumber number = insert(place, std::move(link));
  renamed({{place.directory, place.name, 0, number}}, place.path);
  changed(place.path);
  return FileError::none;
}

FileError FileTree::change_mode(std::string_view path, std::string_view user, std::uint32_t mode) {
  const Place place = locate(path, Follow::yes);
  if (place.error != FileError::none) return place.error;
  Inode& file = *get(place.inode);
  if (user != "root" && file.owner != user) return FileError::not_permitted;
  if (file.mode == mode) return FileError::none;
  will_change(place.inode, place.path);
  file.mode = mode;
  changed(place.path);
  return FileError::none;
}

FileError FileTree::change_owner(
    std::string_view path, std::string_view user, std::string owner, std::string group) {
  const Place place = locate(path, Follow::yes);
  if (place.error != FileError::none) return place.error;
  if (user != "root") return FileError::not_permitted;
  Inode& file = *get(place.inode);
  if (file.owner == owner && file.group == group) return FileError::none;
  will_change(place.inode, place.path);
  file.owner = std::move(owner);
  file.group = std::move(group);
  changed(place.path);
  return FileError::none;
}

}  // namespace fabric::lab
