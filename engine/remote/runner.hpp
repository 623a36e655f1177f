// SPDX-License-Identifier: Apache-2.0
// StepRunner: performs steps on nodes. The narrow waist of the house: SSH and the simulated lab
// implement it, and no layer above names either.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/node_name.hpp"
#include "engine/remote/step.hpp"

namespace fabric::remote {

enum class Outcome : std::uint8_t {
  succeeded,  // it ended, with any known exit status
  failed,     // it did not run: no session, refused, not started
  unknown     // it may or may not have happened, or only in part
};

using Ticket = std::uint64_t;  // chosen by the caller, returned with the result

struct StepRequest {
  Ticket ticket = 0;
  NodeName node;
  Step step;
};

// The answer of a machine with a prompt to one line.
struct Reply {
  std::string text;
  bool refused = false;  // the dialect's form of an error
  bool operator==(const Reply&) const = default;
};

// The result of one step.
struct Execution {
  Outcome outcome = Outcome::succeeded;
  CommandOutput output;
  Error error;                   // if not succeeded
  std::vector<Reply> replies{};  // of Converse
};

struct StepResult {
  Ticket ticket = 0;
  Outcome outcome = Outcome::succeeded;
  CommandOutput output;  // of Run or a file's command; else by the kind of step
  Error error;           // if not succeeded: the error, with the stage of the protocol
  TimePoint ended;
  std::vector<Reply> replies{};  // of Converse
};

// The transport's facts about a node, known once a session was made.
struct PeerIdentity {
  // "SHA256:...", in the format of ssh-keygen -l.
  std::string host_key_fingerprint;
};

// The error of a runner for a kind of step that it can't do.
Error unknown_step(const NodeName& node, const Step& step, std::string_view runner);

class StepRunner {
 public:
  virtual ~StepRunner() = default;
  // Never blocks. A kind of step that this runner does not know ends as Outcome::failed with
  // ErrorCode::invalid, naming the kind (unknown_step()). Steps for one node run one after the
  // other, in the order they were started.
  virtual void start(StepRequest request) = 0;
  // Waits until some started step ends or `patience` is over (then nullopt).
  // REQUIRES: at least one step is running.
  virtual std::optional<StepResult> wait_any(Duration patience) = 0;
  virtual std::optional<PeerIdentity> identity(const NodeName& node) const = 0;
  // The clock of the deadlines and reports of steps.
  virtual const Clock& clock() const = 0;
};

}  // namespace fabric::remote
