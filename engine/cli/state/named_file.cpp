// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/state/named_file.hpp"

#include <cctype>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/base/file_descriptor.hpp"

namespace fabric::cli {

namespace {

namespace fs = std::filesystem;

constexpr int kReading = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

Error system_error(const std::string& path, int number) {
  std::string reason = std::generic_category().message(number);
  reason.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(reason.front())));
  return {
      number == ENOENT ? ErrorCode::not_found : ErrorCode::denied,
      fmt::format("{}: {}", path, reason)};
}

Error outside(const std::string& path) {
  return {
      ErrorCode::forbidden,
      fmt::format("{}: the file is outside of the folder of the document", path)};
}

fs::path made_absolute(const fs::path& path) {
  std::error_code failure;
  return fs::absolute(path.empty() ? "." : path, failure).lexically_normal();
}

fs::path resolved(const fs::path& path) {
  std::error_code failure;
  fs::path found = fs::weakly_canonical(path.empty() ? "." : path, failure);
  return failure ? made_absolute(path) : found;
}

// Not of the tree itself.
bool is_beneath(const fs::path& path, const fs::path& tree) {
  const fs::path relative = path.lexically_relative(tree);
  return !relative.empty() && relative != "." && *relative.begin() != "..";
}

FileDescriptor open_at(int folder, const fs::path& path, std::uint64_t resolve) {
  open_how how{};
  how.flags = kReading;
  how.resolve = resolve;
  return FileDescriptor{
      static_cast<int>(syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how))};
}

// The kernel refuses a link with an absolute target beneath a folder, wherever it leads: it is
// resolved here, and its target opened without any link.
Result<FileDescriptor> open_beneath(const std::string& folder, const std::string& path) {
  const fs::path tree = resolved(folder);
  const fs::path relative = made_absolute(path).lexically_relative(made_absolute(folder));
  if (relative.empty() || *relative.begin() == "..") return outside(path);
  const FileDescriptor top{open(tree.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (!top) return system_error(tree.string(), errno);
  FileDescriptor file = open_at(top.get(), relative, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
  if (file) return file;
  if (errno != EXDEV && errno != ENOSYS && errno != EPERM) return system_error(path, errno);
  const bool has_call = errno == EXDEV;
  const fs::path target = resolved(tree / relative);
  if (!is_beneath(target, tree)) return outside(path);
  if (has_call) {
    file =
        open_at(top.get(), target.lexically_relative(tree), RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
  } else {
    file = FileDescriptor{open(target.c_str(), kReading | O_NOFOLLOW)};
  }
  if (file) return file;
  return system_error(path, errno);
}

Result<std::string> read_all(
    const FileDescriptor& file, const std::string& path, std::size_t bytes_max) {
  std::string text;
  std::string block(std::size_t{1} << 16U, '\0');
  while (true) {
    const ssize_t got = read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path, errno);
    if (got == 0) return text;
    text.append(block, 0, static_cast<std::size_t>(got));
    if (text.size() > bytes_max)
      return Error{
          ErrorCode::invalid, fmt::format("{}: expected at most {} bytes", path, bytes_max)};
  }
}

Result<struct stat> regular(const FileDescriptor& file, const std::string& path) {
  struct stat about {};
  if (fstat(file.get(), &about) != 0) return system_error(path, errno);
  if (!S_ISREG(about.st_mode)) return Error{ErrorCode::invalid, path + ": expected a regular file"};
  return about;
}

// True if a part of the way to `path` is an entry of the tree or of a folder in it.
bool leads_through(const fs::path& path, const fs::path& tree) {
  std::error_code failure;
  fs::path here = path.is_absolute() ? fs::path{"/"} : fs::current_path(failure);
  for (const fs::path& part : path.relative_path()) {
    if (part == "." || part.empty()) continue;
    const fs::path location = part == ".." ? here.parent_path() : here / part;
    if (part != ".." && is_beneath(location, tree)) return true;
    here = resolved(location);
  }
  return is_beneath(here, tree);
}

// How the file differs from `expected`; nullopt: not at all.
std::optional<std::string> fault(const struct stat& about, const OperatorFile& expected) {
  const bool is_owned = about.st_uid == geteuid() || (expected.may_be_of_root && about.st_uid == 0);
  if (!is_owned)
    return fmt::format("the file is of user {}, not of the user who runs fabric", about.st_uid);
  if ((about.st_mode & expected.forbidden_mode) != 0) {
    constexpr unsigned kPermissions = 07777;
    return fmt::format(
        "the file has mode {:04o}, and others may {} it: chmod {} it",
        about.st_mode & kPermissions,
        (expected.forbidden_mode & S_IROTH) != 0 ? "use" : "change",
        (expected.forbidden_mode & S_IROTH) != 0 ? "0600" : "go-w");
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> read_named_file(
    const std::string& folder, const std::string& path, bool trusted, std::size_t bytes_max) {
  FileDescriptor file;
  if (trusted) {
    file = FileDescriptor{open(path.c_str(), kReading)};
    if (!file) return system_error(path, errno);
  } else {
    file = FABRIC_TRY(open_beneath(folder, path));
  }
  FABRIC_TRY(regular(file, path));
  return read_all(file, path, bytes_max);
}

std::optional<std::string> repository_of(const std::string& folder) {
  std::optional<std::string> found;
  std::error_code failure;
  for (fs::path above = resolved(folder); above.has_relative_path(); above = above.parent_path()) {
    if (fs::exists(fs::symlink_status(above / ".git", failure))) found = above.string();
  }
  return found;
}

std::string working_tree(const std::string& folder) {
  return repository_of(folder).value_or(resolved(folder).string());
}

Result<std::string> read_operator_file(
    const std::string& path, const OperatorFile& expected, std::size_t bytes_max) {
  const auto refused = [&](const std::string& why) {
    return Error{ErrorCode::forbidden, fmt::format("{} {}: {}", expected.option, path, why)};
  };
  for (const std::string& tree : expected.trees) {
    if (!leads_through(path, resolved(tree))) continue;
    return refused(fmt::format(
        "the file is in the working tree of the document ({}), so an author of the document could "
        "change it: move it out of that tree",
        tree));
  }
  const int links = expected.may_be_a_link ? 0 : O_NOFOLLOW;
  const FileDescriptor file{open(path.c_str(), kReading | links)};
  if (!file && errno == ELOOP) return refused("the file is a link: name the file itself");
  if (!file) return with_context(system_error(path, errno), expected.option);
  const Result<struct stat> about = regular(file, path);
  if (!about) return with_context(about.error(), expected.option);
  if (const std::optional<std::string> wrong = fault(*about, expected)) return refused(*wrong);
  return read_all(file, path, bytes_max);
}

}  // namespace fabric::cli
