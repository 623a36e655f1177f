// SPDX-License-Identifier: Apache-2.0
#include "providers/mlnx_os/lab/prompt.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::lab::mlnxos {

namespace {

constexpr std::size_t kRows = 24;
constexpr Duration kLineTakes{30};

class Session final : public PromptSession {
 public:
  Session(MlnxosMachine& machine, const Network& network) : machine_{machine}, network_{network} {}

  // The wizard: E-onyx-login.
  Shown greet() override {
    std::string text = "\x1b[?1h\x1b=\r\nMellanox Onyx Switch Management\r\n\r\n";
    asks_ = !machine_.wizard_answered;
    text += asks_ ? std::string{"Mellanox configuration wizard\r\n\r\nDo you want to use the wizard "
                                "for initial configuration? "}
                  : prompt();
    return shown(std::move(text));
  }

  Shown type(std::string_view keys) override {
    std::string text;
    for (const char key : keys) {
      if (ended_ || machine_.stopped()) break;
      if (!rest_.empty()) {
        text += "\r\x1b[K" + next_page();
        continue;
      }
      if (key != '\n') {
        text += key;
        line_ += key;
        continue;
      }
      text += "\r\n";
      text += begin_answer(answer(std::exchange(line_, "")));
    }
    return shown(std::move(text));
  }

  bool ended() const override { return ended_; }

 private:
  Shown shown(std::string text) {
    machine_.now += kLineTakes;
    return {std::move(text), kLineTakes};
  }

  std::string prompt() const {
    std::string text = fmt::format("\x1b[0m{} [standalone: master] ", machine_.name().str());
    if (mode_ == 2) text += place_.empty() ? "(config) " : fmt::format("(config {}) ", place_);
    return text + (mode_ == 0 ? "> " : "# ");
  }

  std::string begin_answer(const std::string& text) {
    rest_.clear();
    page_ = 0;
    if (ended_ || machine_.stopped()) return text;
    for (const std::string_view line : split_lines(std::string_view{text}))
      rest_.emplace_back(line);
    all_ = rest_.size();
    return pages_ && all_ > rows_ ? next_page() : whole();
  }

  std::string whole() {
    std::string text;
    for (const std::string& line : std::exchange(rest_, {}))
      text += line + "\r\n";
    return text + prompt();
  }

  // "lines 1-24 ", and at the last page "lines 25-40/40 (END) " (E-onyx-pager).
  std::string next_page() {
    if (page_ == all_) {
      rest_.clear();
      return prompt();
    }
    std::string text;
    const std::size_t first = page_ + 1;
    for (std::size_t row = 0; row < rows_ && page_ < all_; ++row)
      text += rest_[page_++] + "\r\n";
    return text + (page_ < all_ ? fmt::format("lines {}-{} ", first, page_)
                                : fmt::format("lines {}-{}/{} (END) ", first, page_, all_));
  }

  // E-onyx-exec, E-onyx-login, E-onyx-pager
  std::string answer(const std::string& line) {
    if (asks_) {
      if (line != "no" && line != "n") return "";
      asks_ = false;
      machine_.wizard_answered = true;
      return "\nTo return to the wizard from the CLI, enter the \"configuration jump-start\"\n"
             "command from configure mode.  Launching CLI...\n\n";
    }
    std::vector<std::string> words;
    for (const std::string_view word : split_words(line))
      words.emplace_back(word);
    if (words.empty()) return "";
    if (words[0] == "exit") return leave();
    if (line == "no cli session paging enable") {
      pages_ = false;
      return "";
    }
    if (words[0] == "terminal" && words.size() == 3 && words[1] == "length")
      return set_length(words[2]);
    if (line == "enable") {
      mode_ = std::max(mode_, 1);
      return "";
    }
    if (words[0] == "show") {
      bool known = false;
      std::string text = show(machine_, network_, words, mode_ > 0, known);
      return known ? text : unrecognized(words.size() > 1 ? words[1] : words[0]);
    }
    if (mode_ == 0) return unrecognized(words[0]);
    if (line == "configure terminal") {
      mode_ = 2;
      return "";
    }
    if (line == "configuration write" || line == "write memory") {
      machine_.saved = machine_.running;
      ++machine_.changed;
      return "";
    }
    if (line == "reload noconfirm") {
      machine_.order_reboot(network_);
      ended_ = true;
      return "";
    }
    return mode_ == 2 ? in_configuration(std::move(words)) : unrecognized(words[0]);
  }

  // E-onyx-pager
  std::string set_length(const std::string& word) {
    const auto rows = parse_integer(word);
    if (!rows || *rows < 5 || *rows > 999) return "% Value must be from 5 to 999\n";
    rows_ = static_cast<std::size_t>(*rows);
    return "";
  }

  std::string leave() {
    if (!place_.empty()) {
      place_.clear();
    } else if (mode_ == 0) {
      ended_ = true;
    } else {
      // There is no way back from enable to user mode but the end of the session.
      ended_ = mode_ == 1;
      mode_ = 1;
    }
    return "";
  }

  std::string in_configuration(std::vector<std::string> words) {
    // E-onyx-modes
    constexpr std::size_t kInterface = 3, kVlan = 2;
    if ((words[0] == "interface" && words.size() == kInterface) ||
        (words[0] == "vlan" && words.size() == kVlan && place_.empty())) {
      std::string said = configure(machine_, words);
      if (said.empty()) place_ = join(words, " ");
      return said;
    }
    if (!place_.empty() && words[0] != "interface") {
      std::vector<std::string> whole;
      const bool no = words[0] == "no";
      if (no) whole.emplace_back("no");
      for (const std::string_view word : split_words(std::string_view{place_}))
        whole.emplace_back(word);
      whole.insert(whole.end(), words.begin() + (no ? 1 : 0), words.end());
      words = std::move(whole);
    }
    return configure(machine_, words);
  }

  MlnxosMachine& machine_;
  const Network& network_;
  std::string line_, place_;
  std::vector<std::string> rest_;
  std::size_t page_ = 0, all_ = 0, rows_ = kRows;
  int mode_ = 0;  // 1: enabled, 2: configuration
  bool pages_ = true;
  bool asks_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<PromptSession> open_prompt(MlnxosMachine& machine, const Network& network) {
  return std::make_unique<Session>(machine, network);
}

}  // namespace fabric::lab::mlnxos
