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

// FileTree: from a path to an inode.

namespace {

constexpr int kSymlinksAtMost = 40;  // as in Linux

// The rest of a path, one name after the other; "." and empty names are skipped.
class Names {
 public:
  explicit Names(std::string_view path) : left_{path} { pass_over(); }
  bool done() const { return left_.empty(); }
  std::string_view left() const { return left_; }
  // REQUIRES: not done.
  std::string_view take() {
    const std::string_view name = left_.substr(0, left_.find('/'));
    left_.remove_prefix(name.size());
    pass_over();
    return name;
  }

 private:
  void pass_over() {
    while (!left_.empty()) {
      const bool here = left_ == "." || left_.substr(0, 2) == "./";
      if (left_.front() != '/' && !here) return;
      left_.remove_prefix(1);
    }
  }
  std::string_view left_;
};

}  // namespace

// Follows one path through the tree, name by name.
class FileTree::Walk {
 public:
  // `tree` and `path` must outlive this.
  Walk(const FileTree& tree, std::string_view path, Follow follow)
      : tree_{tree},
        names_{path},
        must_be_directory_{path.size() > 1 && path.back() == '/'},
        follow_last_{follow == Follow::yes || must_be_directory_} {}

  // From where `start` is.
  Walk(const FileTree& tree, const Arrival& start, std::string_view name, Follow follow)
      : Walk(tree, name, follow) {
    way_ = start.way;
    here_ = start.path;
    symlinks_ = start.symlinks;
  }

  // Into the directory that the path leads to.
  std::optional<Arrival> enter() {
    into_ = true;
    while (!names_.done()) {
      if (step()) return std::nullopt;
    }
    return Arrival{std::move(way_), std::move(here_), symlinks_};
  }

  Place run() {
    while (!names_.done()) {
      std::optional<Place> end = step();
      if (end) return *std::move(end);
    }
    return Place{kRoot, kRoot, "", "/", FileError::none};
  }

 private:
  // The end or the failure of the path; nullopt while names are left.
  std::optional<Place> step() {
    const std::string_view name = names_.take();
    if (name == "..") return step_up();
    const InodeNumber parent = way_.back().directory;
    const Inode& directory = *tree_.inode(parent);
    const auto entry = directory.entries.find(name);
    here_ += '/';
    here_ += name;
    const bool last = names_.done() && !into_;
    if (entry == directory.entries.end())
      return Place{last ? parent : 0, 0, std::string{name}, here_, FileError::not_found};
    const Inode& target = *tree_.inode(entry->second);
    if (target.kind == FileKind::symlink && (!last || follow_last_)) return follow(target, name);
    const bool wrong = target.kind != FileKind::directory && (!last || must_be_directory_);
    const FileError error = wrong ? FileError::not_a_directory : FileError::none;
    if (last) return Place{parent, entry->second, std::string{name}, here_, error};
    if (wrong) return Place{0, 0, std::string{name}, here_, error};
    way_.push_back({entry->second, here_.size()});
    return std::nullopt;
  }

  // The root is its own parent.
  std::optional<Place> step_up() {
    if (way_.size() > 1) way_.pop_back();
    here_.resize(way_.back().length);
    if (!names_.done() || into_) return std::nullopt;
    const InodeNumber directory = way_.back().directory;
    return Place{directory, directory, "", here_.empty() ? "/" : here_, FileError::none};
  }

  // Puts the link's target before the names that are left.
  std::optional<Place> follow(const Inode& link, std::string_view name) {
    if (++symlinks_ > kSymlinksAtMost)
      return Place{0, 0, std::string{name}, here_, FileError::loop};
    if (link.content.starts_with('/')) way_.resize(1);
    here_.resize(way_.back().length);
    std::string next = link.content + "/" + std::string{names_.left()};
    followed_ = std::move(next);
    names_ = Names{followed_};
    return std::nullopt;
  }

  const FileTree& tree_;
  Names names_;
  bool must_be_directory_;
  bool follow_last_;
  bool into_ = false;
  std::string here_;
  std::string followed_;  // the text that `names_` reads after a symlink
  std::vector<Stop> way_{{kRoot, 0}};
  int symlinks_ = 0;
};

std::string absolute_path(std::string_view directory, std::string_view path) {
  if (!path.empty() && path.front() == '/') return std::string{path};
  std::string whole{directory};
  if (whole.empty() || whole.back() != '/') whole += '/';
  return whole + std::string{path};
}

// Most paths of a host lead into the few directories of its adapters.
const FileTree::Arrival* FileTree::arrive(std::string_view path) const {
  constexpr std::size_t kAtMost = 4096;
  if (const auto known = arrivals_.find(path); known != arrivals_.end()) return &known->second;
  std::optional<Arrival> arrival = Walk{*this, path, Follow::yes}.enter();
  if (!arrival) return nullptr;
  if (arrivals_.size() >= kAtMost) arrivals_.clear();
  return &arrivals_.emplace(path, *std::move(arrival)).first->second;
}

FileTree::Split FileTree::split(std::string_view path) const {
  const std::size_t slash = path.rfind('/');
  if (slash == 0 || slash == std::string_view::npos) return {};
  const std::string_view name = path.substr(slash + 1);
  if (name.empty() || name == "." || name == "..") return {};
  return {arrive(path.substr(0, slash)), name};
}

FileTree::Place FileTree::locate(std::string_view path, Follow follow) const {
  const auto [directory, name] = split(path);
  if (directory != nullptr) return Walk{*this, *directory, name, follow}.run();
  return Walk{*this, path, follow}.run();
}

void FileTree::erase_inode(InodeNumber number) {
  const FileKind kind = inode(number)->kind;
  if (kind == FileKind::directory || kind == FileKind::symlink) arrivals_.clear();
  inodes_.erase(number);
}

std::optional<std::string> FileTree::real_path(std::string_view path) const {
  const Place place = locate(path, Follow::yes);
  if (place.error == FileError::none ||
      (place.error == FileError::not_found && place.directory != 0)) {
    return place.path;
  }
  return std::nullopt;
}

}  // namespace fabric::lab
