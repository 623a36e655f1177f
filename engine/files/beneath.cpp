// SPDX-License-Identifier: Apache-2.0
#include "engine/files/beneath.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <vector>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

#include "engine/base/text.hpp"

namespace fabric::files {

namespace {

constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr int kLinksMost = 40;  // as in Linux

// The number that the system call returns, ENOSYS where it can't be asked.
int open_by_kernel([[maybe_unused]] int folder, [[maybe_unused]] const char* name) {
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
  open_how how{};
  how.flags = static_cast<unsigned>(kFlags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  constexpr int kAttempts = 8;  // EAGAIN: something was renamed meanwhile
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const long opened = syscall(SYS_openat2, folder, name, &how, sizeof how);
    if (opened >= 0 || errno != EAGAIN) return static_cast<int>(opened);
  }
  return -1;
#else
  errno = ENOSYS;
  return -1;
#endif
}

// Resolves a path name by name without the kernel following links: each link is read and replaced
// by its parts. `open` are the folders from the first one down, so ".." never asks the kernel.
class OwnWalk {
 public:
  explicit OwnWalk(int folder) : first_{folder} {}

  int open(const std::string& name) {
    put_before(name);
    while (!parts_.empty()) {
      const std::string part = parts_.front();
      parts_.pop_front();
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        if (open_.empty()) return fail(EXDEV);
        open_.pop_back();
        continue;
      }
      const int found = ::openat(here(), part.c_str(), kFlags | O_NOFOLLOW | (last() ? 0 : O_PATH));
      if (found >= 0 && last()) return found;
      if (const int why = enter(part, FileDescriptor{found}); why != 0) return fail(why);
    }
    return fail(EISDIR);
  }

 private:
  int here() const { return open_.empty() ? first_ : open_.back().get(); }
  bool last() const { return parts_.empty(); }
  static int fail(int number) {
    errno = number;
    return -1;
  }

  void put_before(const std::string& path) {
    std::vector<std::string> found;
    for (const std::string_view part : split(path, '/'))
      found.emplace_back(part);
    parts_.insert(parts_.begin(), found.begin(), found.end());
  }

  // Into the folder, or to where the link leads; `opened` is empty where errno says why. 0, or an
  // errno.
  int enter(const std::string& part, FileDescriptor opened) {
    const int target = follow(part);
    if (target != EINVAL) return target;  // EINVAL: it is no link
    if (!opened) return errno == EINVAL ? ENOENT : errno;
    open_.push_back(std::move(opened));
    return 0;
  }

  // 0: a link, and its parts stand before the others. Else an errno.
  int follow(const std::string& part) {
    std::array<char, PATH_MAX> target{};
    const int before = errno;
    const ssize_t length = ::readlinkat(here(), part.c_str(), target.data(), target.size());
    if (length < 0) {
      const int why = errno;
      errno = before;
      return why;
    }
    if (++links_ > kLinksMost) return ELOOP;
    if (length == 0 || target[0] == '/') return EXDEV;
    put_before({target.data(), static_cast<std::size_t>(length)});
    return 0;
  }

  int first_;
  std::vector<FileDescriptor> open_;
  std::deque<std::string> parts_;
  int links_ = 0;
};

}  // namespace

Beneath open_beneath(const std::string& folder, const std::string& name, Walk walk) {
  Beneath result;
  const FileDescriptor first{
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!first) {
    result.error = errno;
    return result;
  }
  int opened = -1;
  errno = ENOSYS;
  if (walk == Walk::by_kernel) opened = open_by_kernel(first.get(), name.c_str());
  // EPERM, EINVAL, E2BIG: a filter, or a kernel of another version.
  const bool unknown = errno == ENOSYS || errno == EPERM || errno == EINVAL || errno == E2BIG;
  if (opened < 0 && unknown) opened = OwnWalk{first.get()}.open(name);
  if (opened < 0) result.error = errno;
  result.file = FileDescriptor{opened};
  return result;
}

}  // namespace fabric::files
