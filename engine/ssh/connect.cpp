// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/connect.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "engine/ssh/failure.hpp"
#include "engine/ssh/resolve.hpp"

namespace fabric::ssh {
namespace {

void set_option(int descriptor, int level, int name, int value) {
  setsockopt(descriptor, level, name, &value, sizeof value);
}

// A host that loses power sends nothing: these find it out long before a command's own deadline.
void watch_peer(int descriptor) {
  set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 10);  // seconds
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, 20'000);  // milliseconds unacknowledged
}

}  // namespace

Wait wait_for(int descriptor, short events, TimePoint deadline, const Environment& environment) {
  while (true) {
    if (environment.stop.raised()) return Wait::stopped;
    const Duration left = deadline - environment.clock.now();
    if (left <= Duration::zero()) return Wait::deadline;
    std::array<pollfd, 2> polled{
        {{descriptor, events, 0}, {environment.stop.descriptor(), POLLIN, 0}}};
    // Without an event to be woken by, on a machine out of open files, a stop is looked for.
    const bool deaf = environment.stop.descriptor() < 0;
    const Duration::rep longest = deaf ? kLookMilliseconds : INT_MAX;
    const auto timeout = static_cast<int>(std::min<Duration::rep>(left.count(), longest));
    if (poll(polled.data(), polled.size(), timeout) < 0 && errno != EINTR) return Wait::ready;
    if (polled[0].revents != 0) return Wait::ready;
  }
}

Result<FileDescriptor> connect_tcp(const Destination& destination, const Environment& environment) {
  const Duration patience = environment.options.connect_timeout;
  const TimePoint deadline = environment.clock.now() + patience;
  const Addresses addresses = FABRIC_TRY(resolve(destination, deadline, environment));
  const std::string where = fmt::format("{} port {}", destination.host, destination.port);
  std::string problem = "no address";
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    FileDescriptor connection{socket(
        address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, address->ai_protocol)};
    if (!connection) {
      problem = system_message(errno);
      continue;
    }
    watch_peer(connection.get());
    int failed = connect(connection.get(), address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (failed == EINPROGRESS) {
      switch (wait_for(connection.get(), POLLOUT, deadline, environment)) {
        case Wait::stopped:
          return stopped(destination, Stage::connect);
        case Wait::deadline:
          return unreachable(
              destination,
              Stage::connect,
              fmt::format("{}: {}", where, no_answer_within(patience)));
        case Wait::ready:
          break;
      }
      socklen_t size = sizeof failed;
      getsockopt(connection.get(), SOL_SOCKET, SO_ERROR, &failed, &size);
    }
    if (failed == 0) return connection;
    problem = system_message(failed);
  }
  return unreachable(destination, Stage::connect, fmt::format("{}: {}", where, problem));
}

}  // namespace fabric::ssh
