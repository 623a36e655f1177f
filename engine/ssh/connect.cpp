// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/connect.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "engine/ssh/failure.hpp"

namespace fabric::ssh {

namespace {

// Host names to addresses, with a deadline.

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// glibc resolves in a thread that ThreadSanitizer does not know of, and crashes under it.
#if defined(__SANITIZE_THREAD__)
constexpr bool kResolverThread = false;
#else
constexpr bool kResolverThread = true;
#endif

// A lookup of the C library's own resolver thread. It can't be cancelled once it runs, and then
// still writes here: on a deadline it is left to itself.
struct Lookup {
  std::string host;
  std::string service;
  addrinfo hints{};
  gaicb request{};

  explicit Lookup(const Destination& destination)
      : host{destination.host}, service{std::to_string(destination.port)} {
    hints.ai_socktype = SOCK_STREAM;
    request.ar_name = host.c_str();
    request.ar_service = service.c_str();
    request.ar_request = &hints;
  }
  ~Lookup() {
    if (request.ar_result != nullptr) freeaddrinfo(request.ar_result);
  }
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;
};

Addresses look_up_here(const Destination& destination, int flags, int& failed) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const std::string service = std::to_string(destination.port);
  failed = getaddrinfo(destination.host.c_str(), service.c_str(), &hints, &found);
  return {failed == 0 ? found : nullptr, &freeaddrinfo};
}

Error not_resolved(const Destination& destination, std::string_view why) {
  return unreachable(destination, Stage::name, fmt::format("'{}': {}", destination.host, why));
}

// The stream addresses of the destination's host and port, at least one.
// Fails with ErrorCode::unreachable, or cancelled.
Result<Addresses> resolve(
    const Destination& destination, TimePoint deadline, const Environment& environment) {
  int failed = 0;
  // An address written in digits needs no resolver.
  const int flags = kResolverThread ? AI_NUMERICHOST | AI_NUMERICSERV : AI_NUMERICSERV;
  if (Addresses found = look_up_here(destination, flags, failed)) return found;
  if (!kResolverThread) return not_resolved(destination, gai_strerror(failed));

  auto lookup = std::make_unique<Lookup>(destination);
  std::array<gaicb*, 1> requests{&lookup->request};
  failed = getaddrinfo_a(GAI_NOWAIT, requests.data(), 1, nullptr);
  if (failed != 0) return not_resolved(destination, gai_strerror(failed));
  const std::array<const gaicb*, 1> awaited{&lookup->request};
  while (gai_error(&lookup->request) == EAI_INPROGRESS) {
    const bool late = environment.clock.now() >= deadline;
    if (late || environment.stop.raised()) {
      if (gai_cancel(&lookup->request) != EAI_CANCELED) static_cast<void>(lookup.release());
      if (!late) return stopped(destination, Stage::name);
      return not_resolved(destination, no_answer_within(environment.options.connect_timeout));
    }
    const timespec slice{0, 50'000'000};  // how soon a stop is seen
    gai_suspend(awaited.data(), 1, &slice);
  }
  failed = gai_error(&lookup->request);
  if (failed != 0) return not_resolved(destination, gai_strerror(failed));
  return Addresses{std::exchange(lookup->request.ar_result, nullptr), &freeaddrinfo};
}

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
