// SPDX-License-Identifier: Apache-2.0
// WebLogin: how a machine that answers requests over HTTPS lets somebody in, and what it says.
#pragma once

#include <string>

#include "engine/remote/runner.hpp"

namespace fabric::lab {

struct WebLogin {
  std::string login_path, logout_path;  // with their queries; both are posted to
  std::string user_key, password_key;   // members of the JSON object that is posted
  std::string cookie;                   // by which a session is known
  remote::Reply welcome, refusal, goodbye;
  remote::Reply no_session;  // to whoever asks for something else without one
};

}  // namespace fabric::lab
