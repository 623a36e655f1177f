// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/jump_host.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>

#include <fmt/format.h>
#include <libssh/libssh.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "engine/ssh/connect.hpp"
#include "engine/ssh/failure.hpp"

namespace fabric::ssh {
namespace {

constexpr std::size_t kPiece = 32'768;

// Bytes the socket took; 0 if it takes none now; nullopt if its other end is gone.
std::optional<std::size_t> send_some(int socket, const std::string& data) {
  const ssize_t count = send(socket, data.data(), data.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (errno == EAGAIN || errno == EINTR) return 0;
  return std::nullopt;
}

}  // namespace

struct JumpHost::Counters {
  ssh_counter_struct bytes{};
  ssh_counter_struct packets{};
};

JumpHost::JumpHost(OpenSession open, Environment& environment)
    : open_{std::move(open)},
      environment_{environment},
      wake_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      counters_{std::make_unique<Counters>()} {}

JumpHost::~JumpHost() = default;

std::uint64_t JumpHost::received() const {
  return counters_->bytes.in_bytes + counters_->packets.in_packets;
}

Result<FileDescriptor> JumpHost::connect(const Destination& destination) {
  Request request{destination, std::nullopt};
  std::unique_lock lock{mutex_};
  if (finished_) return no_longer_there(destination);
  if (!wake_) return unreachable(destination, Stage::jump, "no more open files on this machine");
  requests_.push_back(&request);
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof one);
  answered_.wait(lock, [&] { return request.answer.has_value(); });
  return std::move(*request.answer);
}

std::vector<JumpHost::Request*> JumpHost::take_requests() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(wake_.get(), &count, sizeof count);
  const std::lock_guard lock{mutex_};
  taken_.insert(taken_.end(), requests_.begin(), requests_.end());
  return std::exchange(requests_, {});
}

void JumpHost::answer(Request& request, Result<FileDescriptor> result) {
  const std::lock_guard lock{mutex_};
  // The asking thread is gone as soon as it has its answer.
  std::erase(taken_, &request);
  request.answer = std::move(result);
  answered_.notify_all();
}

void JumpHost::open_pipe(Request& request) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
    answer(request, unreachable(request.destination, Stage::jump, system_message(errno)));
    return;
  }
  Pipe pipe;
  pipe.channel.reset(ssh_channel_new(session_->handle()));
  if (!pipe.channel) {
    answer(request, unreachable(request.destination, Stage::jump, session_->problem()));
    return;
  }
  pipe.socket = FileDescriptor{ends[0]};
  pipe.other_end = FileDescriptor{ends[1]};
  pipe.request = &request;
  pipe.deadline = environment_.clock.now() + environment_.options.handshake_timeout;
  pipes_.push_back(std::move(pipe));
}

void JumpHost::drop_session(const std::string& why) {
  for (Pipe& pipe : pipes_) {
    if (pipe.request == nullptr) continue;
    answer(*pipe.request, unreachable(pipe.request->destination, Stage::jump, why));
  }
  pipes_.clear();
  session_.reset();
}

bool JumpHost::try_open(Pipe& pipe) {
  const Destination& destination = pipe.request->destination;
  const int opened = ssh_channel_open_forward(
      pipe.channel.get(),
      destination.host.c_str(),
      static_cast<int>(destination.port),
      "127.0.0.1",
      0);
  if (opened == SSH_AGAIN && environment_.clock.now() < pipe.deadline) return true;
  Request& request = *std::exchange(pipe.request, nullptr);
  if (opened == SSH_OK) {
    answer(request, std::move(pipe.other_end));
    return true;
  }
  const std::string why = opened == SSH_AGAIN
                              ? no_answer_within(environment_.options.handshake_timeout)
                              : session_->problem();
  answer(
      request,
      unreachable(
          destination,
          Stage::jump,
          fmt::format(
              "{} to {} port {}: {}",
              session_->destination().name,
              destination.host,
              destination.port,
              why)));
  return false;
}

bool JumpHost::carry_to_socket(Pipe& pipe) {
  if (pipe.to_socket.empty() && !pipe.channel_ended) {
    std::array<char, kPiece> piece{};
    const int count = ssh_channel_read_nonblocking(
        pipe.channel.get(), piece.data(), static_cast<uint32_t>(piece.size()), 0);
    if (count > 0) pipe.to_socket.assign(piece.data(), static_cast<std::size_t>(count));
    if (count < 0 || (count == 0 && ssh_channel_is_eof(pipe.channel.get()) != 0))
      pipe.channel_ended = true;
  }
  if (pipe.to_socket.empty()) return false;
  const auto sent = send_some(pipe.socket.get(), pipe.to_socket);
  if (!sent) pipe.socket_ended = true;
  pipe.to_socket.erase(0, sent.value_or(pipe.to_socket.size()));
  return sent.value_or(0) > 0;
}

