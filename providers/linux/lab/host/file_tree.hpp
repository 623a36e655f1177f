// SPDX-License-Identifier: Apache-2.0
// FileTree: the files of one simulated host, with inodes as a kernel has them: a renamed or removed
// file behaves as on a real system for every process that still has it open. Entries of /proc and
// /sys are generated when they are read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/random.hpp"

namespace fabric::lab {

enum class FileError : std::uint8_t {
  none,
  not_found,
  exists,
  not_a_directory,
  is_a_directory,
  denied,
  not_permitted,
  no_space,
  invalid,
  loop,
  not_empty,
  busy,
  read_only
};
// The text of strerror: "No such file or directory".
std::string_view describe(FileError error);

enum class FileKind : std::uint8_t { regular, directory, symlink, generated, program, null_device };
using InodeNumber = std::uint32_t;

struct Inode {
  FileKind kind = FileKind::regular;
  std::uint32_t mode = 0644;
  std::string owner = "root";
  std::string group = "root";
  // The bytes of a regular file, the target of a symlink, or the name of a program.
  std::string content;
  std::map<std::string, InodeNumber, std::less<>> entries;
  std::int64_t modified = 0;  // ms since 1970
  // For generated files. No reader: reading fails as if write-only; no writer: denied.
  std::function<std::optional<std::string>()>
      reader;  // nullopt: EINVAL, as of a carrier that is down
  std::function<FileError(std::string_view)> writer;
};

enum class Follow : std::uint8_t { yes, no };

class FileTree {
 public:
  FileTree();

  // All paths are absolute. Null if there is no file (or a dangling symlink, with Follow::yes).
  const Inode* find(std::string_view path, Follow follow = Follow::yes) const;
  const Inode* inode(InodeNumber number) const;
  // The path without symlinks, "." and ".."; the last component may be missing.
  std::optional<std::string> real_path(std::string_view path) const;
  bool allows(const Inode& inode, std::string_view user, std::uint32_t bit) const;
  std::vector<std::string> list(std::string_view path) const;

  FileError read(std::string_view path, std::string_view user, std::string& content) const;

  enum class Open : std::uint8_t { truncate, append };
  // Makes the file (with `mode`) if it is missing. The returned number is for append().
  FileError open_for_write(
      std::string_view path,
      std::string_view user,
      std::uint32_t mode,
      Open how,
      InodeNumber& number);
  // Writing to a file that was removed meanwhile succeeds and is lost.
  FileError append(InodeNumber number, std::string_view bytes);
  FileError make_directory(std::string_view path, std::string_view user, std::uint32_t mode);
  FileError remove(std::string_view path, std::string_view user);            // not directories
  FileError remove_directory(std::string_view path, std::string_view user);  // empty ones
  FileError rename(std::string_view from, std::string_view to, std::string_view user);
  FileError symlink(std::string_view target, std::string_view path, std::string_view user);
  FileError change_mode(std::string_view path, std::string_view user, std::uint32_t mode);
  FileError change_owner(
      std::string_view path, std::string_view user, std::string owner, std::string group);

  // Installs files of the machine itself: parents are made, nothing counts as a change.
  void install(std::string_view path, std::string content, std::uint32_t mode = 0644);
  void install_directory(std::string_view path);
  void install_symlink(std::string_view path, std::string target);
  void install_null_device(std::string_view path);
  void install_program(std::string_view path, std::string name);
  void install_generated(
      std::string_view path,
      std::function<std::optional<std::string>()> reader,
      std::function<FileError(std::string_view)> writer = {});
  void erase_all_below(std::string_view path);

  // Changes of persistent files (not /tmp, /run, /dev, /proc, /sys) since the start.
  std::uint64_t changes() const { return changes_; }
  const std::set<std::string>& touched() const { return touched_; }
  void set_full(bool full) { full_ = full; }
  void set_time(std::int64_t unix_milliseconds) { time_ = unix_milliseconds; }

