// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/terminal/secret_input.hpp"

#include <cerrno>
#include <string>

#include <termios.h>
#include <unistd.h>

#include "engine/cli/terminal/output.hpp"

namespace fabric::cli {

namespace {

constexpr std::size_t kLongest = 4096;
constexpr char kInterrupt = 3;  // Ctrl-C
constexpr char kEndOfInput = 4;

// Shows nothing and makes no signals: a signal would leave the terminal as it is now.
class Silence {
 public:
  Silence() {
    has_terminal_ = tcgetattr(STDIN_FILENO, &before_) == 0;
    if (!has_terminal_) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ISIG | ICANON);
    silent.c_iflag |= ICRNL;
    silent.c_cc[VMIN] = 1;
    silent.c_cc[VTIME] = 0;
    has_terminal_ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0;
  }
  ~Silence() {
    if (has_terminal_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

  bool has_terminal() const { return has_terminal_; }
  // The characters by which the user's terminal erases a character and the line.
  bool is_erase(char c) const { return static_cast<cc_t>(c) == before_.c_cc[VERASE] || c == '\b'; }
  bool is_kill(char c) const { return static_cast<cc_t>(c) == before_.c_cc[VKILL]; }

 private:
  termios before_{};
  bool has_terminal_ = false;
};

Result<Secret> read_line(const Silence& silence) {
  std::string line;
  line.reserve(kLongest);  // it never moves, so nothing of it is left behind
  const auto cancelled = [&] {
    const Secret wiped{std::move(line)};
    return Error{ErrorCode::cancelled, "no password was given"};
  };
  while (true) {
    char c = 0;
    const ssize_t got = read(STDIN_FILENO, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || c == kInterrupt || c == kEndOfInput) return cancelled();
    if (c == '\n') return Secret{std::move(line)};
    if (silence.is_kill(c)) {
      line.clear();
    } else if (silence.is_erase(c)) {
      if (!line.empty()) line.pop_back();
    } else if (line.size() < kLongest) {
      line.push_back(c);
    }
  }
}

}  // namespace

Result<Secret> ask_secret(const report::Text& question) {
  const Silence silence;
  if (!silence.has_terminal()) {
    return Error{ErrorCode::invalid, "a password needs a terminal or --credentials FILE"};
  }
  write(Stream::standard_error, question);
  Result<Secret> answer = read_line(silence);
  write(Stream::standard_error, "\n");
  return answer;
}

}  // namespace fabric::cli
