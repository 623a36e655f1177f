// SPDX-License-Identifier: Apache-2.0
// Commands that change files: chmod chown cp ln mkdir mv rm sync touch
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/kernel/kernel_files.hpp"

namespace fabric::lab::commands {
namespace {

std::string last_name(std::string path) {
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

bool is_directory(Process& process, const std::string& path) {
  const Inode* file = process.files().find(process.path(path));
  return file != nullptr && file->kind == FileKind::directory;
}

// The destination of SOURCE if the last operand is TARGET.
std::string destination(Process& process, const std::string& source, const std::string& target) {
  if (!is_directory(process, target)) return target;
  return absolute_path(target, last_name(source));
}

FileError write_whole(
    Process& process, const std::string& path, std::uint32_t mode, const std::string& content) {
  InodeNumber number = 0;
  const FileError error =
      process.files().open_for_write(path, process.user, mode, FileTree::Open::truncate, number);
  return error == FileError::none ? process.files().append(number, content) : error;
}

}  // namespace

int mkdir(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "p", .valued = ""});
  if (!options) return 1;
  const std::uint32_t mode = 0777U & ~process.umask;
  int status = options->operands.empty() ? process.fail(1, "missing operand") : 0;
  for (const std::string& operand : options->operands) {
    const std::string path = process.path(operand);
    for (std::size_t slash = path.find('/', 1); options->has("p") && slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      if (process.files().find(path.substr(0, slash)) == nullptr) {
        process.files().make_directory(path.substr(0, slash), process.user, mode);
      }
    }
    if (options->has("p") && is_directory(process, operand)) continue;
    if (const std::string device = rdma_cm_device(path); !device.empty() && process.root()) {
      if (make_rdma_cm_folder(process.machine(), device)) continue;
      status =
          process.fail(1, fmt::format("cannot create directory '{}': No such device", operand));
      continue;
    }
    const FileError error = process.files().make_directory(path, process.user, mode);
    if (error == FileError::none) continue;
    status =
        process.fail(1, fmt::format("cannot create directory '{}': {}", operand, describe(error)));
  }
  return status;
}

namespace {

// Children first.
FileError remove_tree(Process& process, const std::string& path) {
  std::vector<std::string> order{path};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string here = order[i];
    const Inode* file = process.files().find(here, Follow::no);
    if (file == nullptr || file->kind != FileKind::directory) continue;
    for (const std::string& name : process.files().list(here))
      order.push_back(absolute_path(here, name));
  }
  std::reverse(order.begin(), order.end());
  for (const std::string& one : order) {
    const Inode* file = process.files().find(one, Follow::no);
    const bool directory = file != nullptr && file->kind == FileKind::directory;
    const FileError error = directory ? process.files().remove_directory(one, process.user)
                                      : process.files().remove(one, process.user);
    if (error != FileError::none) return error;
  }
  return FileError::none;
}

}  // namespace

int rm(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "frRi", .valued = ""});
  if (!options) return 1;
  const bool recursive = options->has("r") || options->has("R");
  int status =
      options->operands.empty() && !options->has("f") ? process.fail(1, "missing operand") : 0;
  for (const std::string& operand : options->operands) {
    const std::string path = process.path(operand);
    FileError error = process.files().remove(path, process.user);
    if (error == FileError::is_a_directory && recursive) error = remove_tree(process, path);
    if (error == FileError::none || (error == FileError::not_found && options->has("f"))) continue;
    status = process.fail(1, fmt::format("cannot remove '{}': {}", operand, describe(error)));
  }
  return status;
}

int mv(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "fnTv", .valued = ""});
  if (!options) return 1;
  if (options->operands.size() < 2) return process.fail(1, "missing file operand");
  const std::string& target = options->operands.back();
  int status = 0;
  for (std::size_t i = 0; i + 1 < options->operands.size(); ++i) {
    const std::string& source = options->operands[i];
    const std::string place = options->has("T") ? target : destination(process, source, target);
    const FileError error =
        process.files().rename(process.path(source), process.path(place), process.user);
    if (error == FileError::none) continue;
    const bool missing = process.files().find(process.path(source), Follow::no) == nullptr;
    status = process.fail(
        1,
        missing ? fmt::format("cannot stat '{}': {}", source, describe(error))
                : fmt::format("cannot move '{}' to '{}': {}", source, place, describe(error)));
  }
  return status;
}

