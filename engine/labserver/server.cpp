// SPDX-License-Identifier: Apache-2.0
#include "engine/labserver/server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "engine/files/place.hpp"
#include "engine/files/write.hpp"
#include "engine/labserver/directory.hpp"
#include "engine/labserver/lab_service.hpp"
#include "engine/value/json.hpp"
#include "engine/value/lists.hpp"

namespace fabric::labserver {

namespace {

std::string_view to_string(lab::Power power) {
  switch (power) {
    case lab::Power::up:
      return "up";
    case lab::Power::going_down:
      return "going-down";
    case lab::Power::down:
      return "down";
    case lab::Power::booting:
      return "booting";
    case lab::Power::dead:
      return "dead";
  }
  return "";
}

Value refusal(const Error& error) {
  return Map{
      {"error", error.message},
      {"code", error.code == ErrorCode::not_found ? "not_found" : "invalid"}};
}

Result<void> set_fault(const Value& request, lab::Lab& lab) {
  const NodeName node = FABRIC_TRY(NodeName::parse(request.string_or_empty("node")));
  const lab::Fault fault = FABRIC_TRY(lab::parse_fault(request.string_or_empty("fault")));
  return lab.set_fault(node, fault, request.string_or_empty("only"));
}

Result<void> swap_card(const Value& request, lab::Lab& lab) {
  const std::string where = request.string_or_empty("node");
  const std::size_t slash = where.find('/');
  const NodeName node = FABRIC_TRY(NodeName::parse(where.substr(0, slash)));
  return lab.swap_card(node, slash == std::string::npos ? "" : where.substr(slash + 1));
}

constexpr std::size_t kRequestBytes = 65'536;  // a request is some hundred
constexpr std::size_t kAnswerBytes = std::size_t{64} * 1024 * 1024;
constexpr timeval kClientPatience{30, 0};

// A socket's name holds 107 bytes and a project may lie deeper: reach it through a descriptor, of
// its folder or of itself.
sockaddr_un address_of(int descriptor, std::string_view below) {
  const std::string path = fmt::format("/proc/self/fd/{}{}", descriptor, below);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(std::data(address.sun_path), sizeof address.sun_path - 1);
  return address;
}

Error failed(const std::string& directory) {
  return {
      ErrorCode::invalid,
      fmt::format("{}: control socket: {}", directory, std::generic_category().message(errno))};
}

constexpr unsigned kSourceShift = 56;  // of an epoll tag: the source above, the number below
constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << kSourceShift) - 1;

bool is_off(lab::Power power) {
  return power == lab::Power::down || power == lab::Power::booting || power == lab::Power::dead;
}

// The other side sees "connection reset", which is the nearest that a listening socket can come to
// not being there.
void reset(FileDescriptor socket) {
  const linger none{1, 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
}

}  // namespace

Value status_of(const lab::Lab& lab, const Addresses& addresses) {
  const lab::Monitor& monitor = lab.monitor();
  Map states;
  for (const auto& [name, address] : addresses) {
    const auto reboots = monitor.reboots_by_node.find(name.str());
    states[name.str()] =
        Map{{"power", to_string(lab.power(name))},
            {"address", address},
            {"boots", reboots == monitor.reboots_by_node.end() ? 0U : reboots->second},
            {"fault", lab::to_string(lab.fault(name))}};
  }
  List late;
  for (const lab::LateChange& change : monitor.late_changes)
    late.emplace_back(
        change.node.str() +
        ": what was sent before its network was rolled back has changed it afterwards");
  Map reboots;
  for (const auto& [name, count] : monitor.reboots_by_node)
    reboots[name] = count;
  return Map{
      {"nodes", std::move(states)},
      {"monitor",
       Map{{"reboots", monitor.reboots},
           {"reboots_by_node", std::move(reboots)},
           {"most_down_at_once", monitor.most_down_at_once},
           {"neighbours_down_together", to_list(monitor.neighbours_down_together)},
           {"violations", std::move(late)}}}};
}

Value perform_request(const Value& request, lab::Lab& lab, const Addresses& addresses) {
  const std::string verb = request.string_or_empty("verb");
  if (verb == "status") return status_of(lab, addresses);
  Result<void> done = Error{ErrorCode::invalid, fmt::format("the lab has no verb '{}'", verb)};
  if (verb == "fault") done = set_fault(request, lab);
  if (verb == "recable")
    done = lab.recable(request.string_or_empty("a"), request.string_or_empty("b"));
  if (verb == "unplug") {
    const Value* one_end = request.find("one_end");
    done = lab.unplug(
        request.string_or_empty("a"),
        one_end != nullptr && one_end->as_bool() != nullptr && *one_end->as_bool());
  }
  if (verb == "swap-card") done = swap_card(request, lab);
  if (!done) return refusal(done.error());
  return Map{{"ok", true}};
}

Result<FileDescriptor> listen_control(const std::string& directory, const std::string& name) {
  FileDescriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  FABRIC_TRY(files::remove_file(directory + "/" + name));  // of a lab that was killed
  const FileDescriptor folder = FABRIC_TRY(files::open_folder(directory));
  const sockaddr_un address = address_of(folder.get(), "/" + name);
  const int bound = bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (bound != 0 || listen(socket.get(), 16) != 0) return failed(directory);
  return socket;
}

std::optional<Result<Value>> ControlClient::read() {
  std::array<char, 4096> piece{};
  while (!ended_) {
    const ssize_t count = recv(descriptor(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count <= 0) {
      ended_ = true;
    } else if (input_.size() < kRequestBytes) {
      input_.append(piece.data(), static_cast<std::size_t>(count));
    }
  }
  const std::size_t end = input_.find('\n');
  if (end == std::string::npos || answered_) return std::nullopt;
  return parse_json(std::string_view{input_}.substr(0, end));
}

void ControlClient::answer(const Value& value) {
  answered_ = true;
  output_ = to_json(value) + "\n";
}

bool ControlClient::write() {
  while (!output_.empty()) {
    const ssize_t count =
        send(descriptor(), output_.data(), output_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (count < 0) return false;
    output_.erase(0, static_cast<std::size_t>(count));
  }
  return !answered_ && !ended_;
}

Result<Value> request(const std::string& directory, const Value& request) {
  FABRIC_TRY(read_lab_info(directory));
  const FileDescriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kClientPatience, sizeof kClientPatience);
  const FileDescriptor folder = FABRIC_TRY(files::open_folder(directory));
  // connect() by the socket's path would follow a link.
  const FileDescriptor there{openat(folder.get(), kSocketFile, O_PATH | O_NOFOLLOW | O_CLOEXEC)};
  if (!there) return failed(directory);
  const sockaddr_un address = address_of(there.get(), "");
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return failed(directory);
  const std::string line = to_json(request) + "\n";
  if (send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL) != std::ssize(line))
    return failed(directory);
  std::string answer;
  std::array<char, 65'536> piece{};
  while (answer.size() < kAnswerBytes) {
    const ssize_t count = recv(socket.get(), piece.data(), piece.size(), 0);
    if (count < 0) return Error{ErrorCode::timed_out, "the lab does not answer"};
    if (count == 0) break;
    answer.append(piece.data(), static_cast<std::size_t>(count));
  }
  Value value = FABRIC_TRY(parse_json(answer));
  if (const std::string error = value.string_or_empty("error"); !error.empty()) {
    const bool missing = value.string_or_empty("code") == "not_found";
    return Error{missing ? ErrorCode::not_found : ErrorCode::invalid, error};
  }
  return value;
}

Server::Server(lab::Lab& lab, const Clock& clock, Parts parts)
    : lab_{lab}, clock_{clock}, parts_{std::move(parts)}, epoll_{epoll_create1(EPOLL_CLOEXEC)} {
  lab_.watch([this](const lab::HostEvent& event) {
    if (is_off(event.power)) went_down_.insert(event.node);
  });
}

Server::~Server() {
  lab_.watch({});
}

void Server::watch(
    int descriptor, Source source, std::uint64_t number, std::uint32_t events, int operation) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = static_cast<std::uint64_t>(source) << kSourceShift | number;
  epoll_ctl(epoll_.get(), operation, descriptor, &event);
}

