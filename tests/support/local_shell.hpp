// SPDX-License-Identifier: Apache-2.0
// Runs a produced command with a shell of this machine, as a node's shell would run it.
#pragma once

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "engine/remote/command.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::remote::test {

// A folder of its own, removed with the object.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "fabric-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string at(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string read_text(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream{path, std::ios::binary} << text;
}

struct Shell {
  std::string name;  // "dash"
  Argv words;        // {"busybox", "sh"}
  bool busybox_tools = false;
};

// Those shells that this machine has; `sh` always. By absolute path: `sh` is put in front of PATH.
inline std::vector<Shell> shells() {
  std::vector<Shell> found{{"sh", {"/bin/sh"}}};
  const auto add = [&found](const std::string& name, const Argv& options, bool busybox_tools) {
    for (const std::string folder : {"/bin/", "/usr/bin/"}) {
      if (!std::filesystem::exists(folder + name)) continue;
      Argv words{folder + name};
      words.insert(words.end(), options.begin(), options.end());
      found.push_back({name, words, busybox_tools});
      return;
    }
  };
  add("dash", {}, false);
  add("bash", {"--posix"}, false);
  add("busybox", {"sh"}, true);
  return found;
}

// The command line goes to the shell as sshd gives it; `sh` inside means that same shell, and with
// BusyBox its applets stand in the place of the system's tools.
inline CommandOutput run_locally(
    const Shell& shell, const Command& command, const Scratch& scratch) {
  const std::string tools = scratch.at("tools");
  if (!std::filesystem::exists(tools)) {
    std::filesystem::create_directory(tools);
    std::string set_up;
    if (shell.busybox_tools) {
      set_up = shell.words.front() + " --install -s " + quote(tools) + " && rm " +
               quote(tools + "/sh") + " && ";
    }
    set_up += "printf '#!/bin/sh\\nexec %s \"$@\"\\n' " + quote(command_line(shell.words)) + " >" +
              quote(tools + "/sh") + " && chmod +x " + quote(tools + "/sh");
    if (std::system(set_up.c_str()) != 0) return {126, "", "the tools could not be set up"};
  }
  write_text(scratch.at("stdin"), command.standard_input);
  write_text(scratch.at("line"), command_line(command.argv));
  const std::string line = "PATH=" + quote(tools) + ":$PATH " + command_line(shell.words) + " " +
                           quote(scratch.at("line")) + " <" + quote(scratch.at("stdin")) + " >" +
                           quote(scratch.at("stdout")) + " 2>" + quote(scratch.at("stderr"));
  const int status = std::system(line.c_str());
  CommandOutput output;
  output.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  output.standard_output = read_text(scratch.at("stdout"));
  output.standard_error = read_text(scratch.at("stderr"));
  return output;
}

}  // namespace fabric::remote::test
