// SPDX-License-Identifier: Apache-2.0
#include "providers/nvue/copy/simulated_nvue.hpp"

#include <algorithm>

#include "engine/remote/shell.hpp"
#include "providers/linux/copy/simulated_linux.hpp"
#include "providers/nvue/kinds/revision.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"

namespace fabric::rehearse {

namespace {

// The file in which the lab's switch saves its configuration (lab/nvue).
constexpr const char* kSaved = "/etc/nvue.d/startup.commands";

std::vector<std::string> lines_of(const Result<Value>& tree) {
  std::vector<std::string> lines;
  if (!tree) return lines;
  for (const remote::Argv& argv : providers::nvue::set_commands(*tree))
    lines.push_back(remote::command_line(argv));
  return lines;
}

bool has(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

class SimulatedNvue final : public SimulatedPlatform {
 public:
  lab::LabHost copy(
      const NodeSpec& node,
      const NodeFacts& facts,
      const std::vector<Resource>& resources) const override {
    lab::LabHost host = system().copy(node, facts, resources);
    std::string text;
    for (const std::string& line : lines_of(providers::nvue::SwitchFacts{facts}.startup))
      text += line + "\n";
    host.files[kSaved] = std::move(text);
    return host;
  }

  // An applied, unsaved configuration is both on the copy, and the rehearsal says so.
  std::vector<std::string> catching_up(
      const NodeFacts& facts, const NodeFacts& copied) const override {
    std::vector<std::string> commands = system().catching_up(facts, copied);
    const std::vector<std::string> there = lines_of(providers::nvue::SwitchFacts{facts}.applied);
    const std::vector<std::string> copy = lines_of(providers::nvue::SwitchFacts{copied}.applied);
    bool differs = false;
    for (const std::string& line : there) {
      if (has(copy, line)) continue;
      commands.push_back(line);
      differs = true;
    }
    if (differs) commands.emplace_back("nv config apply -y");
    return commands;
  }

  std::optional<SimulatedLock> lock(const lab::Lab& lab, const NodeName& node) const override {
    return system().lock(lab, node);
  }
  bool is_about_lock(const remote::Step& step) const override {
    return system().is_about_lock(step);
  }
  bool is_lock_work(const lab::Work& work) const override { return system().is_lock_work(work); }
  std::optional<std::string> meddled(const remote::step::WriteFile& file) const override {
    return system().meddled(file);
  }
  void write(
      lab::Lab& lab,
      const NodeName& node,
      const std::string& path,
      const std::string& content) const override {
    system().write(lab, node, path, content);
  }
  void edit(lab::Lab& lab, const NodeName& node, const std::string& path, FileEdit::How how)
      const override {
    system().edit(lab, node, path, how);
  }
  bool is_link(lab::Lab& lab, const NodeName& node, const std::string& path) const override {
    return system().is_link(lab, node, path);
  }
  bool may_touch(
      const std::string& path,
      const std::vector<std::string>& touched,
      const std::optional<std::string>& content) const override {
    return system().may_touch(path, touched, content);
  }
  bool may_be_lost(const std::string& path) const override { return system().may_be_lost(path); }
  std::optional<ShownEdit> shown_edit(
      std::string_view kind, const remote::Argv& command) const override {
    return system().shown_edit(kind, command);
  }

 private:
  static const SimulatedPlatform& system() { return simulated_linux(); }
};

}  // namespace

const SimulatedPlatform& simulated_nvue() {
  static const SimulatedNvue platform;
  return platform;
}

}  // namespace fabric::rehearse
