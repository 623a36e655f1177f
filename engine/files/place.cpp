// SPDX-License-Identifier: Apache-2.0
#include "engine/files/place.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "engine/base/text.hpp"

namespace fabric::files {

namespace {

constexpr int kFolder = O_PATH | O_DIRECTORY | O_CLOEXEC;
constexpr mode_t kOfOwner = 0700;

bool is_same(int a, int b) {
  struct stat one {};
  struct stat other {};
  return fstat(a, &one) == 0 && fstat(b, &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

// Checks the parent folders, because a path does not show where its links have led.
bool lies_in(int folder, int tree) {
  FileDescriptor here{openat(folder, ".", kFolder)};
  while (here && !is_same(here.get(), tree)) {
    FileDescriptor above{openat(here.get(), "..", kFolder)};
    if (!above || is_same(above.get(), here.get())) return false;
    here = std::move(above);
  }
  return static_cast<bool>(here);
}

// From folder to folder; with `mode` it makes those that are missing.
class FolderWalk {
 public:
  explicit FolderWalk(const std::string& path, std::optional<mode_t> mode = std::nullopt)
      : mode_{mode},
        tree_{open(".", kFolder)},
        here_{open(path.starts_with('/') ? "/" : ".", kFolder)},
        walked_{path.starts_with('/') ? "/" : ""},
        in_tree_{lies_in(here_.get(), tree_.get())} {}

  Result<void> enter(std::string_view part) {
    if (part.empty() || part == ".") return {};
    if (!here_) return system_error(walked_, errno);
    const std::string name{part};
    if (!walked_.empty() && !walked_.ends_with('/')) walked_ += '/';
    walked_ += name;
    const bool links_lead_on = !in_tree_ || name == "..";
    const int flags = links_lead_on ? kFolder : kFolder | O_NOFOLLOW;
    FileDescriptor next{openat(here_.get(), name.c_str(), flags)};
    if (!next && errno == ENOENT && mode_) {
      FABRIC_TRY(make(name));
      next = FileDescriptor{openat(here_.get(), name.c_str(), kFolder | O_NOFOLLOW)};
    }
    if (!next) return why_not(name, errno);
    here_ = std::move(next);
    if (links_lead_on) in_tree_ = lies_in(here_.get(), tree_.get());
    return {};
  }

  bool in_tree() const { return in_tree_; }
  FileDescriptor end() { return std::move(here_); }

 private:
  Result<void> make(const std::string& name) const {
    if (mkdirat(here_.get(), name.c_str(), *mode_) != 0)
      return errno == EEXIST ? Result<void>{} : system_error(walked_, errno);
    if (*mode_ == kOfOwner && fchmodat(here_.get(), name.c_str(), *mode_, 0) != 0)
      return system_error(walked_, errno);
    const FileDescriptor above{openat(here_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (above) fsync(above.get());
    return {};
  }

  Error why_not(const std::string& name, int number) const {
    struct stat found {};
    const bool is_none = number == ENOTDIR || number == ELOOP;
    if (!is_none || fstatat(here_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0)
      return system_error(walked_, number);
    if (S_ISLNK(found.st_mode) && in_tree_) return link_in_the_way(walked_, "a directory");
    return {
        ErrorCode::invalid,
        fmt::format("{}: expected a directory, found {}", walked_, kind_of(found.st_mode))};
  }

  std::optional<mode_t> mode_;
  FileDescriptor tree_, here_;
  std::string walked_;
  bool in_tree_;
};

Result<FileDescriptor> end_of(FolderWalk walk, const std::string& path) {
  for (const std::string_view part : split(path, '/'))
    FABRIC_TRY(walk.enter(part));
  return walk.end();
}

}  // namespace

Result<Place> place_of(const std::string& path) {
  std::string_view whole = path;
  while (whole.size() > 1 && whole.ends_with('/'))
    whole.remove_suffix(1);
  const std::size_t slash = whole.rfind('/');
  const std::string_view above =
      slash == std::string_view::npos ? std::string_view{} : whole.substr(0, slash + 1);
  FolderWalk walk{path};
  for (const std::string_view part : split(above, '/'))
    FABRIC_TRY(walk.enter(part));
  const bool in_tree = walk.in_tree();
  return Place{walk.end(), std::string{whole.substr(above.size())}, in_tree};
}

Result<void> refuse_link(const std::string& path) {
  const Place place = FABRIC_TRY(place_of(path));
  struct stat found {};
  const bool is_there =
      fstatat(place.folder.get(), place.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
  if (is_there && S_ISLNK(found.st_mode) && place.in_working_directory)
    return link_in_the_way(path, "a file");
  return {};
}

Result<FileDescriptor> open_folder(const std::string& path) {
  return end_of(FolderWalk{path}, path);
}

Result<FileDescriptor> make_and_open_folder(const std::string& path, mode_t mode) {
  return end_of(FolderWalk{path, mode}, path);
}

Result<std::vector<Entry>> entries_of(const std::string& path) {
  const FileDescriptor folder = FABRIC_TRY(open_folder(path));
  const int readable = openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> listed{
      readable < 0 ? nullptr : fdopendir(readable), closedir};
  if (!listed) return system_error(path, errno);
  std::vector<Entry> entries;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread has this stream.
  while (const dirent* entry = readdir(listed.get())) {
    const std::string name{std::data(entry->d_name)};
    struct stat found {};
    if (name == "." || name == "..") continue;
    // The entry may be removed by now.
    if (fstatat(folder.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0)
      entries.push_back({name, found.st_mode});
  }
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

std::string_view kind_of(mode_t mode) {
  if (S_ISREG(mode)) return "a file";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "something else";
}

Error system_error(const std::string& path, int number) {
  const bool missing = number == ENOENT || number == ENOTDIR;
  std::string reason = std::generic_category().message(number);  // "No such file or directory"
  if (!reason.empty())
    reason.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(reason.front())));
  return {missing ? ErrorCode::not_found : ErrorCode::denied, fmt::format("{}: {}", path, reason)};
}

Error link_in_the_way(const std::string& path, std::string_view expected) {
  return {
      ErrorCode::denied,
      fmt::format(
          "{}: expected {}, found a symbolic link: fabric follows no link in the working "
          "directory, because its author would choose which files are read and written; remove the "
          "link",
          path,
          expected)};
}

}  // namespace fabric::files