Result<void> Server::run() {
  sigset_t signals{};
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  signals_ = FileDescriptor{signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)};
  if (!epoll_ || !signals_) return Error{ErrorCode::denied, "the lab gets no descriptors"};
  watch(signals_.get(), Source::signal, 0, EPOLLIN, EPOLL_CTL_ADD);
  watch(parts_.control.get(), Source::control, 0, EPOLLIN, EPOLL_CTL_ADD);
  for (std::size_t i = 0; i < parts_.nodes.size(); ++i) {
    watch(parts_.nodes[i].listener.get(), Source::listener, i, EPOLLIN, EPOLL_CTL_ADD);
  }
  std::array<epoll_event, 256> events{};
  while (!stopping_) {
    const int count =
        epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout());
    if (count < 0 && errno != EINTR) return Error{ErrorCode::denied, "the lab can't wait"};
    lab_.advance(clock_.now());
    // A host may have gone down by its last command.
    drop_connections_of_down_hosts();
    for (int i = 0; i < count; ++i)
      handle(events[static_cast<std::size_t>(i)].data.u64);
    look_again();
    deliver_due();
    drop_connections_of_down_hosts();
  }
  connections_.clear();
  parts_.nodes.clear();
  return {};
}

int Server::timeout() const {
  TimePoint next = TimePoint::max();
  if (!due_.empty()) next = due_.begin()->first;
  if (const auto event = lab_.next_event()) next = std::min(next, *event);
  if (const auto look = looks_.next()) next = std::min(next, look->first);
  if (next == TimePoint::max()) return -1;
  return static_cast<int>(std::clamp<Duration::rep>((next - clock_.now()).count(), 0, INT_MAX));
}

