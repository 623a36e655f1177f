// SPDX-License-Identifier: Apache-2.0
// Door: a way to one machine other than a session over SSH. Whoever performs steps in turn goes
// through it in place of a session; used by one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/node_name.hpp"
#include "engine/base/result.hpp"
#include "engine/base/secret.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::remote {

// Of whoever performs the steps.
struct DoorTerms {
  NodeName node;
  // Readable once everybody is to give up.
  int stop_descriptor = -1;
  Duration connect_timeout{5'000};
  Duration handshake_timeout{10'000};
  // Fails as whoever is asked for it does. Null where nobody has a password.
  std::function<Result<Secret>()> password{};
  // A session was opened; it leads there: "https://admin@leaf1:443".
  std::function<void(const std::string& to, Duration took)> opened{};
  // No session came about.
  std::function<void(const Error& why, Duration took)> refused{};
};

class Door {
 public:
  Door() = default;
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  virtual ~Door() = default;
  // A step that it can't do ends as unknown_step(). Outcomes as of StepRunner.
  virtual Execution perform(const Step& step) = 0;
  // Of whom it has spoken to; nullopt before that.
  virtual std::optional<PeerIdentity> identity() const = 0;
};

// Connects to nobody yet.
using MakeDoor = std::function<std::unique_ptr<Door>(DoorTerms terms)>;

}  // namespace fabric::remote
