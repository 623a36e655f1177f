#include "engine/lab/conversation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::lab {
namespace {

// Pages of one answer, and questions: more would be a machine that never comes to an end.
constexpr int kKeysOfAnswer = 1000;

// Without carriage returns and escape sequences ("\x1b[...m").
std::string plain(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') continue;
    if (text[i] != '\x1b') {
      result += text[i];
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '[') ++i;
    while (i + 1 < text.size() && (text[i + 1] < '@' || text[i + 1] > '~'))
      ++i;
    ++i;
  }
  return result;
}

std::string_view last_line(std::string_view text) {
  const std::size_t end = text.rfind('\n');
  return end == std::string_view::npos ? text : text.substr(end + 1);
}

class Conversation {
 public:
  Conversation(Machine& machine, PromptSession& session, const remote::step::Dialect& dialect)
      : machine_{machine}, session_{session}, dialect_{dialect} {}

  bool greeted() {
    std::string ignored;
    return settle(session_.greet(), ignored);
  }

  // False: no prompt came back. The answer is without echo and prompt.
  bool say(const std::string& line, std::string& answer) {
    answer.clear();
    if (!settle(session_.type(line + "\n"), answer)) return false;
    if (answer.starts_with(line + "\n")) answer.erase(0, line.size() + 1);
    return true;
  }

  bool is_refusal(std::string_view answer) const {
    const std::vector<std::string_view> lines = split_lines(answer);
    return std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
      return std::any_of(
          dialect_.refusals.begin(), dialect_.refusals.end(), [&](const std::string& refusal) {
            return line.starts_with(refusal);
          });
    });
  }

  Duration took() const { return took_; }

 private:
  // Until the prompt stands there: pages on and answers questions.
  bool settle(PromptSession::Shown shown, std::string& answer) {
    for (int keys = 0; keys < kKeysOfAnswer; ++keys) {
      took_ += shown.took;
      answer += plain(shown.text);
      if (session_.ended() || machine_.stopped()) return false;
      const std::string line{last_line(answer)};
      const std::optional<std::string> key = key_for(line);
      if (!key) {
        if (!is_prompt(line)) return false;
        answer.erase(answer.size() - line.size());
        return true;
      }
      if (key->back() != '\n') answer.erase(answer.size() - line.size());
      shown = session_.type(*key);
    }
    return false;
  }

  bool is_prompt(std::string_view line) const {
    return std::any_of(
        dialect_.prompts.begin(), dialect_.prompts.end(), [&](const std::string& prompt) {
          return line.ends_with(prompt);
        });
  }

  // What the machine waits for, if the line is no prompt.
  std::optional<std::string> key_for(std::string_view line) const {
    for (const auto& [start, key] : dialect_.pauses) {
      if (!start.empty() && !key.empty() && line.starts_with(start)) return key;
    }
    for (const auto& [part, reply] : dialect_.questions) {
      if (!part.empty() && line.find(part) != std::string_view::npos) return reply + "\n";
    }
    return std::nullopt;
  }

  Machine& machine_;
  PromptSession& session_;
  const remote::step::Dialect& dialect_;
  Duration took_{0};
};

// False: no prompt came back.
bool go_through(
    Conversation& conversation, const remote::step::Converse& talk, ExecResult& result) {
  std::string answer;
  if (!conversation.greeted()) return false;
  for (const std::string& line : talk.dialect.preparation) {
    if (!conversation.say(line, answer)) return false;
  }
  bool refused = false;
  const auto all = [&](const std::vector<std::string>& lines, bool counted) {
    for (const std::string& line : lines) {
      if (refused) break;
      if (!conversation.say(line, answer)) return false;
      refused = conversation.is_refusal(answer);
      if (refused) result.standard_error = answer;
      if (!counted) continue;
      result.standard_output += answer;
      result.replies.push_back({answer, 0, refused});
    }
    return true;
  };
  if (!all(talk.dialect.entry, false) || !all(talk.lines, true)) return false;
  result.exit_status = refused ? 1 : 0;
  for (const std::string& line : talk.dialect.leave) {
    if (!conversation.say(line, answer)) break;  // logged out
  }
  return true;
}

}  // namespace

ExecResult converse(
    Machine& machine,
    const Network& network,
    std::string_view user,
    const remote::step::Converse& talk) {
  ExecResult result;
  const std::unique_ptr<PromptSession> session = machine.open_prompt(network, user);
  if (session == nullptr) {
    result.not_run = Error{
        ErrorCode::invalid, fmt::format("{}: the machine has no prompt", machine.name().str())};
    return result;
  }
  Conversation conversation{machine, *session, talk.dialect};
  if (!go_through(conversation, talk, result)) result.delivery = Delivery::stall;
  result.took = conversation.took();
  return result;
}

}  // namespace fabric::lab