bool JumpHost::carry_to_channel(Pipe& pipe) {
  if (pipe.to_channel.empty() && !pipe.socket_ended) {
    std::array<char, kPiece> piece{};
    const ssize_t count = recv(pipe.socket.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (count > 0) pipe.to_channel.assign(piece.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) pipe.socket_ended = true;
  }
  if (pipe.to_channel.empty()) return false;
  const int written = ssh_channel_write(
      pipe.channel.get(), pipe.to_channel.data(), static_cast<uint32_t>(pipe.to_channel.size()));
  if (written < 0) pipe.channel_ended = true;
  const std::size_t done = written < 0 ? pipe.to_channel.size() : static_cast<std::size_t>(written);
  pipe.to_channel.erase(0, done);
  return written > 0;
}

bool JumpHost::carry(Pipe& pipe) {
  const bool down = carry_to_socket(pipe);
  const bool up = carry_to_channel(pipe);
  return down || up;
}

// Reading one channel takes in whatever has come for the others: data, room to write, the answer to
// an opening, for which nothing more will arrive to wake us. So round and round until a round has
// moved nothing and taken in nothing.
void JumpHost::carry_all() {
  bool moved = true;
  std::uint64_t before = 0;
  while ((moved || received() != before) && !environment_.stop.raised()) {
    moved = false;
    before = received();
    for (auto pipe = pipes_.begin(); pipe != pipes_.end();) {
      bool alive = true;
      if (pipe->request != nullptr) {
        alive = try_open(*pipe);
        moved = moved || pipe->request == nullptr;
      } else {
        moved = carry(*pipe) || moved;
        alive = !pipe->socket_ended && !(pipe->channel_ended && pipe->to_socket.empty());
      }
      pipe = alive ? std::next(pipe) : pipes_.erase(pipe);
    }
  }
}

void JumpHost::wait() {
  std::vector<pollfd> polled{{environment_.stop.descriptor(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
  TimePoint deadline = TimePoint::max();
  if (session_) {
    const auto flags = static_cast<unsigned>(ssh_get_poll_flags(session_->handle()));
    const auto events =
        static_cast<short>((flags & SSH_WRITE_PENDING) != 0 ? POLLIN | POLLOUT : POLLIN);
    polled.push_back({ssh_get_fd(session_->handle()), events, 0});
  }
  for (const Pipe& pipe : pipes_) {
    if (pipe.request != nullptr) {
      deadline = std::min(deadline, pipe.deadline);
      continue;
    }
    short events = 0;
    if (pipe.to_channel.empty()) events |= POLLIN;
    if (!pipe.to_socket.empty()) events |= POLLOUT;
    // Without interest a hung-up socket would be reported again and again.
    if (events != 0) polled.push_back({pipe.socket.get(), events, 0});
  }
  int timeout = -1;
  if (deadline != TimePoint::max()) {
    const auto left = (deadline - environment_.clock.now()).count();
    timeout = static_cast<int>(std::clamp<Duration::rep>(left, 0, INT_MAX));
  }
  // Without these two, which a machine out of open files does not give, nothing would wake us.
  const bool deaf = environment_.stop.descriptor() < 0 || !wake_;
  if (deaf) timeout = timeout < 0 ? kLookMilliseconds : std::min(timeout, kLookMilliseconds);
  poll(polled.data(), polled.size(), timeout);
}

void JumpHost::run() noexcept {
  try {
    carry_until_stopped();
    end("abandoned", true);
  } catch (const std::exception& failure) {
    // Out of memory, most likely. Those that are waiting must not wait for ever.
    end(failure.what(), false);
  }
}

void JumpHost::carry_until_stopped() {
  while (!environment_.stop.raised()) {
    const std::vector<Request*> requests = take_requests();
    if (!requests.empty() && !session_) {
      Result<std::unique_ptr<Session>> opened = open_();
      if (opened) {
        session_ = std::move(*opened);
        ssh_set_counters(session_->handle(), &counters_->bytes, &counters_->packets);
      } else {
        for (Request* request : requests) {
          answer(*request, with_context(opened.error(), request->destination.name));
        }
      }
    }
    if (session_) {
      for (Request* request : requests)
        open_pipe(*request);
      carry_all();
      const auto status = static_cast<unsigned>(ssh_get_status(session_->handle()));
      if ((status & (SSH_CLOSED | SSH_CLOSED_ERROR)) != 0) {
        drop_session(
            session_->destination().name + ": the connection was lost: " + session_->problem());
      }
    }
    wait();
  }
}

// Ends the service: no thread is served from here on.
void JumpHost::end(const std::string& why, bool was_stopped) {
  pipes_.clear();
  session_.reset();
  const std::lock_guard lock{mutex_};
  finished_ = true;
  why_finished_ = was_stopped ? "" : why;
  requests_.insert(requests_.end(), taken_.begin(), taken_.end());
  for (Request* request : requests_)
    request->answer = no_longer_there(request->destination);
  requests_.clear();
  taken_.clear();
  answered_.notify_all();
}

Error JumpHost::no_longer_there(const Destination& destination) const {
  if (why_finished_.empty()) return stopped(destination, Stage::jump);
  return unreachable(destination, Stage::jump, why_finished_);
}

}  // namespace fabric::ssh
