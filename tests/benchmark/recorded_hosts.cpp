// SPDX-License-Identifier: Apache-2.0
// Hosts that answer at once: each says what was recorded of it, over the SSH of the lab. What is
// left of a run on them is what its client needs.
// usage: recorded_hosts LAB NONCE
//   LAB  a folder as `.fabric/lab`; its `recorded/NODE.out` and `recorded/NODE.err` are what NODE
//        printed when NONCE was the last argument of the command. Until SIGTERM.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/base/limits.hpp"
#include "engine/files/read.hpp"
#include "engine/labserver/connection.hpp"
#include "engine/labserver/directory.hpp"
#include "engine/labserver/served_nodes.hpp"

namespace {

using namespace fabric;
using labserver::Connection;

volatile std::sig_atomic_t stopping = 0;

// What the hosts printed, by name.
using Recorded = std::map<NodeName, labserver::ExecReply>;

Result<Recorded> recorded_below(const std::string& folder) {
  Recorded recorded;
  for (const auto& file : std::filesystem::directory_iterator{folder}) {
    if (file.path().extension() != ".out") continue;
    std::filesystem::path errors = file.path();
    errors.replace_extension(".err");
    labserver::ExecReply& reply =
        recorded[FABRIC_TRY(NodeName::parse(file.path().stem().string()))];
    reply.standard_output =
        FABRIC_TRY(files::read_regular(file.path(), limits::kCommandOutputBytes));
    reply.standard_error = FABRIC_TRY(files::read_regular(errors, limits::kCommandOutputBytes));
  }
  return recorded;
}

std::string with_nonce(std::string text, std::string_view recorded, std::string_view asked) {
  for (std::size_t at = text.find(recorded); at != std::string::npos;
       at = text.find(recorded, at + asked.size()))
    text.replace(at, recorded.size(), asked);
  return text;
}

class RecordedHosts {
 public:
  RecordedHosts(
      Recorded recorded,
      std::vector<labserver::ServedNode> nodes,
      labserver::Credentials credentials,
      std::string nonce)
      : recorded_{std::move(recorded)},
        credentials_{std::move(credentials)},
        nonce_{std::move(nonce)},
        epoll_{epoll_create1(EPOLL_CLOEXEC)} {
    for (labserver::ServedNode& node : nodes) {
      const int listener = node.listener.get();
      watch(listener, EPOLL_CTL_ADD, EPOLLIN);
      nodes_.emplace(listener, std::move(node));
    }
  }

  // Until SIGTERM.
  void run() {
    std::array<epoll_event, 256> events{};
    while (stopping == 0) {
      const int count =
          epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < count; ++i) {
        const int descriptor = events.at(static_cast<std::size_t>(i)).data.fd;
        if (const auto node = nodes_.find(descriptor); node != nodes_.end()) {
          accept(node->second);
        } else if (const auto found = connections_.find(descriptor); found != connections_.end()) {
          serve(*found->second);
        }
      }
    }
  }

 private:
  void watch(int descriptor, int operation, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.fd = descriptor;
    epoll_ctl(epoll_.get(), operation, descriptor, &event);
  }

  void accept(labserver::ServedNode& node) {
    while (true) {
      FileDescriptor socket{
          accept4(node.listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
      if (!socket) return;
      labserver::SessionKinds kinds{[](std::string_view) { return true; }, false};
      auto connection = Connection::accept(
          node.name, std::move(socket), node.host_key.get(), credentials_, std::move(kinds));
      if (!connection) continue;
      const int descriptor = connection->descriptor();
      watch(descriptor, EPOLL_CTL_ADD, EPOLLIN);
      connections_[descriptor] = std::move(connection);
    }
  }

  void serve(Connection& connection) {
    const int descriptor = connection.descriptor();
    bool goes_on = connection.pump();
    for (const labserver::ExecRequest& request : connection.take_requests(clock_.now())) {
      connection.deliver(request.channel, reply(request.line, recorded_.at(connection.node())));
      goes_on = connection.pump() && goes_on;
    }
    if (!goes_on) {
      connections_.erase(descriptor);  // closing takes it out of the epoll set
      return;
    }
    watch(descriptor, EPOLL_CTL_MOD, connection.wants_to_write() ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }

  // As a shell that does not know the command, where it is not the one that was recorded.
  labserver::ExecReply reply(std::string_view line, const labserver::ExecReply& recorded) const {
    constexpr int kNotFound = 127;
    const std::string_view asked = line.substr(line.size() - std::min(line.size(), nonce_.size()));
    if (asked.size() < nonce_.size() ||
        asked.find_first_not_of("0123456789abcdef") != std::string_view::npos)
      return {kNotFound, "", "not recorded\n"};
    return {
        recorded.exit_status,
        with_nonce(recorded.standard_output, nonce_, asked),
        with_nonce(recorded.standard_error, nonce_, asked)};
  }

  SystemClock clock_;
  Recorded recorded_;
  labserver::Credentials credentials_;
  std::string nonce_;
  FileDescriptor epoll_;
  std::map<int, labserver::ServedNode> nodes_;  // by listener
  std::map<int, std::unique_ptr<Connection>> connections_;
};

// As a lab, so that whoever looks for one finds it.
Result<void> serve(const std::string& folder, const std::string& nonce) {
  labserver::LabDirectory directory = FABRIC_TRY(labserver::LabDirectory::lock(folder));
  Recorded recorded = FABRIC_TRY(recorded_below(directory.file("recorded")));
  std::vector<NodeName> names;
  for (const auto& [name, reply] : recorded)
    names.push_back(name);
  labserver::LabInfo info;
  info.pid = getpid();
  info.identity_file = directory.file(labserver::kIdentityFile);
  info.known_hosts_file = directory.file(labserver::kKnownHostsFile);
  std::string known_hosts;
  auto nodes = FABRIC_TRY(labserver::open_nodes(names, directory, info, known_hosts));
  labserver::Credentials credentials{FABRIC_TRY(labserver::make_key()), {}};
  FABRIC_TRY(labserver::write_key(credentials.client_key.get(), info.identity_file));
  RecordedHosts hosts{std::move(recorded), std::move(nodes), std::move(credentials), nonce};
  FABRIC_TRY(directory.write(info));
  hosts.run();
  directory.clear();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  struct sigaction ends {};
  ends.sa_handler = [](int) {
    stopping = 1;
  };
  sigaction(SIGTERM, &ends, nullptr);
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  raise_descriptor_limit();
  const Result<void> served = serve(argv[1], argv[2]);
  if (!served) std::fprintf(stderr, "%s\n", served.error().message.c_str());
  return served ? 0 : 1;
}
