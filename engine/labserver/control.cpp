// SPDX-License-Identifier: Apache-2.0
#include "engine/labserver/control.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "engine/files/place.hpp"
#include "engine/files/write.hpp"
#include "engine/labserver/directory.hpp"
#include "engine/labserver/lab_service.hpp"
#include "engine/value/json.hpp"

namespace fabric::labserver {
namespace {

constexpr std::size_t kRequestBytes = 65'536;  // a request is some hundred
constexpr std::size_t kAnswerBytes = std::size_t{64} * 1024 * 1024;
constexpr timeval kClientPatience{30, 0};

// A socket's name holds 107 bytes and a project may lie deeper: reach it through a descriptor, of
// its folder or of itself.
sockaddr_un address_of(int descriptor, std::string_view below) {
  const std::string path = fmt::format("/proc/self/fd/{}{}", descriptor, below);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(std::data(address.sun_path), sizeof address.sun_path - 1);
  return address;
}

Error failed(const std::string& directory) {
  return {
      ErrorCode::invalid,
      fmt::format("{}: control socket: {}", directory, std::generic_category().message(errno))};
}

}  // namespace

Result<FileDescriptor> listen_control(const std::string& directory, const std::string& name) {
  FileDescriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  FABRIC_TRY(files::remove_file(directory + "/" + name));  // of a lab that was killed
  const FileDescriptor folder = FABRIC_TRY(files::open_folder(directory));
  const sockaddr_un address = address_of(folder.get(), "/" + name);
  const int bound = bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (bound != 0 || listen(socket.get(), 16) != 0) return failed(directory);
  return socket;
}

std::optional<Result<Value>> ControlClient::read() {
  std::array<char, 4096> piece{};
  while (!ended_) {
    const ssize_t count = recv(descriptor(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count <= 0) {
      ended_ = true;
    } else if (input_.size() < kRequestBytes) {
      input_.append(piece.data(), static_cast<std::size_t>(count));
    }
  }
  const std::size_t end = input_.find('\n');
  if (end == std::string::npos || answered_) return std::nullopt;
  return parse_json(std::string_view{input_}.substr(0, end));
}

void ControlClient::answer(const Value& value) {
  answered_ = true;
  output_ = to_json(value) + "\n";
}

bool ControlClient::write() {
  while (!output_.empty()) {
    const ssize_t count =
        send(descriptor(), output_.data(), output_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (count < 0) return false;
    output_.erase(0, static_cast<std::size_t>(count));
  }
  return !answered_ && !ended_;
}

Result<Value> request(const std::string& directory, const Value& request) {
  FABRIC_TRY(read_lab_info(directory));
  const FileDescriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kClientPatience, sizeof kClientPatience);
  const FileDescriptor folder = FABRIC_TRY(files::open_folder(directory));
  // By its name connect() would follow a link.
  const FileDescriptor there{openat(folder.get(), kSocketFile, O_PATH | O_NOFOLLOW | O_CLOEXEC)};
  if (!there) return failed(directory);
  const sockaddr_un address = address_of(there.get(), "");
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return failed(directory);
  const std::string line = to_json(request) + "\n";
  if (send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL) != std::ssize(line))
    return failed(directory);
  std::string answer;
  std::array<char, 65'536> piece{};
  while (answer.size() < kAnswerBytes) {
    const ssize_t count = recv(socket.get(), piece.data(), piece.size(), 0);
    if (count < 0) return Error{ErrorCode::timed_out, "the lab does not answer"};
    if (count == 0) break;
    answer.append(piece.data(), static_cast<std::size_t>(count));
  }
  Value value = FABRIC_TRY(parse_json(answer));
  if (const std::string error = value.string_or_empty("error"); !error.empty()) {
    const bool missing = value.string_or_empty("code") == "not_found";
    return Error{missing ? ErrorCode::not_found : ErrorCode::invalid, error};
  }
  return value;
}

}  // namespace fabric::labserver
