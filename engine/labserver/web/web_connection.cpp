// SPDX-License-Identifier: Apache-2.0
#include "engine/labserver/web/web_connection.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "engine/base/text.hpp"

namespace fabric::labserver {

namespace {

// A request of fabric has some kilobytes.
constexpr std::size_t kRequestBytes = std::size_t{1024} * 1024;
constexpr std::size_t kPiece = std::size_t{64} * 1024;

// Of the first line, "POST /admin/launch?script=json HTTP/1.1".
bool read_first_line(std::string_view line, remote::step::Request& request) {
  const std::vector<std::string_view> words = split_words(line);
  if (words.size() != 3 || !words[2].starts_with("HTTP/1.")) return false;
  request.method = words[0];
  request.path = words[1];
  return true;
}

}  // namespace

WebConnection::WebConnection(NodeName node, FileDescriptor socket, TlsSessionHandle session)
    : node_{std::move(node)}, socket_{std::move(socket)}, session_{std::move(session)} {}

WebConnection::~WebConnection() = default;

std::unique_ptr<WebConnection> WebConnection::accept(
    NodeName node, FileDescriptor socket, ssl_ctx_st& tls) {
  TlsSessionHandle session{SSL_new(&tls)};
  if (session == nullptr || SSL_set_fd(session.get(), socket.get()) != 1) return nullptr;
  SSL_set_accept_state(session.get());
  return std::unique_ptr<WebConnection>{
      new WebConnection{std::move(node), std::move(socket), std::move(session)}};
}

bool WebConnection::waits(int result) {
  const int why = SSL_get_error(session_.get(), result);
  if (why == SSL_ERROR_WANT_WRITE) wants_to_write_ = true;
  return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
}

bool WebConnection::pump() {
  wants_to_write_ = false;
  ERR_clear_error();
  if (!greeted_) {
    const int result = SSL_do_handshake(session_.get());
    if (result != 1) return waits(result);
    greeted_ = true;
  }
  return receive() && send();
}

bool WebConnection::receive() {
  std::array<char, kPiece> piece{};
  while (input_.size() <= kRequestBytes) {
    ERR_clear_error();
    const int count = SSL_read(session_.get(), piece.data(), static_cast<int>(piece.size()));
    if (count <= 0) return waits(count);
    input_.append(piece.data(), static_cast<std::size_t>(count));
  }
  return false;
}

bool WebConnection::send() {
  while (!output_.empty() || endless_) {
    if (output_.empty()) output_.assign(kPiece, 'a');
    ERR_clear_error();
    const std::size_t size = std::min(output_.size(), kPiece);
    const int count = SSL_write(session_.get(), output_.data(), static_cast<int>(size));
    if (count <= 0) return waits(count);
    output_.erase(0, static_cast<std::size_t>(count));
  }
  return !ends_;
}

std::optional<remote::step::Request> WebConnection::take_request() {
  const std::size_t end = input_.find("\r\n\r\n");
  if (busy_ || end == std::string::npos) return std::nullopt;
  remote::step::Request request;
  std::size_t length = 0;
  const std::vector<std::string_view> lines = split_lines(std::string_view{input_}.substr(0, end));
  bool good = !lines.empty() && read_first_line(trim(lines.front()), request);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t colon = lines[i].find(':');
    if (colon == std::string_view::npos) continue;
    const std::string name = to_lower(trim(lines[i].substr(0, colon)));
    const std::string value{trim(lines[i].substr(colon + 1))};
    if (name == "content-length") {
      const auto number = parse_integer(value);
      good = good && number && *number >= 0;
      length = good ? static_cast<std::size_t>(*number) : 0;
    }
    request.headers[name] = value;
  }
  const std::size_t begin = end + 4;
  if (good && input_.size() < begin + length) return std::nullopt;
  busy_ = true;
  if (!good) {
    ends_ = true;
    deliver({400, "", {{"Connection", "close"}}});
    return std::nullopt;
  }
  request.body = input_.substr(begin, length);
  input_.erase(0, begin + length);
  return request;
}

void WebConnection::deliver(const WebAnswer& answer) {
  busy_ = false;
  if (answer.raw) {
    output_ += answer.body;
    ends_ = true;
    return;
  }
  output_ += fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\n",
      answer.status,
      answer.status == 200 ? "OK" : "Refused");
  for (const auto& [name, value] : answer.headers)
    output_ += fmt::format("{}: {}\r\n", name, value);
  if (!answer.endless) output_ += fmt::format("Content-Length: {}\r\n", answer.body.size());
  output_ += "\r\n" + answer.body;
  endless_ = answer.endless;
}

}  // namespace fabric::labserver
