// SPDX-License-Identifier: Apache-2.0
#include "engine/labserver/web/web_site.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/rand.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/value/json.hpp"

namespace fabric::labserver {

namespace {

WebAnswer answer_of(const remote::Reply& reply) {
  return {reply.status, reply.text};
}

}  // namespace

WebLie web_lie(std::string_view text) {
  if (text == "expired") return WebLie::expired;
  if (text == "login-refused") return WebLie::login_refused;
  if (text == "garbage") return WebLie::garbage;
  return text == "endless" ? WebLie::endless : WebLie::none;
}

std::string random_word() {
  std::array<unsigned char, 16> bytes{};
  FABRIC_CHECK(
      RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1, "the kernel gives randomness");
  std::string word;
  for (const unsigned char byte : bytes)
    word += fmt::format("{:02x}", byte);
  return word;
}

std::string WebSite::session_of(const remote::step::Request& request) const {
  const auto cookies = request.headers.find("cookie");
  if (cookies == request.headers.end()) return {};
  for (const std::string_view each : split(cookies->second, ';')) {
    const std::string_view cookie = trim(each);
    if (cookie.starts_with(login_.cookie + "="))
      return std::string{cookie.substr(login_.cookie.size() + 1)};
  }
  return {};
}

WebAnswer WebSite::let_in(const std::string& body) {
  const Result<Value> said = parse_json(body);
  const bool right = said && !said->string_or_empty(login_.user_key).empty() &&
                     said->string_or_empty(login_.password_key) == password_.reveal();
  if (!right || lie_ == WebLie::login_refused) return answer_of(login_.refusal);
  const std::string session = random_word();
  sessions_.insert(session);
  WebAnswer answer = answer_of(login_.welcome);
  answer.headers["Set-Cookie"] =
      fmt::format("{}={}; path=/; HttpOnly; Secure", login_.cookie, session);
  return answer;
}

std::optional<WebAnswer> WebSite::answer(const remote::step::Request& request) {
  if (request.method == "POST" && request.path == login_.login_path) return let_in(request.body);
  const std::string session = session_of(request);
  if (!sessions_.contains(session)) return answer_of(login_.no_session);
  if (request.path != login_.logout_path) return std::nullopt;
  sessions_.erase(session);
  return answer_of(login_.goodbye);
}

WebAnswer WebSite::told(const remote::Reply& reply) const {
  WebAnswer answer = answer_of(reply);
  if (lie_ == WebLie::garbage) {
    answer.body = "\x1b[2J<html>\xff\xfe";
    answer.body.resize(answer.body.size() + 100, '\0');
  }
  answer.endless = lie_ == WebLie::endless;
  return answer;
}

}  // namespace fabric::labserver
