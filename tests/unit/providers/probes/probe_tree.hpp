// SPDX-License-Identifier: Apache-2.0
// A small copy of a node's file tree, in which real shells run the probes.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "providers/builtin.hpp"
#include "providers/posix/machine/probe_script.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers::test {

inline void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// A node in a folder: absolute paths of the probes lead into it, and out of it again in what they
// print.
class Tree {
 public:
  // What a probe reads of other folders is this machine's.
  static constexpr const char* kFolders[] = {
      "/sys/bus/",
      "/sys/class/",
      "/sys/module/",
      "/proc/",
      "/etc/",
      "/run/",
      "/var/",
      "/usr/lib/",
      "/boot/"};

  // What stands before the script: variables of the login.
  std::string login;
  // Where its programs are besides those of program().
  std::string folders = "/usr/sbin:/sbin:/usr/bin:/bin";

  std::string at(const std::string& path) const { return scratch_.at("root") + path; }
  void file(const std::string& path, const std::string& content) {
    const std::filesystem::path full = scratch_.at("root") + path;
    std::filesystem::create_directories(full.parent_path());
    remote::test::write_text(full.string(), content);
  }
  void program(const std::string& name, const std::string& script) {
    const std::string path = scratch_.at("bin/" + name);
    std::filesystem::create_directories(scratch_.at("bin"));
    remote::test::write_text(path, "#!/bin/sh\n" + script);
    std::filesystem::permissions(path, std::filesystem::perms::all);
  }
  NodeFacts run(const remote::test::Shell& shell) const {
    Registry registry;
    add_builtin_providers(registry);
    NodeFacts facts{*NodeName::parse("pve1"), {}, {}, {}, {}};
    for (const Probe& probe : registry.probes(Platform::linux)) {
      const std::string script = in_tree(probe.script);
      const auto output = run_locally(shell, {{"sh", "-s"}, script}, scratch_);
      facts.probes[probe.id] = {
          probe.script,
          output.exit_status,
          out_of_tree(output.standard_output),
          output.standard_error};
    }
    return facts;
  }

  // One script of all, as a node runs it.
  remote::CommandOutput run_at_once(
      const remote::test::Shell& shell,
      std::span<const Probe> probes,
      std::string_view nonce) const {
    remote::Command command = platform::probe_command(probes, nonce, Duration{60'000}, folders);
    command.standard_input = login + in_tree(command.standard_input);
    remote::CommandOutput output = run_locally(shell, command, scratch_);
    output.standard_output = out_of_tree(std::move(output.standard_output));
    output.standard_error = out_of_tree(std::move(output.standard_error));
    return output;
  }

 private:
  std::string in_tree(std::string script) const {
    for (const char* folder : kFolders)
      replace_all(script, folder, scratch_.at("root") + folder);
    return "PATH=" + scratch_.at("bin") + ":$PATH\n" + script;
  }
  std::string out_of_tree(std::string text) const {
    replace_all(text, scratch_.at("root"), "");
    return text;
  }

  remote::test::Scratch scratch_;
};

}  // namespace fabric::providers::test
