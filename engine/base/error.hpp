// SPDX-License-Identifier: Apache-2.0
// Error: one operational failure, as a value. The other two kinds of failure are Diagnostics (the
// author of the YAML) and FABRIC_CHECK (a bug in fabric).
#pragma once

#include <cstdint>
#include <string>

namespace fabric {

// A separate code exists only if some caller reacts to it differently.
enum class ErrorCode : std::uint8_t {
  invalid,        // input that cannot be used: a plan file, a tool's output, a document
  not_found,      // a file or name does not exist
  unreachable,    // no session to the node: refused, unknown host key, authentication
  timed_out,      // a deadline passed
  maybe_applied,  // the connection was lost while something ran: it may or may not have happened
  denied,         // the node or the machine refused: permission
  forbidden,      // a plan that the operator's own rules don't allow: no trusted key signed it
  stale,          // the state has changed since the plan was made
  locked,         // another holder has it
  cancelled,      // the operator interrupted
  internal
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  // Lower case, no final stop; names the thing, what was expected and what was found.
  std::string message;
};

// `error` with "context: " put before its message.
Error with_context(Error error, const std::string& context);

}  // namespace fabric
