// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/copy/simulated_linux.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <variant>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/remote/shell.hpp"
#include "providers/linux/copy/copy_host.hpp"
#include "providers/linux/machine/node_lock.hpp"

namespace fabric::rehearse {

namespace {

// What package managers and boot loaders keep is theirs, and changes with what we ask them for.
bool is_kept_by_tools(const std::string& path) {
  constexpr std::array<std::string_view, 5> kTheirs{
      "/var/lib/dpkg/", "/var/lib/apt/", "/boot/", "/usr/", "/var/log/"};
  return std::any_of(kTheirs.begin(), kTheirs.end(), [&path](std::string_view folder) {
    return path.starts_with(folder);
  });
}

// A file of ours by its name, or the folder that one of them needs.
bool is_ours(const std::string& path, const std::vector<std::string>& touched) {
  constexpr std::string_view kMark = "fabric";
  if (path.find(kMark) != std::string::npos) return true;
  // What is rolled back leaves the folder of its drop-in, which says nothing without it.
  if (path.ends_with(".service.d")) return true;
  return std::any_of(touched.begin(), touched.end(), [&](const std::string& other) {
    return other.starts_with(path + "/") && other.find(kMark, path.size()) != std::string::npos;
  });
}

// Initscripts go by the name of the interface, and only the marker tells whose file it is. One that
// is gone was there for the run alone, or is one of ours that left.
bool is_our_script(const std::string& path, const std::optional<std::string>& content) {
  constexpr std::array<std::string_view, 3> kScripts{"/ifcfg-", "/route-", "/route6-"};
  const bool is_script =
      path.find("/network-scripts/") != std::string::npos &&
      std::any_of(kScripts.begin(), kScripts.end(), [&path](std::string_view prefix) {
        return path.find(prefix) != std::string::npos;
      });
  return is_script && (!content || content->starts_with("# managed by fabric"));
}

class SimulatedLinux final : public SimulatedPlatform {
 public:
  lab::LabHost copy(
      const NodeSpec& node,
      const NodeFacts& facts,
      const std::vector<Resource>& resources) const override {
    return copy_host(node, facts, resources);
  }

  std::vector<std::string> catching_up(
      const NodeFacts& facts, const NodeFacts& copied) const override {
    return rehearse::catching_up(facts, copied);
  }

  std::optional<SimulatedLock> lock(const lab::Lab& lab, const NodeName& node) const override {
    const std::optional<std::string> text = lab.read_file(node, platform::kLockFile);
    if (!text) return std::nullopt;
    SimulatedLock lock{*text, "unknown", Duration{0}};
    for (const std::string_view line : split_lines(lock.text)) {
      const auto words = split_words(line);
      if (words.size() != 2) continue;
      if (words[0] == "run") lock.run = words[1];
      if (words[0] == "length")
        lock.length = std::chrono::seconds{parse_integer(words[1]).value_or(0)};
    }
    return lock;
  }

  bool is_about_lock(const remote::Step& step) const override {
    constexpr std::size_t kName = 3;
    const auto* run = std::get_if<remote::step::Run>(&step);
    return run != nullptr && run->command.argv.size() > kName &&
           run->command.argv[kName] == "fabric-lock";
  }

  bool is_lock_work(const lab::Work& work) const override {
    const auto* command = std::get_if<lab::CommandLine>(&work);
    return command != nullptr && command->line.find("' fabric-lock ") != std::string::npos;
  }

  std::optional<std::string> meddled(const remote::step::WriteFile& file) const override {
    constexpr std::string_view kKeys[] = {"MTUBytes=", "mtu "};
    for (const std::string_view key : kKeys) {
      const std::size_t at = file.content.rfind(key);
      if (at == std::string::npos) continue;
      const std::size_t begin = at + key.size();
      const std::size_t end =
          std::min(file.content.find_first_not_of("0123456789", begin), file.content.size());
      if (end == begin) continue;
      std::string content = file.content;
      return content.replace(begin, end - begin, "4242");
    }
    return std::nullopt;
  }

  void write(
      lab::Lab& lab,
      const NodeName& node,
      const std::string& path,
      const std::string& content) const override {
    lab.change(node, "cat >" + remote::quote(path) + "; sync", content);
  }

  void edit(lab::Lab& lab, const NodeName& node, const std::string& path, FileEdit::How how)
      const override {
    using How = FileEdit::How;
    const std::string file = remote::quote(path);
    const std::string elsewhere = remote::quote("/var/log/somebody-else" + path);
    std::string line;
    if (how == How::edited) line = "echo '# by somebody else' >>" + file;
    if (how == How::removed) line = "rm -f " + file;
    if (how == How::truncated) line = ": >" + file;
    if (how == How::linked) {
      line = "mkdir -p \"$(dirname " + elsewhere + ")\" && mv " + file + " " + elsewhere +
             " && ln -s " + elsewhere + " " + file;
    }
    lab.change(node, line + "; sync", "");
  }

  bool is_link(lab::Lab& lab, const NodeName& node, const std::string& path) const override {
    return lab.look(node, "[ -L " + remote::quote(path) + " ]", "").exit_status == 0;
  }

  bool may_touch(
      const std::string& path,
      const std::vector<std::string>& touched,
      const std::optional<std::string>& content) const override {
    return is_ours(path, touched) || is_kept_by_tools(path) || is_our_script(path, content);
  }

  bool may_be_lost(const std::string& path) const override {
    return path.starts_with("/var/log/") || path == "/var/cache" || path.starts_with("/var/cache/");
  }

  // A file, its digest, and what is to go, behind "sh -c SCRIPT NAME".
  std::optional<ShownEdit> shown_edit(
      std::string_view kind, const remote::Argv& command) const override {
    constexpr std::size_t kFirst = 4;
    if (command.size() <= kFirst + 3) return std::nullopt;
    const std::string& first = command[kFirst];
    if (kind == methods::kNetworkAdopt) {
      const std::string& path = command[kFirst + 1];
      ShownEdit edit{path, command[kFirst + 3], {}, {}};
      if (command[kFirst + 2] == "whole")
        edit.kept_as = {first + "/whole" + path, first + "/later" + path};
      return edit;
    }
    if (!first.starts_with('/')) return std::nullopt;
    ShownEdit edit{first, command[kFirst + 1], {}, {}};
    for (std::size_t at = kFirst + 3; at < command.size(); ++at) {
      for (const std::string_view line : split_lines(command[at]))
        edit.lines.emplace_back(line);
    }
    return edit;
  }
};

}  // namespace

const SimulatedPlatform& simulated_linux() {
  static const SimulatedLinux platform;
  return platform;
}

}  // namespace fabric::rehearse
