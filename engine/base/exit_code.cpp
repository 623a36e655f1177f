// SPDX-License-Identifier: Apache-2.0
#include "engine/base/exit_code.hpp"

#include <algorithm>
#include <array>

namespace fabric {

namespace {

// All codes, from worst to best.
constexpr std::array kPrecedence{
    ExitCode::bug,
    ExitCode::interrupted,
    ExitCode::terminated,
    ExitCode::node_lost,
    ExitCode::rolled_back,
    ExitCode::partly_applied,
    ExitCode::invalid,
    ExitCode::policy,
    ExitCode::locked,
    ExitCode::stale,
    ExitCode::not_verified,
    ExitCode::unreachable,
    ExitCode::timed_out,
    ExitCode::cancelled,
    ExitCode::failed,
    ExitCode::changes,
    ExitCode::done};

}  // namespace

std::string_view reason(ExitCode code) {
  switch (code) {
    case ExitCode::done:
      return "done";
    case ExitCode::failed:
      return "failed";
    case ExitCode::changes:
      return "changes";
    case ExitCode::invalid:
      return "invalid-input";
    case ExitCode::unreachable:
      return "node-unreachable";
    case ExitCode::policy:
      return "policy";
    case ExitCode::locked:
      return "locked";
    case ExitCode::stale:
      return "plan-stale";
    case ExitCode::cancelled:
      return "cancelled";
    case ExitCode::timed_out:
      return "timed-out";
    case ExitCode::partly_applied:
      return "partly-applied";
    case ExitCode::rolled_back:
      return "rolled-back";
    case ExitCode::node_lost:
      return "node-lost";
    case ExitCode::not_verified:
      return "not-verified";
    case ExitCode::interrupted:
      return "interrupted";
    case ExitCode::terminated:
      return "terminated";
    case ExitCode::bug:
      return "bug";
  }
  return "bug";
}

ExitCode exit_code_for(const Error& error) {
  switch (error.code) {
    case ErrorCode::invalid:
    case ErrorCode::not_found:
      return ExitCode::invalid;
    case ErrorCode::unreachable:
      return ExitCode::unreachable;
    case ErrorCode::timed_out:
      return ExitCode::timed_out;
    case ErrorCode::forbidden:
      return ExitCode::policy;
    case ErrorCode::stale:
      return ExitCode::stale;
    case ErrorCode::locked:
      return ExitCode::locked;
    case ErrorCode::cancelled:
      return ExitCode::cancelled;
    case ErrorCode::maybe_applied:
    case ErrorCode::denied:
      return ExitCode::failed;
    case ErrorCode::internal:
      return ExitCode::bug;
  }
  return ExitCode::bug;
}

int severity(ExitCode code) {
  const auto* const found = std::find(kPrecedence.begin(), kPrecedence.end(), code);
  return static_cast<int>(kPrecedence.end() - found);
}

ExitCode worse(ExitCode a, ExitCode b) {
  return severity(a) < severity(b) ? b : a;
}

}  // namespace fabric
