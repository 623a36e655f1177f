// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/agent.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "engine/ssh/connect.hpp"
#include "engine/ssh/failure.hpp"

namespace fabric::ssh {
namespace {

// draft-miller-ssh-agent: uint32 length, byte type, content; big-endian.
constexpr std::array<unsigned char, 5> kRequestIdentities{0, 0, 0, 1, 11};
constexpr unsigned char kIdentitiesAnswer = 12;
constexpr std::size_t kMaximumAnswer = std::size_t{256} * 1024;  // the limit of ssh-agent itself

std::uint32_t number_at(std::span<const unsigned char> bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24U | std::uint32_t{bytes[at + 1]} << 16U |
         std::uint32_t{bytes[at + 2]} << 8U | std::uint32_t{bytes[at + 3]};
}

// False on end of file, error, deadline or stop.
bool read_fully(
    int descriptor,
    std::span<unsigned char> bytes,
    TimePoint deadline,
    const Environment& environment) {
  while (!bytes.empty()) {
    if (wait_for(descriptor, POLLIN, deadline, environment) != Wait::ready) return false;
    const ssize_t count = recv(descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Agent ask_agent(
    const std::string& socket_path, TimePoint deadline, const Environment& environment) {
  Agent agent;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) {
    agent.problem = "the path of its socket is too long";
    return agent;
  }
  std::copy(socket_path.begin(), socket_path.end(), std::begin(address.sun_path));
  agent.connection = FileDescriptor{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const int descriptor = agent.connection.get();
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    agent.problem = system_message(errno);
    return agent;
  }
  std::array<unsigned char, 5> head{};
  const ssize_t sent =
      send(descriptor, kRequestIdentities.data(), kRequestIdentities.size(), MSG_NOSIGNAL);
  if (sent != std::ssize(kRequestIdentities) ||
      !read_fully(descriptor, head, deadline, environment)) {
    agent.problem = "it does not answer";
    return agent;
  }
  const std::size_t length = number_at(head, 0);
  if (length < 5 || length > kMaximumAnswer || head[4] != kIdentitiesAnswer) {
    agent.problem = "it does not tell its keys";
    return agent;
  }
  std::vector<unsigned char> content(length - 1);
  if (!read_fully(descriptor, content, deadline, environment)) {
    agent.problem = "it does not answer";
    return agent;
  }
  agent.keys = number_at(content, 0);
  return agent;
}

}  // namespace fabric::ssh
