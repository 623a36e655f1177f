// SPDX-License-Identifier: Apache-2.0
// Node: what the runner keeps of one node.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/remote/runner.hpp"
#include "engine/ssh/config/destination.hpp"
#include "engine/ssh/config/target.hpp"
#include "engine/ssh/session.hpp"
#include "engine/ssh/step_queue.hpp"

namespace fabric::ssh {

struct Node : Lane {
  Node(NodeName name_given, Target target_given)
      : name{std::move(name_given)}, target{std::move(target_given)} {}

  NodeName name;
  Target target;
  std::optional<remote::PeerIdentity> identity;

  // Only for the worker that has made it busy.
  std::optional<Result<Destination>> destination;
  std::optional<Result<Secret>> password;
  std::unique_ptr<Session> session;
  std::optional<remote::PeerIdentity> shown;  // by the session, for `identity`
};

}  // namespace fabric::ssh