  // The disk below the tree (file_tree_disk.cpp). A change is seen at once by all processes, and is
  // on the disk when a process has synced it, or after a while.
  void sync_all();
  // fsync(2): syncs a file's content, mode and owner, but not its name; a directory's names.
  FileError sync(std::string_view path);
  // The kernel writes back content that is unchanged for a while. `milliseconds`: of a clock that
  // never jumps.
  void write_back(std::int64_t milliseconds);
  // A power cut: each change that was not synced is kept or lost independently, in any order, and a
  // file may be cut at any byte; a rename is done as a whole or not at all.
  void lose_unsynced(Random& random);
  // The paths of all files that a power cut could lose, in order.
  std::vector<std::string> unsynced() const;

  // Calls `visit(path, inode)` for everything that persists, in order of path.
  void visit_persistent(const std::function<void(const std::string&, const Inode&)>& visit) const;

 private:
  struct Place {
    InodeNumber directory = 0;  // 0: does not exist
    InodeNumber inode = 0;      // 0: does not exist
    std::string name;
    std::string path;  // of symlinks cleared
    FileError error = FileError::none;
  };
  class Walk;
  static constexpr InodeNumber kRoot = 1;
  // A directory on the way of a path, and the length of the path to it.
  struct Stop {
    InodeNumber directory;
    std::size_t length;
  };
  // The directory that a path led to.
  struct Arrival {
    std::vector<Stop> way;
    std::string path;  // of symlinks cleared
    int symlinks = 0;
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): as the library calls it
  };

  // Directory and last name of a path; no directory if there is no plain name or no such place.
  struct Split {
    const Arrival* directory = nullptr;
    std::string_view name{};
  };

  // A name in a directory that leads elsewhere; 0: there is none.
  struct NameChange {
    InodeNumber directory;
    std::string name;
    InodeNumber before, after;
  };
  // A change that is kept or lost as a whole: a rename changes two names.
  struct Unsynced {
    std::vector<NameChange> names;
    std::string path;
  };
  // The content on the disk of a file that has changed since.
  struct OnDisk {
    std::string content, owner, group, path;
    std::uint32_t mode;
  };

  Split split(std::string_view path) const;
  Place locate(std::string_view path, Follow follow) const;
  // Null if `path` is no directory.
  const Arrival* arrive(std::string_view path) const;
  void erase_inode(InodeNumber number);
  Inode* get(InodeNumber number);
  FileError may_change_directory(const Place& place, std::string_view user) const;
  FileError room_for(const std::string& path) const;
  void changed(const std::string& path);
  InodeNumber insert(const Place& place, Inode inode);
  void install_inode(std::string_view path, Inode inode);
  // Called before a file is changed, and after a name was. Does nothing where the path is volatile.
  void will_change(InodeNumber number, const std::string& path);
  void renamed(std::vector<NameChange> names, const std::string& path);
  // Takes an inode that may still be on the disk out of the tree.
  void retire(InodeNumber number, const std::string& path);
  void take_back_names();
  void keep_some_names(Random& random);
  void drop_names_of_no_directory();
  void drop_unreachable();

  std::unordered_map<InodeNumber, Inode> inodes_;
  // By the requested path; emptied whenever a directory or a symlink is removed.
  mutable std::unordered_map<std::string, Arrival, Hash, std::equal_to<>> arrivals_;
  InodeNumber next_ = 2;
  std::uint64_t changes_ = 0;
  std::int64_t time_ = 0;
  bool full_ = false;
  std::set<std::string> touched_;
  std::map<InodeNumber, std::string> written_;  // path at opening, for changes by append
  std::vector<Unsynced> unsynced_names_;        // in the order in which they were made
  std::map<InodeNumber, OnDisk> unsynced_files_;
  std::unordered_map<InodeNumber, Inode> retired_;
  std::int64_t milliseconds_ = 0;  // of write_back()
  std::int64_t last_unsynced_ = 0;
};

// True if a boot empties the folder: /tmp, /run, /dev, /proc, /sys.
bool is_volatile(std::string_view path);

// "/a/b" + "c" = "/a/b/c"; an absolute `path` stays as it is; "." and ".." are kept.
std::string absolute_path(std::string_view directory, std::string_view path);

}  // namespace fabric::lab
