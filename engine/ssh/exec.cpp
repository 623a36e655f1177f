// SPDX-License-Identifier: Apache-2.0
// Session::exec: one command in a channel of its own.
#include <algorithm>
#include <array>
#include <exception>

#include <fmt/format.h>
#include <libssh/callbacks.h>
#include <libssh/libssh.h>

#include "engine/base/limits.hpp"
#include "engine/remote/shell.hpp"
#include "engine/ssh/failure.hpp"
#include "engine/ssh/session.hpp"

namespace fabric::ssh {
namespace {

using remote::Outcome;

// Signal names as RFC 4254 has them, with their numbers on Linux.
int signal_number(std::string_view name) {
  static constexpr std::array kSignals{
      std::pair{"ABRT", 6},
      std::pair{"ALRM", 14},
      std::pair{"FPE", 8},
      std::pair{"HUP", 1},
      std::pair{"ILL", 4},
      std::pair{"INT", 2},
      std::pair{"KILL", 9},
      std::pair{"PIPE", 13},
      std::pair{"QUIT", 3},
      std::pair{"SEGV", 11},
      std::pair{"TERM", 15},
      std::pair{"USR1", 10},
      std::pair{"USR2", 12}};
  for (const auto& [known, number] : kSignals) {
    if (name == known) return number;
  }
  return 0;
}

// The data received so far. Filled by callbacks, which take both streams as they come, where
// reading them by turns could leave one behind with nothing more to wait for.
struct Received {
  remote::CommandOutput output;
  std::optional<int> exit_status;
  bool ended = false;  // end of file
  bool closed = false;
  bool too_much = false;
  bool out_of_memory = false;
  std::size_t arrivals = 0;

  bool complete() const { return exit_status && (ended || closed); }
};

int on_data(
    ssh_session /*session*/,
    ssh_channel /*channel*/,
    void* data,
    uint32_t length,
    int is_error,
    void* self) {
  auto& received = *static_cast<Received*>(self);
  ++received.arrivals;
  std::string& stream =
      is_error != 0 ? received.output.standard_error : received.output.standard_output;
  if (stream.size() + length > limits::kCommandOutputBytes) {
    received.too_much = true;
  } else {
    // No exception passes through the library, which is C.
    try {
      stream.append(static_cast<const char*>(data), length);
    } catch (const std::exception&) {
      received.too_much = true;
      received.out_of_memory = true;
    }
  }
  return static_cast<int>(length);
}

void on_eof(ssh_session /*session*/, ssh_channel /*channel*/, void* self) {
  static_cast<Received*>(self)->ended = true;
}

void on_close(ssh_session /*session*/, ssh_channel /*channel*/, void* self) {
  static_cast<Received*>(self)->closed = true;
}

void on_exit_status(ssh_session /*session*/, ssh_channel /*channel*/, int status, void* self) {
  static_cast<Received*>(self)->exit_status = status;
}

// NOLINTNEXTLINE(readability-function-size): the parameters are libssh's
void on_exit_signal(
    ssh_session /*session*/,
    ssh_channel /*channel*/,
    const char* signal,
    int /*core*/,
    const char* /*message*/,
    const char* /*language*/,
    void* self) {
  static_cast<Received*>(self)->exit_status = 128 + signal_number(signal);
}

ssh_channel_callbacks_struct callbacks_into(Received& received) {
  ssh_channel_callbacks_struct callbacks{};
  callbacks.userdata = &received;
  callbacks.channel_data_function = on_data;
  callbacks.channel_eof_function = on_eof;
  callbacks.channel_close_function = on_close;
  callbacks.channel_exit_status_function = on_exit_status;
  callbacks.channel_exit_signal_function = on_exit_signal;
  ssh_callbacks_init(&callbacks);
  return callbacks;
}

class Exec {
 public:
  Exec(Session& session, const remote::Command& command)
      : session_{session},
        command_{command},
        deadline_{session.environment().clock.now() + command.timeout} {}

  // The library keeps a freed channel, callbacks and all, until the host closes it as well.
  ~Exec() {
    if (channel_) ssh_remove_channel_callbacks(channel_.get(), &callbacks_);
  }
  Exec(const Exec&) = delete;
  Exec& operator=(const Exec&) = delete;

