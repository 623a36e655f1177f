// SPDX-License-Identifier: Apache-2.0
// JumpHost: one session to a jump host, shared by all nodes behind it. Each node gets a
// direct-tcpip channel, which it uses like a connected socket. No ssh process is forked, and the
// jump host sees one login instead of hundreds (sshd's MaxStartups refuses those).
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/result.hpp"
#include "engine/ssh/environment.hpp"
#include "engine/ssh/session.hpp"

namespace fabric::ssh {

class JumpHost {
 public:
  using OpenSession = std::function<Result<std::unique_ptr<Session>>()>;

  // `open` makes the session to the jump host itself; called by run(), again after a loss.
  JumpHost(OpenSession open, Environment& environment);
  ~JumpHost();
  JumpHost(const JumpHost&) = delete;
  JumpHost& operator=(const JumpHost&) = delete;

  // Returns a socket whose other end is `destination`, seen from the jump host. For any thread;
  // waits until run() has an answer, which takes a handshake's time at most once the jump host is
  // reached. Fails with ErrorCode::unreachable, or cancelled.
  Result<FileDescriptor> connect(const Destination& destination);

  // Carries the data until the environment's stop signal; the body of a separate thread. An
  // exception ends the service, and every waiting session gets the error.
  void run() noexcept;

 private:
  // Waits on its caller's stack; run() answers each exactly once.
  struct Request {
    const Destination& destination;
    std::optional<Result<FileDescriptor>> answer;
  };
  // One channel and our end of the socket pair that stands for it.
  struct Pipe {
    ChannelHandle channel;
    FileDescriptor socket;
    FileDescriptor other_end;    // moved to the caller once the channel is open
    Request* request = nullptr;  // null once answered
    TimePoint deadline;
    std::string to_socket;  // read from the channel, not yet taken
    std::string to_channel;
    bool socket_ended = false;
    bool channel_ended = false;
  };

  void carry_until_stopped();
  void end(const std::string& why, bool was_stopped);
  Error no_longer_there(const Destination& destination) const;
  std::vector<Request*> take_requests();
  void answer(Request& request, Result<FileDescriptor> result);
  void open_pipe(Request& request);
  void drop_session(const std::string& why);
  // False if the pipe has come to its end.
  bool try_open(Pipe& pipe);
  // True if any data moved.
  bool carry(Pipe& pipe);
  bool carry_to_socket(Pipe& pipe);
  bool carry_to_channel(Pipe& pipe);
  void carry_all();
  // The session's counts of bytes and packets: they grow whenever the library has read anything.
  std::uint64_t received() const;
  void wait();

  OpenSession open_;
  Environment& environment_;
  FileDescriptor wake_;
  std::mutex mutex_;  // guards the members below, and the answers
  std::condition_variable answered_;
  std::vector<Request*> requests_;
  std::vector<Request*> taken_;  // requests without an answer yet
  bool finished_ = false;        // run() has returned
  std::string why_finished_;     // "" if it was stopped

  struct Counters;
  std::unique_ptr<Counters> counters_;  // outlives session_, which counts into it
  std::unique_ptr<Session> session_;
  std::list<Pipe> pipes_;  // go before session_
};

}  // namespace fabric::ssh
