// SPDX-License-Identifier: Apache-2.0
// Where and as whom a machine is asked over HTTPS, and by what it is known.
#pragma once

#include <cstdint>
#include <string>

#include "engine/remote/lines_by_request.hpp"

namespace fabric::https {

inline constexpr std::uint32_t kUsualPort = 443;

struct Target {
  std::string host;  // name or address
  std::uint32_t port = kUsualPort;
  std::string user;
  // The fingerprint that its certificate must have, "SHA256:AB:CD:..."; "" = none is pinned.
  std::string certificate{};
  // PEM of the authorities one of which must have signed its certificate for `host`; "" = none is
  // named. Those of this machine are never asked. REQUIRES: certificate or authorities, else the
  // machine is refused.
  std::string authorities{};
  // Null: it takes requests only. Must outlive the door.
  const remote::LinesByRequest* lines = nullptr;
};

}  // namespace fabric::https