void Server::handle(std::uint64_t tag) {
  const std::uint64_t number = tag & kNumberMask;
  switch (static_cast<Source>(tag >> kSourceShift)) {
    case Source::listener:
      accept_connections(parts_.nodes[number]);
      break;
    case Source::connection:
      serve_connection(number);
      break;
    case Source::control:
      accept_clients();
      break;
    case Source::client:
      serve_client(number);
      break;
    case Source::signal:
      stopping_ = true;
      break;
  }
}

void Server::accept_connections(ServedNode& node) {
  while (true) {
    FileDescriptor socket{
        accept4(node.listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (!socket) return;
    if (!lab_.accepts_connections(node.name)) {
      reset(std::move(socket));
      continue;
    }
    SessionKinds kinds{
        [this, name = node.name](std::string_view line) { return lab_.reads_input(name, line); },
        lab_.has_prompt(node.name)};
    auto connection = Connection::accept(
        node.name, std::move(socket), node.host_key.get(), parts_.credentials, std::move(kinds));
    if (!connection) continue;
    const std::uint64_t number = next_number_++;
    watch(connection->descriptor(), Source::connection, number, EPOLLIN, EPOLL_CTL_ADD);
    interest_[number] = EPOLLIN;
    connections_.emplace(number, std::move(connection));
  }
}

void Server::serve_connection(std::uint64_t number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;  // dropped since the event
  Connection& connection = *found->second;
  if (!connection.pump()) {
    drop(number);
    return;
  }
  run_requests(number, connection);
  run_typing(number, connection);
  note_look(number);
  const auto after = connections_.find(number);
  if (after == connections_.end()) return;
  const std::uint32_t events = connection.wants_to_write() ? EPOLLIN | EPOLLOUT : EPOLLIN;
  if (events == interest_[number]) return;
  interest_[number] = events;
  watch(connection.descriptor(), Source::connection, number, events, EPOLL_CTL_MOD);
}

void Server::run_requests(std::uint64_t number, Connection& connection) {
  for (const ExecRequest& request : connection.take_requests(clock_.now())) {
    const TimePoint now = clock_.now();
    lab_.advance(now);
    Due due{
        number,
        request.channel,
        lab_.exec(connection.node(), request.user, request.line, request.input)};
    if (due.result.delivery == lab::Delivery::stall) continue;  // nothing ever comes back
    const Duration took =
        due.result.delivery == lab::Delivery::lost_command ? Duration::zero() : due.result.took;
    due_.emplace(now + took + parts_.latency, std::move(due));
    for (lab::ExecResult& amended : lab_.take_amended())
      amend(std::move(amended), now);
  }
}

void Server::run_typing(std::uint64_t number, Connection& connection) {
  for (const Typing& typing : connection.take_typing())
    type(number, connection.node(), typing);
  close_ended_sessions();
}

void Server::type(std::uint64_t number, const NodeName& node, const Typing& typing) {
  const TimePoint now = clock_.now();
  lab_.advance(now);
  InteractiveSession& session = sessions_[{number, typing.channel}];
  const auto show = [&](lab::ExecResult result) {
    if (result.delivery == lab::Delivery::stall) return;  // nothing ever comes back
    const bool lost = result.delivery == lab::Delivery::lost_command;
    session.shown = std::max(session.shown, now + (lost ? Duration{0} : result.took));
    const bool goes_on = !lab_.prompt_ended(session.number);
    due_.emplace(
        session.shown + parts_.latency, Due{number, typing.channel, std::move(result), goes_on});
  };
  if (typing.first) {
    lab::ExecResult greeting;
    session.number = lab_.open_prompt(node, typing.user, greeting);
    show(std::move(greeting));
  }
  if (typing.keys.empty() || lab_.prompt_ended(session.number)) return;
  // The key of a terminal that ends a line.
  std::string keys = typing.keys;
  std::replace(keys.begin(), keys.end(), '\r', '\n');
  show(lab_.perform(node, typing.user, lab::TypedKeys{session.number, std::move(keys)}));
}

void Server::close_ended_sessions() {
  std::erase_if(sessions_, [this](const auto& entry) {
    const auto& [connection, channel] = entry.first;
    const auto found = connections_.find(connection);
    const bool open = found != connections_.end() && found->second->has_channel(channel);
    if (!open) lab_.close_prompt(entry.second.number);
    return !open;
  });
}

void Server::amend(lab::ExecResult amended, TimePoint now) {
  const auto found = std::ranges::find_if(
      due_, [&](const auto& entry) { return entry.second.result.number == amended.number; });
  if (found == due_.end()) return;
  Due due = std::move(found->second);
  due_.erase(found);
  const TimePoint at = now + amended.took + parts_.latency;
  due.result = std::move(amended);
  due_.emplace(at, std::move(due));
}

void Server::look_again() {
  for (const std::uint64_t number : looks_.due(clock_.now()))
    serve_connection(number);
}

void Server::note_look(std::uint64_t number) {
  const auto connection = connections_.find(number);
  looks_.set(
      number, connection == connections_.end() ? std::nullopt : connection->second->next_look());
}

void Server::deliver_due() {
  const TimePoint now = clock_.now();
  while (!due_.empty() && due_.begin()->first <= now) {
    Due due = std::move(due_.begin()->second);
    due_.erase(due_.begin());
    const auto found = connections_.find(due.connection);
    if (due.result.host_down && found != connections_.end()) {
      drop_node(NodeName{found->second->node()});
    } else if (due.result.delivery != lab::Delivery::normal) {
      drop(due.connection);
    } else if (found != connections_.end()) {
      found->second->deliver(
          due.channel,
          {due.result.exit_status,
           std::move(due.result.standard_output),
           std::move(due.result.standard_error),
           due.goes_on});
      serve_connection(due.connection);
    }
  }
}

void Server::drop(std::uint64_t number) {
  connections_.erase(number);  // closing takes it out of the epoll set
  interest_.erase(number);
  note_look(number);
  close_ended_sessions();
}

void Server::drop_node(const NodeName& node) {
  std::vector<std::uint64_t> ended;
  for (const auto& [number, connection] : connections_) {
    if (connection->node() == node) ended.push_back(number);
  }
  for (const std::uint64_t number : ended)
    drop(number);
}

void Server::drop_connections_of_down_hosts() {
  for (const NodeName& node : std::exchange(went_down_, {}))
    drop_node(node);
}

void Server::accept_clients() {
  while (true) {
    FileDescriptor socket{
        accept4(parts_.control.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (!socket) return;
    const std::uint64_t number = next_number_++;
    watch(socket.get(), Source::client, number, EPOLLIN, EPOLL_CTL_ADD);
    clients_.emplace(number, std::make_unique<ControlClient>(std::move(socket)));
  }
}

void Server::serve_client(std::uint64_t number) {
  const auto found = clients_.find(number);
  if (found == clients_.end()) return;
  ControlClient& client = *found->second;
  if (const auto request = client.read()) {
    if (!*request) {
      client.answer(Map{{"error", request->error().message}});
    } else if ((*request)->string_or_empty("verb") == "down") {
      goodbye_to_ = number;
      stopping_ = true;
      return;
    } else if ((*request)->string_or_empty("verb") == "grow") {
      client.answer(grow((*request)->string_or_empty("path")));
    } else {
      client.answer(perform_request(**request, lab_, parts_.addresses));
    }
  }
  if (!client.write()) {
    clients_.erase(found);
    return;
  }
  const std::uint32_t events = client.wants_to_write() ? EPOLLOUT : EPOLLIN;
  watch(client.descriptor(), Source::client, number, events, EPOLL_CTL_MOD);
}

Value Server::grow(const std::string& path) {
  if (!parts_.grow) return Map{{"error", "this lab can't grow"}, {"code", "invalid"}};
  auto more = parts_.grow(path, parts_.addresses);
  if (!more) return Map{{"error", more.error().message}, {"code", "invalid"}};
  List added;
  for (ServedNode& each : *more) {
    added.emplace_back(each.name.str());
    parts_.nodes.push_back(std::move(each));
    watch(
        parts_.nodes.back().listener.get(),
        Source::listener,
        parts_.nodes.size() - 1,
        EPOLLIN,
        EPOLL_CTL_ADD);
  }
  return Map{{"ok", true}, {"added", std::move(added)}};
}

void Server::say_goodbye() {
  const auto found = clients_.find(goodbye_to_);
  if (found == clients_.end()) return;
  found->second->answer(Map{{"ok", true}});
  found->second->write();
}

}  // namespace fabric::labserver
