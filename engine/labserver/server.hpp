// SPDX-License-Identifier: Apache-2.0
// Server: one thread, one epoll loop: lets time pass in the lab, passes commands to it and returns
// their results when they are due, and closes the connections of hosts that go down.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/deadlines.hpp"
#include "engine/base/file_descriptor.hpp"
#include "engine/base/node_name.hpp"
#include "engine/base/result.hpp"
#include "engine/lab/lab.hpp"
#include "engine/labserver/connection.hpp"
#include "engine/labserver/handles.hpp"
#include "engine/labserver/served_nodes.hpp"
#include "engine/value/value.hpp"

namespace fabric::labserver {

// The answers of the control socket.

using Addresses = std::map<NodeName, std::string>;
// {"nodes": {NAME: {power, address, boots, fault}}, "monitor": {...}}
Value status_of(const lab::Lab& lab, const Addresses& addresses);
// Performs "status", "fault" or "recable" and returns the answer, {"error", "code"} on failure.
Value perform_request(const Value& request, lab::Lab& lab, const Addresses& addresses);

// The control socket of a lab: one JSON request per connection and line, one JSON answer, end.

// A connected client. Non-blocking.
class ControlClient {
 public:
  explicit ControlClient(FileDescriptor socket) : socket_{std::move(socket)} {}

  int descriptor() const { return socket_.get(); }
  // The request, once it is complete. A line that is no JSON gives an Error.
  std::optional<Result<Value>> read();
  void answer(const Value& value);
  // False when nothing is left to do for this client.
  bool write();
  bool wants_to_write() const { return !output_.empty(); }

 private:
  FileDescriptor socket_;
  std::string input_;
  std::string output_;
  bool ended_ = false;
  bool answered_ = false;
};
// Fails with ErrorCode::invalid. The path may be longer than a socket's name can be.
Result<FileDescriptor> listen_control(const std::string& directory, const std::string& name);

class Server {
 public:
  struct Parts {
    std::vector<ServedNode> nodes;
    Credentials credentials;
    FileDescriptor control;
    Duration latency{0};  // added to every reply
    Addresses addresses;
    // Makes and serves the new nodes of the document at this path; may be empty.
    std::function<Result<std::vector<ServedNode>>(const std::string& path, Addresses& addresses)>
        grow{};
  };
  // `lab` and `clock` must outlive the server, which is the only watcher of the lab.
  Server(lab::Lab& lab, const Clock& clock, Parts parts);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Runs until SIGTERM, SIGINT (both must be blocked by the caller) or the request "down". The
  // client that sent "down" gets its answer by say_goodbye(), after everything is removed.
  Result<void> run();
  void say_goodbye();

 private:
  // The kind of a descriptor in the epoll set; the number beside it is its id.
  enum class Source : std::uint8_t { listener, connection, control, client, signal };
  struct Due {
    std::uint64_t connection = 0;
    std::uint64_t channel = 0;
    lab::ExecResult result;
    bool goes_on = false;
  };
  // The key of an interactive session: its connection and channel.
  using SessionKey = std::pair<std::uint64_t, std::uint64_t>;
  struct InteractiveSession {
    std::uint64_t number = 0;  // Lab::open_prompt
    TimePoint shown{};         // when the last of its answers is due
  };

  void watch(
      int descriptor, Source source, std::uint64_t number, std::uint32_t events, int operation);
  void handle(std::uint64_t tag);
  void accept_connections(ServedNode& node);
  void accept_clients();
  void serve_connection(std::uint64_t number);
  void serve_client(std::uint64_t number);
  Value grow(const std::string& path);
  void run_requests(std::uint64_t number, Connection& connection);
  void run_typing(std::uint64_t number, Connection& connection);
  void type(std::uint64_t number, const NodeName& node, const Typing& typing);
  void close_ended_sessions();
  // A command ends sooner than first computed.
  void amend(lab::ExecResult amended, TimePoint now);
  void deliver_due();
  void look_again();
  // When to call take_requests() of the connection again, after it was served or dropped.
  void note_look(std::uint64_t number);
  void drop(std::uint64_t number);
  void drop_node(const NodeName& node);
  void drop_connections_of_down_hosts();
  int timeout() const;

  lab::Lab& lab_;
  const Clock& clock_;
  Parts parts_;
  FileDescriptor epoll_;
  FileDescriptor signals_;
  std::uint64_t next_number_ = 1;
  std::map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::map<std::uint64_t, std::uint32_t> interest_;  // epoll events of a connection
  std::map<std::uint64_t, std::unique_ptr<ControlClient>> clients_;
  Deadlines<std::uint64_t> looks_;  // Connection::next_look
  std::set<NodeName> went_down_;    // and connections to them are still to be cut
  std::multimap<TimePoint, Due> due_;
  std::map<SessionKey, InteractiveSession> sessions_;
  std::uint64_t goodbye_to_ = 0;  // client that asked for "down"
  bool stopping_ = false;
};

}  // namespace fabric::labserver
