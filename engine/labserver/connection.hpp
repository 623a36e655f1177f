// SPDX-License-Identifier: Apache-2.0
// Connection: one SSH connection to a simulated machine. Receives exec requests and keys typed at a
// prompt, and returns results; independent of labs and time. Every call is non-blocking.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/file_descriptor.hpp"
#include "engine/base/node_name.hpp"
#include "engine/base/secret.hpp"
#include "engine/labserver/handles.hpp"

namespace fabric::labserver {

// A command line with all of its standard input.
struct ExecRequest {
  std::uint64_t channel = 0;  // for Connection::deliver
  std::string user;
  std::string line;
  std::string input;
};

// Keys that arrived in an interactive session; empty for a session that was just requested.
struct Typing {
  std::uint64_t channel = 0;  // for Connection::deliver
  std::string user;
  std::string keys;
  bool first = false;
};

struct ExecReply {
  int exit_status = 0;
  std::string standard_output;
  std::string standard_error;
  bool goes_on = false;  // of an interactive session that has not ended
};

// The kinds of session that this machine has.
struct SessionKinds {
  // True if the command reads its input, which a client may send after the command.
  std::function<bool(std::string_view line)> reads_input;
  bool has_prompt = false;  // else a request for an interactive session is refused
};

// The keys that may log in.
struct Credentials {
  KeyHandle client_key;
  Secret password;  // empty: none does
};

class Connection {
 public:
  // `credentials` must outlive the connection. Null if libssh refuses the socket.
  static std::unique_ptr<Connection> accept(
      NodeName node,
      FileDescriptor socket,
      ssh_bind_struct* host_key,
      const Credentials& credentials,
      SessionKinds kinds);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const NodeName& node() const { return node_; }
  int descriptor() const { return descriptor_; }
  // To be called when the socket is ready. False when the connection has ended.
  bool pump();
  // True if there is output that the socket has not taken.
  bool wants_to_write() const;

  // Requests whose input has ended, each once. A person at a keyboard never closes the input, so
  // without a single byte for kInputPatience the input counts as empty.
  std::vector<ExecRequest> take_requests(TimePoint now);
  // Input of interactive sessions since the last call.
  std::vector<Typing> take_typing();
  // True if the session is still open.
  bool has_channel(std::uint64_t channel) const;
  // When to call take_requests() again although nothing arrived.
  std::optional<TimePoint> next_look() const;
  // A channel that is closed by now is no error.
  void deliver(std::uint64_t channel, ExecReply reply);

 private:
  struct Channel;
  struct Callbacks;

  Connection(NodeName node, const Credentials& credentials, SessionKinds kinds);
  void send(Channel& channel);
  Duration patience_for(std::string_view line) const;

  NodeName node_;
  const Credentials& credentials_;
  SessionKinds kinds_;
  int descriptor_ = -1;
  std::string user_;  // once authenticated
  std::uint64_t next_channel_ = 1;
  std::unique_ptr<Callbacks> callbacks_;
  SessionHandle session_;
  EventHandle event_;
  std::list<std::unique_ptr<Channel>> channels_;  // go before the session
};

}  // namespace fabric::labserver
