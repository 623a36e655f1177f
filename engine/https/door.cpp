// SPDX-License-Identifier: Apache-2.0
#include "engine/https/door.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/https/exchange.hpp"
#include "engine/value/json.hpp"

namespace fabric::https {

namespace {

using remote::Execution;
using remote::Outcome;

// Who goes does not wait long for a switch that does not answer.
constexpr Duration kLogoutPatience{2'000};
constexpr Duration kLoginPatience{15'000};
constexpr int kUnauthorized = 401;

class RequestDoor final : public remote::Door {
 public:
  RequestDoor(Target target, remote::DoorTerms terms, const Clock& clock)
      : target_{std::move(target)},
        terms_{std::move(terms)},
        clock_{clock},
        connection_{target_, terms_, clock} {}
  ~RequestDoor() override { log_out(); }
  RequestDoor(const RequestDoor&) = delete;
  RequestDoor& operator=(const RequestDoor&) = delete;

  Execution perform(const remote::Step& step) override {
    if (const auto* asked = std::get_if<remote::step::Request>(&step))
      return answered(*asked, clock_.now() + asked->timeout);
    const auto* talk = std::get_if<remote::step::Converse>(&step);
    if (talk != nullptr && target_.lines != nullptr) return converse(*talk);
    return {Outcome::failed, {}, remote::unknown_step(terms_.node, step, "HTTPS")};
  }

  std::optional<remote::PeerIdentity> identity() const override {
    if (connection_.fingerprint().empty()) return std::nullopt;
    return remote::PeerIdentity{connection_.fingerprint()};
  }

 private:
  std::string way() const {
    return fmt::format("https://{}@{}:{}", target_.user, target_.host, target_.port);
  }

  // A question is one request for all lines. What changes something is one request a line: the
  // first that is refused is the last.
  Execution converse(const remote::step::Converse& talk) {
    const TimePoint deadline = clock_.now() + talk.timeout;
    if (talk.each_alone) return say(talk, deadline);
    Execution all;
    for (const std::string& line : talk.lines) {
      remote::step::Converse alone = talk;
      alone.lines = {line};
      alone.fresh_session = talk.fresh_session && all.replies.empty();
      Execution one = say(alone, deadline);
      all.output.standard_output += one.output.standard_output;
      std::move(one.replies.begin(), one.replies.end(), std::back_inserter(all.replies));
      const bool goes_on = one.outcome == Outcome::succeeded && one.output.exit_status == 0;
      if (goes_on) continue;
      // Lines before it were done.
      const bool in_part = one.outcome == Outcome::failed && !all.replies.empty();
      all.outcome = in_part ? Outcome::unknown : one.outcome;
      all.output.exit_status = one.output.exit_status;
      all.output.standard_error = std::move(one.output.standard_error);
      all.error = std::move(one.error);
      return all;
    }
    return all;
  }

  Execution say(const remote::step::Converse& talk, TimePoint deadline) {
    Execution execution = answered(target_.lines->request(talk), deadline);
    if (execution.outcome != Outcome::succeeded) return execution;
    const std::string body = std::move(execution.output.standard_output);
    const std::string status = std::move(execution.output.standard_error);
    if (execution.output.exit_status != 0) return no_answer(fmt::format("it answers '{}'", status));
    Result<std::vector<remote::Reply>> replies = target_.lines->replies(talk, body);
    if (!replies) return no_answer(replies.error().message);
    execution = {};
    for (const remote::Reply& reply : *replies) {
      execution.output.standard_output += reply.text;
      if (!reply.refused || execution.output.exit_status != 0) continue;
      execution.output.exit_status = 1;
      execution.output.standard_error = reply.text;
    }
    execution.replies = std::move(replies).value();
    return execution;
  }

  // It was sent, and nobody can tell what came of it.
  Execution no_answer(const std::string& why) const {
    return {
        Outcome::unknown,
        {},
        {ErrorCode::invalid, fmt::format("{}: https: {}", terms_.node.str(), why)}};
  }

  Execution answered(remote::step::Request request, TimePoint deadline) {
    // A session that has ended is told once, and what was refused then was not done.
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (!is_in_) {
        if (std::optional<Error> refused = log_in(deadline, request.fresh_session))
          return {Outcome::failed, {}, std::move(*refused)};
        request.fresh_session = false;  // the login has made the connection anew
      }
      Exchange exchanged = exchange(request, deadline);
      if (exchanged.outcome != Outcome::succeeded) {
        is_in_ = false;
        return {exchanged.outcome, {}, std::move(exchanged.error)};
      }
      const bool ended = exchanged.reply.status == kUnauthorized ||
                         (target_.lines != nullptr && target_.lines->wants_login(exchanged.reply));
      if (ended) {
        is_in_ = false;
        continue;
      }
      return done(std::move(exchanged));
    }
    return {
        Outcome::failed,
        {},
        {ErrorCode::unreachable,
         fmt::format(
             "{}: https: login: it ends the session as soon as it has begun", terms_.node.str())}};
  }

  // Over a connection that has died since a question may be sent again; nothing else may.
  Exchange exchange(remote::step::Request request, TimePoint deadline) {
    Exchange exchanged = connection_.exchange(request, deadline);
    const bool died = exchanged.outcome != Outcome::succeeded && exchanged.was_reused &&
                      exchanged.error.code != ErrorCode::cancelled && clock_.now() < deadline;
    const bool harmless =
        exchanged.outcome == Outcome::failed || !remote::may_change(remote::Step{request});
    if (!died || !harmless || exchanged.error.code == ErrorCode::invalid) return exchanged;
    request.fresh_session = true;
    return connection_.exchange(request, deadline);
  }

  static Execution done(Exchange exchanged) {
    Execution execution;
    const int status = exchanged.reply.status;
    const bool good = status >= 200 && status < 300;
    execution.output = {good ? 0 : 1, exchanged.reply.text, exchanged.status_line};
    execution.replies.push_back(std::move(exchanged.reply));
    return execution;
  }

  std::optional<Error> log_in(TimePoint deadline, bool anew) {
    if (target_.lines == nullptr) return std::nullopt;
    const TimePoint begun = clock_.now();
    std::optional<Error> refused = try_to_log_in(std::min(deadline, begun + kLoginPatience), anew);
    const Duration took = clock_.now() - begun;
    is_in_ = !refused;
    if (refused && terms_.refused) terms_.refused(*refused, took);
    if (!refused && terms_.opened) terms_.opened(way(), took);
    return refused;
  }

  std::optional<Error> try_to_log_in(TimePoint deadline, bool anew) {
    const auto refused = [this](const std::string& why) {
      return Error{
          ErrorCode::unreachable, fmt::format("{}: https: login: {}", terms_.node.str(), why)};
    };
    if (!terms_.password)
      return refused(fmt::format(
          "no password for {}: give it by --ask-password, --credentials or ssh.password",
          target_.user));
    const Result<Secret> password = terms_.password();
    if (!password) return refused(password.error().message);
    const remote::RequestLogin login = target_.lines->login();
    remote::step::Request request;
    request.method = "POST";
    request.path = login.path;
    request.headers = {{"Content-Type", "application/json"}};
    request.fresh_session = anew;
    // Not through a Value: its copies would not be wiped.
    Secret body{fmt::format(
        "{{{}:{},{}:{}}}",
        to_json(login.user),
        to_json(target_.user),
        to_json(login.password),
        to_json(password->reveal()))};
    request.body = body.reveal();
    Exchange exchanged = connection_.exchange(request, deadline);
    request.body.assign(request.body.size(), '\0');
    if (exchanged.outcome != Outcome::succeeded) return std::move(exchanged.error);
    if (exchanged.reply.status < 200 || exchanged.reply.status >= 300)
      return refused(fmt::format("it answers '{}'", exchanged.status_line));
    if (const std::string why = target_.lines->refusal_of_login(exchanged.reply); !why.empty())
      return refused(why);
    if (!connection_.has_cookies()) return refused("it gives no session");
    return std::nullopt;
  }

  // Sessions that nobody ends are kept, until there are too many for anybody (E-onyx-https).
  void log_out() noexcept {
    try {
      if (!is_in_ || target_.lines == nullptr) return;
      const remote::RequestLogin login = target_.lines->login();
      if (login.logout_path.empty()) return;
      remote::step::Request request;
      request.method = "POST";
      request.path = login.logout_path;
      terms_.stop_descriptor = -1;  // that everybody stops is why it goes
      connection_.exchange(request, clock_.now() + kLogoutPatience);
    } catch (...) {  // NOLINT(bugprone-empty-catch): the session ends by itself, later
    }
  }

  Target target_;
  remote::DoorTerms terms_;
  const Clock& clock_;
  Connection connection_;
  bool is_in_ = false;
};

}  // namespace

remote::MakeDoor door_to(Target target, const Clock& clock) {
  prepare_library();
  return [target = std::move(target), &clock](remote::DoorTerms terms) {
    return std::unique_ptr<remote::Door>{
        std::make_unique<RequestDoor>(target, std::move(terms), clock)};
  };
}

}  // namespace fabric::https
