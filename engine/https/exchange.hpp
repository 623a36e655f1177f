// SPDX-License-Identifier: Apache-2.0
// Connection: one kept connection to one machine, over which a request at a time is sent and
// answered. No redirect is followed, no proxy is used, nothing older than TLS 1.2 is spoken, and an
// answer is bounded.
#pragma once

#include <memory>
#include <string>

#include "engine/base/clock.hpp"
#include "engine/https/target.hpp"
#include "engine/remote/door.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::https {

// Once, before any thread starts and before the first connection.
void prepare_library();

// What came of one request.
struct Exchange {
  remote::Outcome outcome = remote::Outcome::succeeded;  // failed: nothing was sent
  remote::Reply reply;
  std::string status_line{};
  Error error{};            // if not succeeded
  bool was_reused = false;  // the connection had been used before
};

class Connection {
 public:
  // Connects to nobody yet. `target` and `terms` must outlive it.
  Connection(const Target& target, const remote::DoorTerms& terms, const Clock& clock);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Cookies that were given are sent along. Until `deadline`.
  Exchange exchange(const remote::step::Request& request, TimePoint deadline);
  // "SHA256:..." of the certificate that was accepted; "" before that.
  const std::string& fingerprint() const;
  bool has_cookies() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fabric::https
