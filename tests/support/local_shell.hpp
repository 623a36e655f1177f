// SPDX-License-Identifier: Apache-2.0
// Runs a produced command with a shell of this machine, as a node's shell would run it.
#pragma once

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
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

// Those shells that this machine has, each once: `sh` is always there, and often another one's
// name. By absolute path: `sh` is put in front of PATH.
inline std::vector<Shell> shells() {
  std::vector<Shell> found;
  const std::filesystem::path sh = std::filesystem::canonical("/bin/sh");
  bool has_sh = false;
  const auto add = [&](const std::string& name, const Argv& options, bool busybox_tools) {
    for (const std::string folder : {"/bin/", "/usr/bin/"}) {
      if (!std::filesystem::exists(folder + name)) continue;
      Argv words{folder + name};
      words.insert(words.end(), options.begin(), options.end());
      found.push_back({name, words, busybox_tools});
      has_sh = has_sh || (!busybox_tools && std::filesystem::canonical(folder + name) == sh);
      return;
    }
  };
  add("dash", {}, false);
  add("bash", {"--posix"}, false);
  add("busybox", {"sh"}, true);
  if (!has_sh) found.push_back({"sh", {"/bin/sh"}, false});
  return found;
}

// A folder with `sh` as that shell and, with BusyBox, its applets in the place of the system's
// tools: made once for all tests of the program. "" if that can't be done.
inline std::string tools_of(const Shell& shell) {
  static std::map<std::string, Scratch> folders;
  const auto [folder, is_new] = folders.try_emplace(shell.name);
  const std::string tools = folder->second.at("tools");
  if (!is_new) return tools;
  std::filesystem::create_directory(tools);
  std::string set_up;
  if (shell.busybox_tools) {
    set_up = std::string{shell.words.front()} + " --install -s " + quote(tools) + " && rm " +
             quote(tools + "/sh") + " && ";
  }
  set_up += "printf '#!/bin/sh\\nexec %s \"$@\"\\n' " + quote(command_line(shell.words)) + " >" +
            quote(tools + "/sh") + " && chmod +x " + quote(tools + "/sh");
  return std::system(set_up.c_str()) == 0 ? tools : std::string{};
}

// The command line goes to the shell as sshd gives it; `sh` inside means that same shell.
// A folder `own` of `scratch` has what stands before all tools.
inline CommandOutput run_locally(
    const Shell& shell, const Command& command, const Scratch& scratch) {
  const std::string tools = tools_of(shell);
  if (tools.empty()) return {126, "", "the tools could not be set up"};
  write_text(scratch.at("stdin"), command.standard_input);
  write_text(scratch.at("line"), command_line(command.argv));
  const std::string line = "PATH=" + quote(scratch.at("own")) + ":" + quote(tools) + ":$PATH " +
                           command_line(shell.words) + " " + quote(scratch.at("line")) + " <" +
                           quote(scratch.at("stdin")) + " >" + quote(scratch.at("stdout")) + " 2>" +
                           quote(scratch.at("stderr"));
  const int status = std::system(line.c_str());
  CommandOutput output;
  output.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  output.standard_output = read_text(scratch.at("stdout"));
  output.standard_error = read_text(scratch.at("stderr"));
  return output;
}

}  // namespace fabric::remote::test