int cp(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "fpaT", .valued = ""});
  if (!options) return 1;
  if (options->operands.size() < 2) return process.fail(1, "missing file operand");
  int status = 0;
  for (std::size_t i = 0; i + 1 < options->operands.size(); ++i) {
    const std::string& source = options->operands[i];
    const std::string place = destination(process, source, options->operands.back());
    const Inode* file = process.files().find(process.path(source));
    std::string content;
    FileError error = process.files().read(process.path(source), process.user, content);
    if (error != FileError::none) {
      status = process.fail(1, fmt::format("cannot stat '{}': {}", source, describe(error)));
      continue;
    }
    const std::uint32_t mode = file->mode;
    const std::string owner = file->owner;
    const std::string group = file->group;
    error = write_whole(process, process.path(place), mode & ~process.umask, content);
    if (error != FileError::none) {
      status = process.fail(
          1, fmt::format("cannot create regular file '{}': {}", place, describe(error)));
    } else if (options->has("p") || options->has("a")) {
      process.files().change_mode(process.path(place), process.user, mode);
      process.files().change_owner(process.path(place), process.user, owner, group);
    }
  }
  return status;
}

int chmod(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "", .valued = ""});
  if (!options) return 1;
  if (options->operands.size() < 2) return process.fail(1, "missing operand");
  const std::optional<std::uint64_t> mode = parse_unsigned(options->operands[0], 8);
  if (!mode) return process.fail(1, fmt::format("invalid mode: '{}'", options->operands[0]));
  int status = 0;
  for (std::size_t i = 1; i < options->operands.size(); ++i) {
    const std::string& operand = options->operands[i];
    const Inode* file = process.files().find(process.path(operand));
    if (file == nullptr) {
      status =
          process.fail(1, fmt::format("cannot access '{}': No such file or directory", operand));
      continue;
    }
    const FileError error = process.files().change_mode(
        process.path(operand), process.user, static_cast<std::uint32_t>(*mode));
    if (error == FileError::none) continue;
    status =
        process.fail(1, fmt::format("changing permissions of '{}': {}", operand, describe(error)));
  }
  return status;
}

int chown(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "fhv", .valued = ""});
  if (!options) return 1;
  if (options->operands.size() < 2) return process.fail(1, "missing operand");
  const std::string& who = options->operands[0];
  const std::size_t colon = who.find(':');
  std::string owner = who.substr(0, colon);
  std::string group = colon == std::string::npos ? "" : who.substr(colon + 1);
  if (owner == "0") owner = "root";
  if (group == "0") group = "root";
  if (!owner.empty() && !process.machine().user_exists(owner))
    return process.fail(1, fmt::format("invalid user: '{}'", who));
  if (!group.empty() && !process.machine().user_exists(group))
    return process.fail(1, fmt::format("invalid group: '{}'", who));
  int status = 0;
  for (std::size_t i = 1; i < options->operands.size(); ++i) {
    const std::string path = process.path(options->operands[i]);
    const Inode* file = process.files().find(path);
    const FileError error = file == nullptr ? FileError::not_found
                                            : process.files().change_owner(
                                                  path,
                                                  process.user,
                                                  owner.empty() ? file->owner : owner,
                                                  group.empty() ? file->group : group);
    if (error == FileError::none) continue;
    status = process.fail(
        1,
        fmt::format(
            "{} '{}': {}",
            file == nullptr ? "cannot access" : "changing ownership of",
            options->operands[i],
            describe(error)));
  }
  return status;
}

int touch(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "", .valued = ""});
  if (!options) return 1;
  int status = 0;
  for (const std::string& operand : options->operands) {
    InodeNumber number = 0;
    const FileError error = process.files().open_for_write(
        process.path(operand),
        process.user,
        0666U & ~process.umask,
        FileTree::Open::append,
        number);
    if (error == FileError::none) continue;
    status = process.fail(1, fmt::format("cannot touch '{}': {}", operand, describe(error)));
  }
  return status;
}

int ln(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "sfnT", .valued = ""});
  if (!options) return 1;
  if (options->operands.size() != 2) return process.fail(1, "missing file operand");
  if (!options->has("s"))
    return process.fail(1, "hard links are not allowed here: Operation not permitted");
  const std::string& target = options->operands[0];
  const std::string name = options->has("n") || options->has("T")
                               ? options->operands[1]
                               : destination(process, target, options->operands[1]);
  if (options->has("f")) process.files().remove(process.path(name), process.user);
  const FileError error = process.files().symlink(target, process.path(name), process.user);
  if (error == FileError::none) return 0;
  return process.fail(
      1, fmt::format("failed to create symbolic link '{}': {}", name, describe(error)));
}

int sync(Process& process) {
  const std::optional<Options> options = parse_options(
      process,
      {.flags = "df", .valued = "", .long_flags = {"data", "file-system"}, .long_valued = {}});
  if (!options) return 1;
  FileTree& files = process.files();
  const bool whole = options->operands.empty() || options->has("f") || options->has("file-system");
  int status = 0;
  for (const std::string& operand : options->operands) {
    const FileError error = whole ? FileError::none : files.sync(process.path(operand));
    const bool is_there = files.find(process.path(operand)) != nullptr;
    if (error == FileError::none && is_there) continue;
    status = process.fail(1, fmt::format("error opening '{}': No such file or directory", operand));
  }
  // A host has one file system.
  if (whole && status == 0) files.sync_all();
  return status;
}

}  // namespace fabric::lab::commands
