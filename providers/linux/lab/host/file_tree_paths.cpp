// SPDX-License-Identifier: Apache-2.0
// FileTree: from a path to an inode.
#include "providers/linux/lab/host/file_tree.hpp"

namespace fabric::lab {
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
