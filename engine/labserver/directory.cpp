// SPDX-License-Identifier: Apache-2.0
#include "engine/labserver/directory.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "engine/base/limits.hpp"
#include "engine/files/place.hpp"
#include "engine/files/read.hpp"
#include "engine/files/write.hpp"
#include "engine/value/json.hpp"
#include "engine/value/lists.hpp"

namespace fabric::labserver {
namespace {

// Stays, empty: were it removed, two labs could lock two files of that name.
constexpr const char* kLockFile = "lock";
constexpr const char* kPublicFile = "id_ed25519.pub";

Value to_value(const LabInfo& info) {
  Map addresses;
  for (const auto& [node, address] : info.addresses)
    addresses[node] = address;
  return Map{
      {"pid", info.pid},
      {"port", info.port},
      {"addresses", std::move(addresses)},
      {"identity_file", info.identity_file},
      {"known_hosts_file", info.known_hosts_file},
      {"document", to_list(info.document)}};
}

std::optional<std::int64_t> integer_of(const Value& value, std::string_view key) {
  const Value* member = value.find(key);
  const std::int64_t* integer = member != nullptr ? member->as_integer() : nullptr;
  return integer != nullptr ? std::optional{*integer} : std::nullopt;
}

// Empty if there is none.
Map map_of(const Value& value, std::string_view key) {
  const Value* member = value.find(key);
  return member != nullptr && member->as_map() != nullptr ? *member->as_map() : Map{};
}

LabInfo from_value(const Value& value) {
  LabInfo info;
  info.pid = static_cast<int>(integer_of(value, "pid").value_or(0));
  info.port = static_cast<std::uint32_t>(integer_of(value, "port").value_or(0));
  info.identity_file = value.string_or_empty("identity_file");
  info.known_hosts_file = value.string_or_empty("known_hosts_file");
  for (const auto& [node, address] : map_of(value, "addresses")) {
    if (address.as_string() != nullptr) info.addresses[node] = *address.as_string();
  }
  if (const Value* document = value.find("document");
      document != nullptr && document->as_list() != nullptr) {
    for (const Value& file : *document->as_list()) {
      if (file.as_string() != nullptr) info.document.push_back(*file.as_string());
    }
  }
  return info;
}

// The files in the folder are a lab's own. A link or a pipe there is foreign, and its author would
// have a file of the operator read, written over or removed in the place of a lab's.
Result<void> check_entries(const std::string& directory) {
  const Result<std::vector<files::Entry>> entries = files::entries_of(directory);
  if (!entries && entries.error().code == ErrorCode::not_found) return {};
  if (!entries) return entries.error();
  for (const files::Entry& entry : *entries) {
    const bool is_socket = entry.name == kSocketFile;
    const mode_t kind = entry.mode & S_IFMT;
    if (is_socket ? kind == S_IFSOCK : kind == S_IFREG || kind == S_IFDIR) continue;
    return Error{
        ErrorCode::denied,
        fmt::format(
            "{}/{}: expected {} that a lab has made, found {}; nothing was read or written: remove "
            "{}",
            directory,
            entry.name,
            is_socket ? "a socket" : "a file",
            files::kind_of(entry.mode),
            files::kind_of(entry.mode))};
  }
  return {};
}

}  // namespace

Result<LabDirectory> LabDirectory::lock(const std::string& directory) {
  std::error_code error;
  const std::string path = std::filesystem::absolute(directory, error).lexically_normal().string();
  FABRIC_TRY(files::make_folder(path, files::Readers::owner));
  const FileDescriptor folder = FABRIC_TRY(files::open_folder(path));
  if (fchmodat(folder.get(), ".", 0700, 0) != 0)  // keys lie here
    return files::system_error(directory, errno);
  FABRIC_TRY(check_entries(directory));
  FileDescriptor lock = FABRIC_TRY(files::open_private(path + "/" + kLockFile));
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{ErrorCode::locked, fmt::format("a lab already runs in {}", directory)};
  }
  return LabDirectory{path, std::move(lock)};
}

bool LabDirectory::is_locked(const std::string& directory) {
  const Result<FileDescriptor> folder = files::open_folder(directory);
  if (!folder) return false;
  const FileDescriptor lock{
      openat(folder->get(), kLockFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  return lock && flock(lock.get(), LOCK_SH | LOCK_NB) != 0;
}

Result<void> LabDirectory::write(const LabInfo& info) const {
  return files::write_file(file(kInfoFile), to_json_pretty(to_value(info)), files::Readers::owner);
}

void LabDirectory::clear() {
  static constexpr std::array kFiles{
      kInfoFile, kSocketFile, kIdentityFile, kPublicFile, kKnownHostsFile};
  for (const char* name : kFiles)
    static_cast<void>(files::remove_file(file(name)));
  lock_.close();
}

Result<LabInfo> read_lab_info(const std::string& directory) {
  FABRIC_TRY(check_entries(directory));
  const std::string file = directory + "/" + kInfoFile;
  const Result<std::string> text =
      files::read_regular(file, limits::kLabInfoBytes, files::Links::refused);
  if (!text && text.error().code == ErrorCode::invalid) return text.error();
  if (!text || !LabDirectory::is_locked(directory))
    return Error{ErrorCode::not_found, fmt::format("no lab runs in {}", directory)};
  Result<LabInfo> info = parse_lab_info(*text);
  if (!info) return with_context(info.error(), file);
  return info;
}

Result<LabInfo> parse_lab_info(std::string_view text) {
  const Value value = FABRIC_TRY(parse_json(text));
  return from_value(value);
}

}  // namespace fabric::labserver
