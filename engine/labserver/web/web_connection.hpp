// SPDX-License-Identifier: Apache-2.0
// WebConnection: one HTTPS connection to a simulated machine. Takes requests from it, one at a
// time, and gives answers back; knows nothing of labs and time. Every call is non-blocking.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/node_name.hpp"
#include "engine/labserver/web/certificate.hpp"
#include "engine/remote/step.hpp"

namespace fabric::labserver {

struct WebAnswer {
  int status = 200;
  std::string body{};
  std::map<std::string, std::string> headers{};
  bool endless = false;  // the body never ends
  bool raw = false;      // the body is all that is sent: no HTTP
};

class WebConnection {
 public:
  // Null if TLS refuses the socket.
  static std::unique_ptr<WebConnection> accept(
      NodeName node, FileDescriptor socket, ssl_ctx_st& tls);
  ~WebConnection();
  WebConnection(const WebConnection&) = delete;
  WebConnection& operator=(const WebConnection&) = delete;

  const NodeName& node() const { return node_; }
  int descriptor() const { return socket_.get(); }
  // To be called when the socket is ready. False when the connection has ended.
  bool pump();
  bool wants_to_write() const { return wants_to_write_; }
  // The next request, once all of it is here and the one before it was answered. Names of headers
  // are in lower case.
  std::optional<remote::step::Request> take_request();
  void deliver(const WebAnswer& answer);

 private:
  WebConnection(NodeName node, FileDescriptor socket, TlsSessionHandle session);
  bool receive();
  bool send();
  // What the library says of a call that did not go through: false, the connection has ended.
  bool waits(int result);

  NodeName node_;
  FileDescriptor socket_;
  TlsSessionHandle session_;
  std::string input_, output_;
  bool greeted_ = false;
  bool busy_ = false;  // a request was taken and not answered
  bool endless_ = false;
  bool ends_ = false;  // once all is sent
  bool wants_to_write_ = false;
};

}  // namespace fabric::labserver
