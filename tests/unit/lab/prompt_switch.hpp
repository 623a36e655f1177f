// SPDX-License-Identifier: Apache-2.0
// PromptSwitch: a switch with a prompt and no shell, as a simulated machine of a platform that is
// not built yet. It is nobody's: no real system is imitated, so that what is tested is the way a
// platform is added.
//
//   LabSpec lab;
//   lab.makers[Platform::mlnx_os] = prompt_switch_maker();
//
// Lines: enable, configure terminal, exit, "set KEY VALUE" (configuration mode), "show KEY", "show
// all" (with a pager until "no pager"), "write", "reload" (asks). Ports: "set port.NAME down". An
// error begins with "%"; there is no exit status. What was not written is gone after a boot.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/lab/lab_spec.hpp"
#include "engine/lab/machine/machine.hpp"

namespace fabric::lab {

class PromptSwitch final : public Machine {
 public:
  using Settings = std::map<std::string, std::string>;

  PromptSwitch(NodeName given, std::uint64_t seed) : Machine{std::move(given), seed} {}

  Settings running, saved;
  std::uint64_t changed = 0;

  std::vector<Card>& cards() override { return no_cards_; }
  const std::vector<Card>& cards() const override { return no_cards_; }
  bool is_switch() const override { return true; }
  std::optional<SwitchPort> switch_port(std::string_view port) const override {
    const auto found = running.find("port." + std::string{port});
    SwitchPort here;
    here.enabled = found == running.end() || found->second != "down";
    here.lldp = LldpSender{
        "00:00:5e:00:53:01",
        name().str(),
        "a switch with a prompt",
        "00:00:5e:00:53:02",
        std::string{port}};
    return here;
  }

