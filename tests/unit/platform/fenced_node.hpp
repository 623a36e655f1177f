// SPDX-License-Identifier: Apache-2.0
// A node for the scripts about locks: its folder is moved into a scratch folder, and its clocks are
// files there once a test has set them.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/remote/perform.hpp"

#include "tests/support/local_shell.hpp"

namespace fabric::platform::test {

struct FencedNode {
  remote::test::Shell shell;
  remote::test::Scratch scratch;
  bool has_clock = false;

  explicit FencedNode(remote::test::Shell given) : shell{std::move(given)} {}

  void clock(std::int64_t uptime, const std::string& boot) {
    has_clock = true;
    remote::test::write_text(scratch.at("uptime"), fmt::format("{}.42 77.10\n", uptime));
    remote::test::write_text(scratch.at("boot_id"), boot + "\n");
  }

  void wall_clock(std::int64_t seconds) const {
    std::filesystem::create_directory(scratch.at("own"));
    const std::string date = scratch.at("own/date");
    remote::test::write_text(date, fmt::format("#!/bin/sh\necho {}\n", seconds));
    std::filesystem::permissions(date, std::filesystem::perms::all);
  }

  remote::CommandOutput run(const remote::Step& step) const {
    remote::Command command = remote::command_for(step);
    for (remote::Word& each : command.argv) {
      std::string word{each};
      move(word, "/var/lib/fabric", scratch.at("lib"));
      if (has_clock) {
        move(word, "/proc/uptime", scratch.at("uptime"));
        move(word, "/proc/sys/kernel/random/boot_id", scratch.at("boot_id"));
      }
      each = word;
    }
    return run_locally(shell, command, scratch);
  }

 private:
  static void move(std::string& word, const std::string& from, const std::string& to) {
    for (std::size_t at = word.find(from); at != std::string::npos; at = word.find(from, at)) {
      word.replace(at, from.size(), to);
      at += to.size();
    }
  }
};

}  // namespace fabric::platform::test
