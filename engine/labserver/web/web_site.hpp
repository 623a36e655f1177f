// SPDX-License-Identifier: Apache-2.0
// WebSite: the sessions of one simulated machine that answers requests over HTTPS: who is let in,
// and what is said to whoever is not.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "engine/base/secret.hpp"
#include "engine/lab/machine/web_login.hpp"
#include "engine/labserver/web/web_connection.hpp"

namespace fabric::labserver {

// A way in which it is not as it should be: lab.yaml, `hosts.NODE.https`.
enum class WebLie : std::uint8_t { none, expired, login_refused, garbage, endless };
WebLie web_lie(std::string_view text);

class WebSite {
 public:
  WebSite(lab::WebLogin login, Secret password, WebLie lie)
      : login_{std::move(login)}, password_{std::move(password)}, lie_{lie} {}

  // The answer to what is about sessions, or was refused for want of one. nullopt: it is for the
  // machine, from somebody who is in.
  std::optional<WebAnswer> answer(const remote::step::Request& request);
  // What becomes of the machine's own answer.
  WebAnswer told(const remote::Reply& reply) const;
  // A boot ends all sessions.
  void forget() { sessions_.clear(); }

 private:
  WebAnswer let_in(const std::string& body);
  std::string session_of(const remote::step::Request& request) const;

  lab::WebLogin login_;
  Secret password_;
  WebLie lie_;
  std::set<std::string> sessions_;
};

// What nobody guesses: 32 hex digits.
std::string random_word();

}  // namespace fabric::labserver
