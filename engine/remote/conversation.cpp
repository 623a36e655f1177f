// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/conversation.hpp"

#include <algorithm>

#include "engine/base/text.hpp"

namespace fabric::remote {

namespace {

// Pages of one answer, and questions: more would be a machine that never comes to an end.
constexpr int kKeysOfAnswer = 1000;

std::string_view last_line(std::string_view text) {
  const std::size_t end = text.rfind('\n');
  return end == std::string_view::npos ? text : text.substr(end + 1);
}

bool is_prompt(const step::Dialect& dialect, std::string_view line) {
  return std::ranges::any_of(
      dialect.prompts, [line](const std::string& prompt) { return line.ends_with(prompt); });
}

// The key or answer that the machine waits for, if the line is no prompt.
std::optional<std::string> key_for(const step::Dialect& dialect, std::string_view line) {
  for (const auto& [start, key] : dialect.pauses) {
    if (!start.empty() && !key.empty() && line.starts_with(start)) return key;
  }
  for (const auto& [part, reply] : dialect.questions) {
    if (!part.empty() && line.find(part) != std::string_view::npos) return reply + "\n";
  }
  return std::nullopt;
}

bool is_refusal(const step::Dialect& dialect, std::string_view answer) {
  const std::vector<std::string_view> lines = split_lines(answer);
  return std::ranges::any_of(lines, [&](std::string_view line) {
    return std::ranges::any_of(
        dialect.refusals, [&](const std::string& refusal) { return line.starts_with(refusal); });
  });
}

class Talk {
 public:
  Talk(const step::Converse& talk, const Terminal& terminal) : talk_{talk}, terminal_{terminal} {}

  Conversation hold() {
    result_.complete = go_through();
    return std::move(result_);
  }

 private:
  bool go_through() {
    const step::Dialect& dialect = talk_.dialect;
    std::string answer;
    if (!settle("", answer)) return false;
    for (const std::string& line : dialect.preparation) {
      if (!say(line, answer)) return false;
    }
    if (!enter() || !say_lines()) return false;
    result_.output.exit_status = refused_ ? 1 : 0;
    for (const std::string& line : dialect.leave) {
      if (!say(line, answer)) break;  // logged out
    }
    return true;
  }

  bool enter() {
    std::string answer;
    for (const std::string& line : talk_.dialect.entry) {
      if (refused_) break;
      if (!say(line, answer)) return false;
      note_refusal(answer);
    }
    barred_ = refused_;
    return true;
  }

  bool say_lines() {
    std::string answer;
    for (const std::string& line : talk_.lines) {
      if (barred_ || (refused_ && !talk_.each_alone)) break;
      result_.begun = true;
      if (!say(line, answer)) return false;
      const bool refused = note_refusal(answer);
      result_.output.standard_output += answer;
      result_.replies.push_back({answer, refused});
    }
    return true;
  }

  bool note_refusal(const std::string& answer) {
    if (!is_refusal(talk_.dialect, answer)) return false;
    if (!refused_) result_.output.standard_error = answer;
    refused_ = true;
    return true;
  }

  std::string with_own_name(const std::string& line) const {
    const std::string& stands_for_it = talk_.dialect.own_name;
    const std::size_t at = stands_for_it.empty() ? std::string::npos : line.find(stands_for_it);
    if (at == std::string::npos) return line;
    return line.substr(0, at) + prompt_.substr(0, prompt_.find(' ')) +
           line.substr(at + stands_for_it.size());
  }

  // False: no prompt came back. The answer is without echo and prompt.
  bool say(const std::string& written, std::string& answer) {
    const std::string line = with_own_name(written);
    answer.clear();
    if (!settle(line + "\n", answer)) return false;
    if (answer.starts_with(line + "\n")) answer.erase(0, line.size() + 1);
    return true;
  }

  // Until the prompt stands there: pages on and answers questions.
  bool settle(std::string keys, std::string& answer) {
    for (int count = 0; count < kKeysOfAnswer; ++count) {
      const std::optional<std::string> shown = terminal_(keys);
      if (!shown) return false;
      answer += plain_text(*shown);
      const std::string line{last_line(answer)};
      const std::optional<std::string> key = key_for(talk_.dialect, line);
      if (!key) {
        if (!is_prompt(talk_.dialect, line)) return false;
        answer.erase(answer.size() - line.size());
        prompt_ = line;
        return true;
      }
      if (key->back() != '\n') answer.erase(answer.size() - line.size());
      keys = *key;
    }
    return false;
  }

  const step::Converse& talk_;
  const Terminal& terminal_;
  Conversation result_;
  std::string prompt_;  // the last one
  bool refused_ = false;
  bool barred_ = false;  // the mode that the lines need was refused
};

}  // namespace

std::string plain_text(std::string_view shown) {
  std::string text;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    if (c == '\r' || c == '\a') continue;
    if (c == '\b') {
      if (!text.empty() && text.back() != '\n') text.pop_back();
      continue;
    }
    if (c != '\x1b') {
      text += c;
      continue;
    }
    // "\x1b[...m" up to its letter, "\x1b=" with its sign.
    if (i + 1 < shown.size() && shown[i + 1] == '[') {
      ++i;
      while (i + 1 < shown.size() && (shown[i + 1] < '@' || shown[i + 1] > '~'))
        ++i;
    }
    ++i;
  }
  return text;
}

Waits waits(const step::Dialect& dialect, std::string_view plain) {
  const std::string_view line = last_line(plain);
  if (key_for(dialect, line)) return Waits::for_key;
  return is_prompt(dialect, line) ? Waits::at_prompt : Waits::no;
}

Conversation converse(const step::Converse& talk, const Terminal& terminal) {
  return Talk{talk, terminal}.hold();
}

}  // namespace fabric::remote
