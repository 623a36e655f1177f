// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/resolve.hpp"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/ssh/failure.hpp"

namespace fabric::ssh {
namespace {

// glibc resolves in a thread that ThreadSanitizer is not told of, and crashes under it.
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

}  // namespace

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

}  // namespace fabric::ssh