  Execution run() {
    callbacks_ = callbacks_into(received_);
    channel_ = session_.new_channel();
    if (!channel_)
      return failed(unreachable(session_.destination(), Stage::channel, session_.problem()));
    ssh_add_channel_callbacks(channel_.get(), &callbacks_);
    if (std::optional<Error> error = open()) return failed(*error);
    if (std::optional<Execution> end = request()) return *end;
    while (true) {
      const std::size_t before = received_.arrivals;
      const bool connected = pump();
      if (received_.out_of_memory) {
        received_.output = {};
        return unknown(ErrorCode::maybe_applied, "this machine has no memory left for its output");
      }
      if (received_.too_much) {
        return unknown(
            ErrorCode::invalid,
            fmt::format("its output exceeds {} bytes", limits::kCommandOutputBytes));
      }
      if (received_.complete()) break;
      if (received_.closed)
        return unknown(ErrorCode::maybe_applied, "the command ended without an exit status");
      if (!connected) return lost();
      // The library takes a few kilobytes at a time: where there were some, more are there.
      if (received_.arrivals > before) continue;
      if (const Wait wait = session_.wait(deadline_); wait != Wait::ready) return gave_up(wait);
    }
    ssh_remove_channel_callbacks(channel_.get(), &callbacks_);
    session_.keep_ended(std::move(channel_));
    Execution execution;
    execution.output = std::move(received_.output);
    execution.output.exit_status = *received_.exit_status;
    return execution;
  }

 private:
  // Nothing runs before the channel is open, so a kept session that has died since is found here,
  // in time for another try: not later than a handshake would take.
  std::optional<Error> open() {
    Environment& environment = session_.environment();
    const Duration patience = environment.options.handshake_timeout;
    const auto opened = session_.drive(environment.clock.now() + patience, SSH_AGAIN, [&] {
      return ssh_channel_open_session(channel_.get());
    });
    if (opened == SSH_OK) return std::nullopt;
    if (opened) return unreachable(session_.destination(), Stage::channel, session_.problem());
    if (environment.stop.raised()) return stopped(session_.destination(), Stage::channel);
    return unreachable(session_.destination(), Stage::channel, no_answer_within(patience));
  }

  // From here on the command may run.
  std::optional<Execution> request() {
    const std::string line = remote::command_line(command_.argv);
    const auto requested = session_.drive(deadline_, SSH_AGAIN, [&] {
      return ssh_channel_request_exec(channel_.get(), line.c_str());
    });
    if (requested == SSH_OK) return std::nullopt;
    if (!requested) return gave_up(Wait::deadline);
    if (ssh_get_error_code(session_.handle()) == SSH_REQUEST_DENIED) {
      return failed(
          unreachable(session_.destination(), Stage::channel, "the host refuses to run commands"));
    }
    return lost();
  }

  // Sends what the other side takes and receives what it has sent. False if the connection is lost.
  bool pump() {
    while (sent_ < command_.standard_input.size() && !input_refused_) {
      const std::size_t size = std::min(command_.standard_input.size() - sent_, kPiece);
      const int count = ssh_channel_write(
          channel_.get(), command_.standard_input.data() + sent_, static_cast<uint32_t>(size));
      // An error here is a command that ended without reading all of it, unless pumping fails too.
      if (count < 0) input_refused_ = true;
      if (count <= 0) break;
      sent_ += static_cast<std::size_t>(count);
    }
    const bool all_sent = sent_ == command_.standard_input.size();
    if (all_sent && !end_sent_ && !received_.closed) {
      ssh_channel_send_eof(channel_.get());
      end_sent_ = true;
    }
    // After the end of the output polling no longer reads from the socket, but the exit status is
    // still to come.
    if (received_.ended) {
      ssh_channel_get_exit_status(channel_.get());
    } else {
      ssh_channel_poll(channel_.get(), 0);
    }
    const int status = ssh_get_status(session_.handle());
    return (static_cast<unsigned>(status) & (SSH_CLOSED | SSH_CLOSED_ERROR)) == 0;
  }

  Execution failed(Error error) const { return {Outcome::failed, {}, std::move(error)}; }

  Execution unknown(ErrorCode code, std::string_view what) {
    Execution execution;
    execution.outcome = Outcome::unknown;
    execution.output = std::move(received_.output);
    execution.error = {
        code,
        fmt::format("{}: {}: {}", session_.destination().name, to_string(Stage::command), what)};
    return execution;
  }

  Execution lost() {
    return unknown(
        ErrorCode::maybe_applied,
        fmt::format("the connection was lost while the command ran: {}", session_.problem()));
  }

  Execution gave_up(Wait wait) {
    if (wait == Wait::stopped || session_.environment().stop.raised()) {
      return unknown(ErrorCode::cancelled, "abandoned while the command ran");
    }
    return unknown(
        ErrorCode::timed_out,
        fmt::format(
            "the command did not end within {} and may still be running",
            format_duration(command_.timeout)));
  }

  static constexpr std::size_t kPiece = 32'768;  // fits into one SSH packet everywhere

  Session& session_;
  const remote::Command& command_;
  TimePoint deadline_;
  Received received_;  // outlives the channel
  ssh_channel_callbacks_struct callbacks_{};
  ChannelHandle channel_;
  std::size_t sent_ = 0;
  bool input_refused_ = false;
  bool end_sent_ = false;
};

}  // namespace

Execution Session::exec(const remote::Command& command) {
  return Exec{*this, command}.run();
}

}  // namespace fabric::ssh
