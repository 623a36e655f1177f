// FileTree: from a path to an inode.
#include "engine/lab/host/file_tree.hpp"

namespace fabric::lab {
namespace {

constexpr int kSymlinksAtMost = 40;  // as in Linux

// What is left of a path, one name after the other; "." and empty names are passed over.
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

// One path on its way through the tree, name by name.
class FileTree::Walk {
 public:
  // `tree` and `path` must outlive this.
  Walk(const FileTree& tree, std::string_view path, Follow follow)
      : tree_{tree},
        names_{path},
        must_be_directory_{path.size() > 1 && path.back() == '/'},
        follow_last_{follow == Follow::yes || must_be_directory_} {}

  Place run() {
    while (!names_.done()) {
      std::optional<Place> end = step();
      if (end) return *std::move(end);
    }
    return Place{kRoot, kRoot, "", "/", FileError::none};
  }

 private:
  // A directory on the way, and how much of `here_` is its path.
  struct Stop {
    InodeNumber directory;
    std::size_t length;
  };

  // Where the path leads or fails; nullopt while names are left.
  std::optional<Place> step() {
    const std::string_view name = names_.take();
    if (name == "..") return step_up();
    const InodeNumber parent = way_.back().directory;
    const Inode& directory = *tree_.inode(parent);
    const auto entry = directory.entries.find(name);
    here_ += '/';
    here_ += name;
    const bool last = names_.done();
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
    if (!names_.done()) return std::nullopt;
    const InodeNumber directory = way_.back().directory;
    return Place{directory, directory, "", here_.empty() ? "/" : here_, FileError::none};
  }

  // Puts what the link says before the names that are left.
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
  std::string here_;
  std::string followed_;  // what `names_` reads once a symlink was met
  std::vector<Stop> way_{{kRoot, 0}};
  int symlinks_ = 0;
};

std::string absolute_path(std::string_view directory, std::string_view path) {
  if (!path.empty() && path.front() == '/') return std::string{path};
  std::string whole{directory};
  if (whole.empty() || whole.back() != '/') whole += '/';
  return whole + std::string{path};
}

FileTree::Place FileTree::locate(std::string_view path, Follow follow) const {
  return Walk{*this, path, follow}.run();
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
