// SPDX-License-Identifier: Apache-2.0
#include "engine/labserver/connection.hpp"

#include <algorithm>
#include <utility>

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "engine/base/limits.hpp"

namespace fabric::labserver {
namespace {

constexpr std::size_t kPiece = 32'768;
constexpr Duration kInputPatience{3'000};
// A client on a busy machine may take time to send the input of such a command.
constexpr Duration kFedPatience{60'000};

}  // namespace

struct Connection::Channel {
  Channel() = default;
  // The library keeps a freed channel, callbacks and all, until the client closes it as well.
  ~Channel() {
    if (handle) ssh_remove_channel_callbacks(handle.get(), &callbacks);
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  std::uint64_t number = 0;
  ssh_channel_callbacks_struct callbacks{};
  ChannelHandle handle;

  bool requested = false;
  bool interactive = false;
  bool begun = false;  // of an interactive one: its client has been told
  bool input_ended = false;
  bool taken = false;
  std::optional<TimePoint> first_look;
  std::string line;
  std::string input;

  std::optional<ExecReply> reply;
  std::size_t sent_output = 0;
  std::size_t sent_error = 0;
  bool finished = false;
};

// libssh calls these from within pump(); `self` is the Connection or the Channel.
struct Connection::Callbacks {
  ssh_server_callbacks_struct server{};

  static int authenticate(
      ssh_session /*session*/, const char* user, ssh_key_struct* key, char state, void* self) {
    auto& connection = *static_cast<Connection*>(self);
    if (ssh_key_cmp(key, connection.credentials_.client_key.get(), SSH_KEY_CMP_PUBLIC) != 0)
      return SSH_AUTH_DENIED;
    if (state == SSH_PUBLICKEY_STATE_NONE) return SSH_AUTH_SUCCESS;  // asks whether it would do
    if (state != SSH_PUBLICKEY_STATE_VALID) return SSH_AUTH_DENIED;
    connection.user_ = user;
    return SSH_AUTH_SUCCESS;
  }

  static int authenticate_by_password(
      ssh_session /*session*/, const char* user, const char* password, void* self) {
    auto& connection = *static_cast<Connection*>(self);
    if (connection.credentials_.password.reveal() != password) return SSH_AUTH_DENIED;
    connection.user_ = user;
    return SSH_AUTH_SUCCESS;
  }

  static ssh_channel open(ssh_session session, void* self) {
    auto& connection = *static_cast<Connection*>(self);
    if (connection.user_.empty()) return nullptr;
    auto channel = std::make_unique<Channel>();
    channel->number = connection.next_channel_++;
    channel->handle.reset(ssh_channel_new(session));
    ssh_channel_callbacks_struct& callbacks = channel->callbacks;
    callbacks.userdata = channel.get();
    callbacks.channel_exec_request_function = exec;
    if (connection.kinds_.has_prompt) callbacks.channel_shell_request_function = interactive;
    callbacks.channel_data_function = data;
    callbacks.channel_eof_function = end;
    callbacks.channel_close_function = close;
    callbacks.channel_env_request_function = environment;
    callbacks.channel_pty_request_function = terminal;
    ssh_callbacks_init(&callbacks);
    ssh_set_channel_callbacks(channel->handle.get(), &callbacks);
    connection.channels_.push_back(std::move(channel));
    return connection.channels_.back()->handle.get();
  }

  static int exec(ssh_session /*session*/, ssh_channel /*channel*/, const char* line, void* self) {
    auto& channel = *static_cast<Channel*>(self);
    if (channel.requested) return 1;
    channel.requested = true;
    channel.line = line;
    return 0;
  }

  static int interactive(ssh_session /*session*/, ssh_channel /*channel*/, void* self) {
    auto& channel = *static_cast<Channel*>(self);
    if (channel.requested) return 1;
    channel.requested = true;
    channel.interactive = true;
    return 0;
  }

  static int data(
      ssh_session /*session*/,
      ssh_channel /*channel*/,
      void* bytes,
      uint32_t length,
      int /*is_error*/,
      void* self) {
    auto& channel = *static_cast<Channel*>(self);
    // Beyond the limit the rest stays in the library, which then grants no more window.
    if (channel.input.size() + length > limits::kCommandOutputBytes) return 0;
    if (!channel.taken) channel.input.append(static_cast<const char*>(bytes), length);
    return static_cast<int>(length);
  }

  static void end(ssh_session /*session*/, ssh_channel /*channel*/, void* self) {
    static_cast<Channel*>(self)->input_ended = true;
  }

  static void close(ssh_session /*session*/, ssh_channel /*channel*/, void* self) {
    static_cast<Channel*>(self)->finished = true;
  }

  static int environment(
      ssh_session /*session*/,
      ssh_channel /*channel*/,
      const char* /*name*/,
      const char* /*value*/,
      void* /*self*/) {
    return 1;  // refused, as sshd does for most names
  }

  // Granted, so that `ssh -t` works; the output is the same.
  // NOLINTNEXTLINE(readability-function-size): the parameters are libssh's
  static int terminal(
      ssh_session /*session*/,
      ssh_channel /*channel*/,
      const char* /*term*/,
      int /*columns*/,
      int /*rows*/,
      int /*width*/,
      int /*height*/,
      void* /*self*/) {
    return 0;
  }
};

Connection::Connection(NodeName node, const Credentials& credentials, SessionKinds kinds)
    : node_{std::move(node)},
      credentials_{credentials},
      kinds_{std::move(kinds)},
      callbacks_{std::make_unique<Callbacks>()} {}

std::unique_ptr<Connection> Connection::accept(
    NodeName node,
    FileDescriptor socket,
    ssh_bind_struct* host_key,
    const Credentials& credentials,
    SessionKinds kinds) {
  const int one = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  std::unique_ptr<Connection> connection{
      new Connection{std::move(node), credentials, std::move(kinds)}};
  connection->session_.reset(ssh_new());
  ssh_session session = connection->session_.get();
  const int off = 0;
  ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &off);
  connection->descriptor_ = socket.get();
  if (ssh_bind_accept_fd(host_key, session, socket.get()) != SSH_OK) return nullptr;
  static_cast<void>(socket.release());  // the session's now
  ssh_set_blocking(session, 0);

  ssh_server_callbacks_struct& server = connection->callbacks_->server;
  server.userdata = connection.get();
  server.auth_pubkey_function = Callbacks::authenticate;
  const bool by_password = !credentials.password.empty();
  if (by_password) server.auth_password_function = Callbacks::authenticate_by_password;
  server.channel_open_request_session_function = Callbacks::open;
  ssh_callbacks_init(&server);
  ssh_set_server_callbacks(session, &server);
  ssh_set_auth_methods(
      session, SSH_AUTH_METHOD_PUBLICKEY | (by_password ? SSH_AUTH_METHOD_PASSWORD : 0));
  ssh_handle_key_exchange(session);  // sends the banner; pump() does the rest
  connection->event_.reset(ssh_event_new());
  ssh_event_add_session(connection->event_.get(), session);
  return connection;
}

Connection::~Connection() {
  if (!event_) return;
  ssh_event_remove_session(event_.get(), session_.get());
  // The other side is to see the connection end, not its channels close one by one.
  shutdown(descriptor_, SHUT_RDWR);
}

bool Connection::pump() {
  const int result = ssh_event_dopoll(event_.get(), 0);
  for (const auto& channel : channels_)
    send(*channel);
  channels_.remove_if([](const auto& channel) { return channel->finished; });
  const auto status = static_cast<unsigned>(ssh_get_status(session_.get()));
  return result != SSH_ERROR && (status & (SSH_CLOSED | SSH_CLOSED_ERROR)) == 0;
}

bool Connection::wants_to_write() const {
  return (static_cast<unsigned>(ssh_get_poll_flags(session_.get())) & SSH_WRITE_PENDING) != 0;
}

Duration Connection::patience_for(std::string_view line) const {
  return kinds_.reads_input(line) ? kFedPatience : kInputPatience;
}

std::vector<ExecRequest> Connection::take_requests(TimePoint now) {
  std::vector<ExecRequest> requests;
  for (const auto& channel : channels_) {
    if (!channel->requested || channel->taken || channel->interactive) continue;
    if (!channel->first_look) channel->first_look = now;
    const Duration patience = patience_for(channel->line);
    const bool by_hand = channel->input.empty() && now - *channel->first_look >= patience;
    if (!channel->input_ended && !by_hand) continue;
    channel->taken = true;
    requests.push_back({channel->number, user_, channel->line, std::move(channel->input)});
    channel->input.clear();
  }
  return requests;
}

std::optional<TimePoint> Connection::next_look() const {
  std::optional<TimePoint> next;
  for (const auto& channel : channels_) {
    if (!channel->first_look || channel->taken || !channel->input.empty()) continue;
    const Duration patience = patience_for(channel->line);
    const TimePoint look = *channel->first_look + patience;
    next = next ? std::min(*next, look) : look;
  }
  return next;
}

std::vector<Typing> Connection::take_typing() {
  std::vector<Typing> typed;
  for (const auto& channel : channels_) {
    if (!channel->interactive || (channel->begun && channel->input.empty())) continue;
    typed.push_back({channel->number, user_, std::exchange(channel->input, {}), !channel->begun});
    channel->begun = true;
  }
  return typed;
}

bool Connection::has_channel(std::uint64_t channel) const {
  return std::ranges::any_of(
      channels_, [channel](const auto& each) { return each->number == channel; });
}

void Connection::deliver(std::uint64_t channel, ExecReply reply) {
  const auto found = std::ranges::find_if(
      channels_, [channel](const auto& each) { return each->number == channel; });
  if (found == channels_.end()) return;
  Channel& here = **found;
  if (here.reply)
    reply.standard_output.insert(0, here.reply->standard_output.substr(here.sent_output));
  here.sent_output = 0;
  here.reply = std::move(reply);
}

// Sends as much as the channel's window takes; the end only after all output.
void Connection::send(Channel& channel) {
  if (!channel.reply || channel.finished) return;
  const auto write = [&](const std::string& text, std::size_t& sent, auto function) {
    while (sent < text.size()) {
      const std::size_t size = std::min(text.size() - sent, kPiece);
      const int count =
          function(channel.handle.get(), text.data() + sent, static_cast<uint32_t>(size));
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  };
  if (!write(channel.reply->standard_output, channel.sent_output, ssh_channel_write)) return;
  if (!write(channel.reply->standard_error, channel.sent_error, ssh_channel_write_stderr)) return;
  if (channel.reply->goes_on) return;
  ssh_channel_request_send_exit_status(channel.handle.get(), channel.reply->exit_status);
  ssh_channel_send_eof(channel.handle.get());
  ssh_channel_close(channel.handle.get());
  channel.finished = true;
}

}  // namespace fabric::labserver
