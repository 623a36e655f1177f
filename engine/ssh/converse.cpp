// SPDX-License-Identifier: Apache-2.0
// Session::converse: lines at a prompt, in a terminal of its own.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <libssh/libssh.h>

#include "engine/base/limits.hpp"
#include "engine/remote/conversation.hpp"
#include "engine/ssh/failure.hpp"
#include "engine/ssh/session.hpp"

namespace fabric::ssh {
namespace {

using remote::Outcome;

// Wide and long, so that fewer lines are cut and paged; what still is, the dialect knows.
constexpr int kColumns = 511;
constexpr int kRows = 999;
// The quiet time after a prompt: without it the text is part of a line, a bar of progress.
constexpr Duration kQuiet{60};

class AtPrompt {
 public:
  AtPrompt(Session& session, const remote::step::Converse& talk)
      : session_{session}, talk_{talk}, deadline_{now() + talk.timeout} {}

  Execution run() {
    if (std::optional<Error> error = open()) return {Outcome::failed, {}, std::move(*error)};
    remote::Conversation held =
        remote::converse(talk_, [this](const std::string& keys) { return type(keys); });
    Execution execution;
    execution.output = std::move(held.output);
    execution.replies = std::move(held.replies);
    if (held.complete) return execution;
    execution.outcome = held.begun ? Outcome::unknown : Outcome::failed;
    execution.error = why(held.begun);
    return execution;
  }

 private:
  TimePoint now() const { return session_.environment().clock.now(); }

  std::optional<Error> open() {
    channel_ = session_.new_channel();
    if (!channel_) return problem(session_.problem());
    const TimePoint until = now() + session_.environment().options.handshake_timeout;
    const auto ask = [&](const std::function<int()>& step) -> std::optional<Error> {
      const auto answer = session_.drive(until, SSH_AGAIN, step);
      if (answer == SSH_OK) return std::nullopt;
      if (session_.environment().stop.raised())
        return stopped(session_.destination(), Stage::channel);
      if (!answer)
        return problem(no_answer_within(session_.environment().options.handshake_timeout));
      if (ssh_get_error_code(session_.handle()) == SSH_REQUEST_DENIED)
        return problem("the host refuses an interactive session");
      return problem(session_.problem());
    };
    if (auto error = ask([&] { return ssh_channel_open_session(channel_.get()); })) return error;
    if (auto error = ask(
            [&] { return ssh_channel_request_pty_size(channel_.get(), "vt100", kColumns, kRows); }))
      return error;
    return ask([&] { return ssh_channel_request_shell(channel_.get()); });
  }

  Error problem(std::string_view what) const {
    return unreachable(session_.destination(), Stage::channel, what);
  }

  std::optional<std::string> type(const std::string& keys) {
    std::string typed = keys;
    std::replace(typed.begin(), typed.end(), '\n', '\r');  // the key that ends a line
    if (!send(typed)) return std::nullopt;
    std::string shown;
    TimePoint came = now();
    while (true) {
      const std::size_t before = shown.size();
      const bool connected = receive(shown);
      if (shown.size() > limits::kCommandOutputBytes) {
        too_much_ = true;
        return std::nullopt;
      }
      if (!connected) return std::nullopt;
      if (shown.size() > before) came = now();
      const bool settled =
          remote::waits(talk_.dialect, remote::plain_text(shown)) != remote::Waits::no;
      const TimePoint quiet = came + kQuiet;
      if (settled && now() >= quiet) return shown;
      const Wait wait = session_.wait(settled ? std::min(deadline_, quiet) : deadline_);
      if (wait == Wait::stopped) return std::nullopt;
      if (now() >= deadline_) {
        late_ = true;
        return std::nullopt;
      }
    }
  }

  bool send(std::string_view keys) {
    while (!keys.empty()) {
      const int count =
          ssh_channel_write(channel_.get(), keys.data(), static_cast<uint32_t>(keys.size()));
      if (count < 0) return false;
      keys.remove_prefix(static_cast<std::size_t>(count));
      if (keys.empty()) break;
      if (session_.wait(deadline_) != Wait::ready) return false;
    }
    return true;
  }

  // False: nothing more will come.
  bool receive(std::string& shown) {
    std::array<char, 4096> piece{};
    while (true) {
      const int count = ssh_channel_read_nonblocking(
          channel_.get(), piece.data(), static_cast<uint32_t>(piece.size()), 0);
      if (count <= 0) break;
      shown.append(piece.data(), static_cast<std::size_t>(count));
      if (shown.size() > limits::kCommandOutputBytes) return true;
    }
    const int status = ssh_get_status(session_.handle());
    const bool connected = (static_cast<unsigned>(status) & (SSH_CLOSED | SSH_CLOSED_ERROR)) == 0;
    return connected && ssh_channel_is_eof(channel_.get()) == 0 &&
           ssh_channel_is_closed(channel_.get()) == 0;
  }

  Error why(bool begun) const {
    const std::string& name = session_.destination().name;
    if (session_.environment().stop.raised()) {
      return {ErrorCode::cancelled, fmt::format("{}: abandoned at its prompt", name)};
    }
    if (too_much_) {
      return {
          ErrorCode::invalid,
          fmt::format("{}: its answer exceeds {} bytes", name, limits::kCommandOutputBytes)};
    }
    if (late_) {
      return {
          ErrorCode::timed_out,
          fmt::format("{}: no prompt within {}", name, format_duration(talk_.timeout))};
    }
    return {
        begun ? ErrorCode::maybe_applied : ErrorCode::unreachable,
        fmt::format("{}: the session ended before its prompt was there again", name)};
  }

  Session& session_;
  const remote::step::Converse& talk_;
  TimePoint deadline_;
  ChannelHandle channel_;
  bool too_much_ = false;
  bool late_ = false;
};

}  // namespace

Execution Session::converse(const remote::step::Converse& talk) {
  return AtPrompt{*this, talk}.run();
}

}  // namespace fabric::ssh
