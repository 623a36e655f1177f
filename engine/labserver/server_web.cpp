// SPDX-License-Identifier: Apache-2.0
// The part of the server that answers requests over HTTPS.
#include <sys/epoll.h>
#include <sys/socket.h>

#include "engine/labserver/server.hpp"

namespace fabric::labserver {

void Server::accept_web(std::uint64_t number) {
  const NodeName& node = sites_.at(number);
  const ServedSite& site = parts_.sites.at(node);
  while (true) {
    FileDescriptor socket{
        accept4(site.listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (!socket) return;
    if (!lab_.accepts_connections(node)) continue;
    auto connection = WebConnection::accept(node, std::move(socket), *site.tls);
    if (!connection) continue;
    const std::uint64_t mine = next_number_++;
    watch(connection->descriptor(), Source::web, mine, EPOLLIN, EPOLL_CTL_ADD);
    interest_[mine] = EPOLLIN;
    web_.emplace(mine, std::move(connection));
  }
}

void Server::serve_web(std::uint64_t number) {
  const auto found = web_.find(number);
  if (found == web_.end()) return;  // dropped since the event
  WebConnection& connection = *found->second;
  // What arrives while an answer is sent is a request too, and no event tells of it again.
  do {
    if (!connection.pump()) {
      drop(number);
      return;
    }
  } while (run_web(number, connection));
  const std::uint32_t events = connection.wants_to_write() ? EPOLLIN | EPOLLOUT : EPOLLIN;
  if (events == interest_[number]) return;
  interest_[number] = events;
  watch(connection.descriptor(), Source::web, number, events, EPOLL_CTL_MOD);
}

bool Server::run_web(std::uint64_t number, WebConnection& connection) {
  bool has_run = false;
  while (const std::optional<remote::step::Request> request = connection.take_request()) {
    has_run = true;
    WebSite& site = parts_.sites.at(connection.node()).site;
    if (const std::optional<WebAnswer> answer = site.answer(*request)) {
      connection.deliver(*answer);
      continue;
    }
    const TimePoint now = clock_.now();
    lab_.advance(now);
    Due due{
        number, 0, lab_.perform(connection.node(), lab_.login(connection.node()).user, *request)};
    if (due.result.delivery == lab::Delivery::stall) continue;  // nothing ever comes back
    const bool lost = due.result.delivery == lab::Delivery::lost_command;
    due_.emplace(now + (lost ? Duration{0} : due.result.took) + parts_.latency, std::move(due));
  }
  return has_run;
}

void Server::deliver_web(std::uint64_t number, const lab::ExecResult& result) {
  WebConnection& connection = *web_.at(number);
  const WebSite& site = parts_.sites.at(connection.node()).site;
  connection.deliver(result.replies.empty() ? WebAnswer{404} : site.told(result.replies.front()));
  serve_web(number);
}

}  // namespace fabric::labserver
