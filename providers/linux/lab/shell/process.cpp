// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/shell/process.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "providers/linux/lab/shell/programs.hpp"

namespace fabric::lab {
namespace {

// A sane script is far below; an endless loop must end.
constexpr std::uint64_t kSteps = 200'000;
constexpr int kProcessDepth = 40;

}  // namespace

Program ProgramTable::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(entries, [&](const ProgramEntry& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : found->program;
}

Session::Session(LinuxHost& host, const Network& world) : machine{host}, network{world} {}

Handle Session::open_buffer(std::string content) {
  OpenFile file;
  file.data = std::move(content);
  files_.push_back(std::move(file));
  return files_.size() - 1;
}

Handle Session::open_inode(InodeNumber inode) {
  OpenFile file;
  file.inode = inode;
  const Inode* target = machine.state.files.inode(inode);
  file.discard = target != nullptr && target->kind == FileKind::null_device;
  files_.push_back(std::move(file));
  return files_.size() - 1;
}

void Session::close_from(Handle first) {
  while (files_.size() > first)
    files_.pop_back();
}

FileError Session::write(Handle handle, std::string_view bytes) {
  OpenFile& target = file(handle);
  written_ += bytes.size();
  if (written_ > limits::kCommandOutputBytes) exhausted_ = true;
  if (target.discard || stopped()) return FileError::none;
  if (target.inode != 0) return machine.state.files.append(target.inode, bytes);
  target.data += bytes;
  return FileError::none;
}

std::string Session::read_all(Handle handle) {
  OpenFile& source = file(handle);
  std::string rest = source.data.substr(source.read);
  source.read = source.data.size();
  return rest;
}

std::optional<std::string> Session::read_line(Handle handle) {
  OpenFile& source = file(handle);
  if (source.read >= source.data.size()) return std::nullopt;
  const std::size_t end = source.data.find('\n', source.read);
  const std::size_t after = end == std::string::npos ? source.data.size() : end + 1;
  std::string line = source.data.substr(source.read, after - source.read);
  source.read = after;
  return line;
}

void Session::pass(Duration duration) {
  elapsed += duration;
  machine.now += duration;
}

bool Session::step() {
  if (++steps_ > kSteps) exhausted_ = true;
  return !stopped();
}

FileError Process::write(int descriptor, std::string_view text) {
  const auto found = descriptors.find(descriptor);
  return found == descriptors.end() ? FileError::none : session.write(found->second, text);
}

std::string Process::input() {
  const auto found = descriptors.find(0);
  return found == descriptors.end() ? "" : session.read_all(found->second);
}

std::optional<std::string> Process::input_line() {
  const auto found = descriptors.find(0);
  return found == descriptors.end() ? std::nullopt : session.read_line(found->second);
}

int Process::fail(int status, std::string_view message) {
  const std::size_t slash = name().rfind('/');
  err(fmt::format(
      "{}: {}\n", slash == std::string::npos ? name() : name().substr(slash + 1), message));
  return status;
}

std::optional<std::string> Process::read_file(std::string_view given) {
  if (given == "-") return input();
  std::string content;
  const FileError error = files().read(path(given), user, content);
  if (error == FileError::none) return content;
  fail(1, fmt::format("{}: {}", given, describe(error)));
  return std::nullopt;
}

bool Process::write_file(std::string_view given, std::string_view content) {
  InodeNumber number = 0;
  FileError error =
      files().open_for_write(path(given), user, 0666U & ~umask, FileTree::Open::truncate, number);
  if (error == FileError::none) error = files().append(number, content);
  if (error == FileError::none) return true;
  fail(1, fmt::format("{}: {}", given, describe(error)));
  return false;
}

std::optional<std::string> find_program(const Process& process, std::string_view name) {
  const FileTree& files = process.session.machine.state.files;
  const auto runnable = [&](const std::string& path) {
    const Inode* file = files.find(path);
    return file != nullptr && file->kind != FileKind::directory &&
           files.allows(*file, process.user, 1);
  };
  if (name.find('/') != std::string_view::npos) {
    const std::string path = process.path(name);
    return runnable(path) ? std::optional{std::string{name}} : std::nullopt;
  }
  const auto path_variable = process.environment.find("PATH");
  const std::string folders =
      path_variable == process.environment.end() ? "/usr/bin:/bin" : path_variable->second;
  for (const std::string_view folder : split(folders, ':')) {
    const std::string path = absolute_path(process.path(folder), name);
    if (runnable(path)) return path;
  }
  return std::nullopt;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kProcessDepth
Started run_program(Process& process) {
  const std::optional<std::string> path = find_program(process, process.name());
  if (!path) {
    const bool named = process.name().find('/') != std::string::npos;
    const Inode* there = named ? process.files().find(process.path(process.name())) : nullptr;
    if (there != nullptr) return Started{126, false, FileError::denied};
    return Started{127, false, FileError::not_found};
  }
  if (process.depth > kProcessDepth) return Started{126, false, FileError::busy};
  const Inode& file = *process.files().find(process.path(*path));
  process.session.pass(Duration{1});
  if (file.kind == FileKind::program) {
    const Program program = process.machine().programs.find(file.content);
    return program == nullptr ? Started{126, false, FileError::invalid} : Started{program(process)};
  }
  const std::string script = file.content;
  std::vector<std::string> arguments{process.arguments.begin() + 1, process.arguments.end()};
  return Started{run_script(process, script, *path, std::move(arguments))};
}

}  // namespace fabric::lab
