// SPDX-License-Identifier: Apache-2.0
// Process: the interface of a simulated host to a running command.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// An open file: a buffer that is read or collected, or a file that is written.
struct OpenFile {
  std::string data;
  std::size_t read = 0;
  InodeNumber inode = 0;  // 0: a buffer
  bool discard = false;   // /dev/null
};
using Handle = std::size_t;

// One exec on a host: shared by all its processes.
class Session {
 public:
  Session(LinuxHost& host, const Network& world);

  LinuxHost& machine;
  const Network& network;
  Duration elapsed{0};

  Handle open_buffer(std::string content);
  Handle open_inode(InodeNumber inode);
  void close_from(Handle first);  // all handles from this one on
  OpenFile& file(Handle handle) { return files_.at(handle); }
  FileError write(Handle handle, std::string_view bytes);
  // The rest of the input.
  std::string read_all(Handle handle);
  // One line with its end; nullopt at the end of input.
  std::optional<std::string> read_line(Handle handle);

  void pass(Duration duration);
  // False when the exec must end: host stopped, or a limit was reached.
  bool step();
  bool stopped() const { return exhausted_ || machine.stopped(); }
  bool exhausted() const { return exhausted_; }
  int process_number() { return next_process_++; }

 private:
  std::deque<OpenFile> files_;
  std::uint64_t steps_ = 0;
  std::size_t written_ = 0;
  bool exhausted_ = false;
  int next_process_ = 4321;
};

using Environment = std::map<std::string, std::string>;

// From descriptor number to handle; a missing number is closed.
using Descriptors = std::map<int, Handle>;

struct Process {
  Session& session;
  std::vector<std::string> arguments;  // [0] is the name it was called by
  Environment environment;
  Descriptors descriptors;
  std::string user;
  std::string directory = "/";
  std::uint32_t umask = 022;
  int depth = 0;  // processes within processes
  // The parent of the shells below: sudo, which /proc shows while it runs; 1 = no process is shown.
  int parent = 1;

  LinuxHost& machine() { return session.machine; }
  FileTree& files() { return session.machine.state.files; }
  const std::string& name() const { return arguments.front(); }
  bool root() const { return user == "root"; }

  void out(std::string_view text) { write(1, text); }
  void err(std::string_view text) { write(2, text); }
  FileError write(int descriptor, std::string_view text);
  std::string input();
  std::optional<std::string> input_line();
  std::string path(std::string_view given) const { return absolute_path(directory, given); }
  // "name: message" on standard error; returns `status`.
  int fail(int status, std::string_view message);
  // The content of a file, or of standard input for "-". On failure prints "name: file: reason".
  std::optional<std::string> read_file(std::string_view given);
  // Replaces a file's content. On failure prints the reason and returns false.
  bool write_file(std::string_view given, std::string_view content);
};

using Program = int (*)(Process&);

// Runs `arguments` of `process`, looked up by its PATH. Status 126 or 127 as from a shell, without
// a message for 127: `reason` tells why nothing ran.
struct Started {
  int status = 0;
  bool found = true;
  FileError error = FileError::none;
};
Started run_program(Process& process);
// The file that `name` would run, by PATH; nullopt if there is none.
std::optional<std::string> find_program(const Process& process, std::string_view name);
// `sh` and its scripts. `arguments` are $1...
int run_script(
    Process& process,
    std::string_view text,
    std::string_view zero,
    std::vector<std::string> arguments);

}  // namespace fabric::lab