  Duration boot_time() const override { return Duration{60'000}; }
  std::uint64_t changes() const override { return changed; }
  std::unique_ptr<SavedState> save() const override {
    auto copy = std::make_unique<Copy>();
    copy->running = running;
    copy->saved = saved;
    return copy;
  }
  void restore(std::unique_ptr<SavedState> copy) override {
    running = static_cast<Copy&>(*copy).running;
    saved = static_cast<Copy&>(*copy).saved;
  }
  std::string state_text() const override {
    return text_of_settings(running) + "saved\n" + text_of_settings(saved);
  }
  std::string identity() const override { return name().str(); }

  void boot(const Network& /*network*/) override {
    start_clock();
    running = saved;
  }
  void order_reboot(const Network& /*network*/) override { shutdown_at = now + Duration{1000}; }
  bool has_prompt() const override { return true; }
  std::unique_ptr<PromptSession> open_prompt(
      const Network& network, std::string_view user) override;

  static std::string text_of_settings(const Settings& settings) {
    std::string text;
    for (const auto& [key, value] : settings)
      text += key + " " + value + "\n";
    return text;
  }

 private:
  struct Copy final : SavedState {
    Settings running, saved;
  };
  std::vector<Card> no_cards_;
};

class PromptSwitchSession final : public PromptSession {
 public:
  PromptSwitchSession(PromptSwitch& machine, const Network& network)
      : machine_{machine}, network_{network} {}

  Shown greet() override { return shown("Mellanox-like switch\r\n" + prompt()); }
  bool ended() const override { return ended_; }

  Shown type(std::string_view keys) override {
    std::string text;
    for (const char key : keys) {
      if (!pages_.empty()) {
        text += "\r\x1b[K" + next_page();
        continue;
      }
      text += key == '\n' ? "\r\n" : std::string(1, key);
      if (key != '\n') {
        line_ += key;
        continue;
      }
      text += answer(std::exchange(line_, ""));
      if (pages_.empty() && !asks_ && !ended_ && !machine_.stopped()) text += prompt();
    }
    return shown(std::move(text));
  }

 private:
  static constexpr std::size_t kPage = 3;  // lines

  Shown shown(std::string text) {
    machine_.now += Duration{10};
    return {std::move(text), Duration{10}};
  }
  std::string prompt() const {
    const std::string mode = mode_ < 2    ? std::string{}
                             : mode_ == 2 ? "(config) "
                                          : fmt::format("(config interface {}) ", interface_);
    return fmt::format("{} {}{} ", machine_.name().str(), mode, mode_ == 0 ? ">" : "#");
  }
  std::string next_page() {
    std::string text;
    for (std::size_t i = 0; i < kPage && !pages_.empty(); ++i) {
      text += pages_.front() + "\r\n";
      pages_.erase(pages_.begin());
    }
    return text + (pages_.empty() ? prompt() : "--More-- ");
  }
  std::string answer(const std::string& line) {
    if (std::exchange(asks_, false)) {
      if (line == "yes") machine_.order_reboot(network_);
      return "";
    }
    const std::vector<std::string_view> words = split_words(line);
    if (words.empty()) return "";
    if (words[0] == "exit") {
      ended_ = mode_ == 0;
      mode_ = mode_ == 0 ? 0 : mode_ - 1;
      return "";
    }
    if (line == "enable" || line == "configure terminal") {
      mode_ = line == "enable" ? 1 : 2;
      return "";
    }
    if (line == "no pager") {
      pager_ = false;
      return "";
    }
    if (words[0] == "show" && words.size() == 2) return show(std::string{words[1]});
    if (mode_ == 2 && words[0] == "set" && words.size() == 3) {
      if (machine_.stopped()) return "";
      machine_.running[std::string{words[1]}] = words[2];
      ++machine_.changed;
      return "";
    }
    if (mode_ == 2 && words[0] == "interface" && words.size() == 2) {
      mode_ = 3;
      interface_ = words[1];
      return "";
    }
    if (mode_ == 3 && words.size() == 2 && words[0] == "mtu") {
      if (machine_.stopped()) return "";
      machine_.running[interface_ + ".mtu"] = words[1];
      ++machine_.changed;
      return "";
    }
    if (mode_ > 0 && line == "write") {
      machine_.saved = machine_.running;
      ++machine_.changed;
      return "";
    }
    if (mode_ > 0 && line == "reload") {
      asks_ = true;
      return "Reload now? [no] ";
    }
    return "% Unrecognized command \"" + line + "\".\r\n";
  }
  std::string show(const std::string& key) {
    if (key != "all") {
      const auto found = machine_.running.find(key);
      return found == machine_.running.end() ? "" : found->second + "\r\n";
    }
    for (const auto& [name, value] : machine_.running)
      pages_.push_back(name + " " + value);
    if (pages_.empty()) return "";
    std::string text;
    if (pager_) {
      text = next_page();
      // next_page() has said what comes after the last one.
      if (pages_.empty()) text.erase(text.size() - prompt().size());
      return text;
    }
    for (const std::string& each : std::exchange(pages_, {}))
      text += each + "\r\n";
    return text;
  }

  PromptSwitch& machine_;
  const Network& network_;
  std::string line_;
  std::vector<std::string> pages_;
  int mode_ = 0;  // 1: enabled, 2: configuration, 3: of one interface
  std::string interface_;
  bool pager_ = true;
  bool asks_ = false;
  bool ended_ = false;
};

inline std::unique_ptr<PromptSession> PromptSwitch::open_prompt(
    const Network& network, std::string_view /*user*/) {
  return std::make_unique<PromptSwitchSession>(*this, network);
}

inline MachineMaker prompt_switch_maker() {
  return [](const NodeSpec& node, const LabHost& /*host*/, std::uint64_t seed) {
    return std::unique_ptr<Machine>{std::make_unique<PromptSwitch>(node.name, seed)};
  };
}

// How remote::step::Converse talks with it.
inline remote::step::Dialect prompt_switch_dialect() {
  remote::step::Dialect dialect;
  dialect.prompts = {" > ", " # "};
  dialect.entry = {"enable", "configure terminal"};
  dialect.leave = {"exit", "exit", "exit"};
  dialect.pauses = {{"--More--", " "}};
  dialect.questions = {{"Reload now?", "yes"}};
  dialect.refusals = {"%"};
  return dialect;
}

}  // namespace fabric::lab
