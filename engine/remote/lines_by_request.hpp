// SPDX-License-Identifier: Apache-2.0
// LinesByRequest: how a system that has a prompt is asked the same lines by an interface that
// answers requests. Data and text only: who connects is engine/https.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::remote {

// How a session of requests begins and ends. The names are those of the members of the JSON object
// that is sent.
struct RequestLogin {
  std::string path;
  std::string user = "username";
  std::string password = "password";
  std::string logout_path{};  // "" = a session ends by itself
};

class LinesByRequest {
 public:
  LinesByRequest() = default;
  LinesByRequest(const LinesByRequest&) = delete;
  LinesByRequest& operator=(const LinesByRequest&) = delete;
  virtual ~LinesByRequest() = default;

  virtual RequestLogin login() const = 0;
  // Why a login was refused, in the system's words; "" = it was not.
  virtual std::string refusal_of_login(const Reply& answer) const = 0;
  // The session has ended: nothing was done, and a new login is wanted.
  virtual bool wants_login(const Reply& answer) const = 0;
  // One request with all of the lines.
  virtual step::Request request(const step::Converse& talk) const = 0;
  // What each line printed, as it would stand at the prompt. A system that ends at the first line
  // that it refuses answers no more. Fails with ErrorCode::invalid, naming what is wrong, on what
  // is no such answer.
  virtual Result<std::vector<Reply>> replies(
      const step::Converse& talk, std::string_view body) const = 0;
};

}  // namespace fabric::remote
