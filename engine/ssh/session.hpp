// SPDX-License-Identifier: Apache-2.0
// Session: an authenticated SSH connection to one host, whose host key was verified. Used by one
// thread at a time. libssh runs non-blocking below it; every wait has a deadline.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/result.hpp"
#include "engine/remote/runner.hpp"
#include "engine/ssh/config/destination.hpp"
#include "engine/ssh/connect.hpp"
#include "engine/ssh/environment.hpp"
#include "engine/ssh/failure.hpp"

namespace fabric::ssh {

using remote::Execution;

class Session {
 public:
  // Does handshake, host key and authentication over `transport`, a connected socket. `destination`
  // and `environment` must outlive the session. Fails with ErrorCode::unreachable and the stage
  // that it reached, or cancelled.
  static Result<std::unique_ptr<Session>> open(
      const Destination& destination, FileDescriptor transport, Environment& environment);

  // Runs one command in a channel of its own. After an outcome other than succeeded the session is
  // not to be used again. Failed: it did not start. Unknown: it was sent, and then the deadline
  // passed or the connection was lost.
  Execution exec(const remote::Command& command);
  // Sends lines at a prompt, in a channel and a terminal of their own. Outcomes as of exec():
  // failed if no line of the step was sent, even if others were typed before.
  Execution converse(const remote::step::Converse& talk);

  const std::string& host_key_fingerprint() const { return fingerprint_; }
  // True if a password may be given to this host.
  bool is_vouched_for() const { return vouched_; }

  // The key exchange if it is one that is disabled today (SHA-1); "" = it is not.
  std::string old_key_exchange() const;

  // For other uses of the session (jump hosts).
  ssh_session_struct* handle() const { return handle_.get(); }
  const Destination& destination() const { return destination_; }
  Environment& environment() const { return environment_; }

  // Repeats `step` until it returns something else than `again`; nullopt on deadline or stop.
  std::optional<int> drive(TimePoint deadline, int again, const std::function<int()>& step);
  // Waits until the other side sends something or, if data is to be sent, takes it.
  Wait wait(TimePoint deadline);
  // Makes a channel that is not open yet; null if libssh makes none, with the reason in problem().
  // Closes the channel of the command before.
  ChannelHandle new_channel();
  // Takes a channel whose command has ended, and leaves it open: if no other command follows, the
  // end of the connection closes it without a packet of its own.
  void keep_ended(ChannelHandle channel);
  // The error text of libssh.
  std::string problem() const;

 private:
  Session(SessionHandle handle, const Destination& destination, Environment& environment)
      : handle_{std::move(handle)}, destination_{destination}, environment_{environment} {}

  Result<void> shake_hands(const HostKeys& known);
  Result<void> verify_host_key(const HostKeys& known);
  // The error after drive() gave up: "no answer within" or "abandoned".
  Error gave_up(Stage stage, Duration patience) const;

  SessionHandle handle_;
  ssh_channel_struct* ended_ = nullptr;  // libssh frees it with its session
  const Destination& destination_;
  Environment& environment_;
  std::string fingerprint_;
  bool vouched_ = false;
};

}  // namespace fabric::ssh
