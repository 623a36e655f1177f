// SPDX-License-Identifier: Apache-2.0
// The control socket of a lab: one JSON request per connection and line, one JSON answer, end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::labserver {

// A connected client. Non-blocking.
class ControlClient {
 public:
  explicit ControlClient(FileDescriptor socket) : socket_{std::move(socket)} {}

  int descriptor() const { return socket_.get(); }
  // The request, once all of it is here. A line that is no JSON gives an Error.
  std::optional<Result<Value>> read();
  void answer(const Value& value);
  // False when there is nothing more to do for this client.
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

}  // namespace fabric::labserver
