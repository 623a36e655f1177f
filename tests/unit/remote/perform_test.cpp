// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/perform.hpp"

#include <sys/stat.h>

#include "engine/remote/file_digest.hpp"
#include "engine/remote/sh/scripts.hpp"
#include "engine/remote/shell.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/local_shell.hpp"

namespace fabric::remote {
namespace {

using test::read_text;
using test::run_locally;
using test::Scratch;
using test::Shell;

// chown by number: the tests need not run as root.
std::string own_ids() {
  return std::to_string(getuid()) + ":" + std::to_string(getgid());
}

std::uint32_t mode_of(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0U;
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(
      std::filesystem::directory_iterator{folder}, std::filesystem::directory_iterator{}));
}

TEST_CASE("a file is written with its folders, content and mode by every shell", "[remote]") {
  for (const Shell& shell : test::shells()) {
    INFO(shell.name);
    const Scratch scratch;
    const std::string path = scratch.at("a folder/it's deep/10-fabric.conf");
    std::string content = "mtu 9000\n\ttab 'quote' \"double\" $HOME `id` \\n\n";
    content += std::string("\0binary\xff", 8);
    const CommandOutput output =
        run_locally(shell, command_for(step::WriteFile{path, content, 0640, own_ids()}), scratch);
    CHECK(output.standard_error.empty());
    REQUIRE(output.exit_status == 0);
    CHECK(read_text(path) == content);
    CHECK(mode_of(path) == 0640U);
    CHECK(mode_of(scratch.at("a folder")) == 0755U);
    CHECK(files_in(scratch.at("a folder/it's deep")) == 1);
  }
}

TEST_CASE("a step behind a gate does nothing once that is gone, and can be found", "[remote]") {
  for (const Shell& shell : test::shells()) {
    INFO(shell.name);
    const Scratch scratch;
    const std::string gate = scratch.at("it's armed");
    const std::string path = scratch.at("file");
    const std::vector<Step> steps = {
        step::WriteFile{path, "new", 0600, own_ids(), gate},
        step::RemoveFile{path, gate},
        step::Run{
            {{"sh", "-c", "echo FABRIC_GATE=\"$FABRIC_GATE\" >\"$0\"", path}, {}}, false, gate}};
    for (const Step& step : steps) {
      test::write_text(path, "old");
      const CommandOutput late = run_locally(shell, command_for(step), scratch);
      CHECK(late.exit_status == 75);
      CHECK(late.standard_error.find("it came too late") != std::string::npos);
      CHECK(read_text(path) == "old");
    }
    test::write_text(gate, "");
    REQUIRE(run_locally(shell, command_for(steps[0]), scratch).exit_status == 0);
    CHECK(read_text(path) == "new");
    REQUIRE(run_locally(shell, command_for(steps[1]), scratch).exit_status == 0);
    CHECK_FALSE(std::filesystem::exists(path));
    REQUIRE(run_locally(shell, command_for(steps[2]), scratch).exit_status == 0);
    CHECK(read_text(path).find("FABRIC_GATE=" + gate + "\n") != std::string::npos);
  }
}

// "sha256sum <file", and of no file.
std::string digest_of(const Shell& shell, const Scratch& scratch, const std::string& path) {
  const std::string script = std::string{sh::file_digest.text} + "file_digest \"$0\"";
  std::string said =
      run_locally(shell, Command{{"sh", "-c", script, path}, {}}, scratch).standard_output;
  if (said.ends_with('\n')) said.pop_back();
  return said;
}

TEST_CASE("every shell replaces and removes only the file that was read", "[remote]") {
  namespace fs = std::filesystem;
  for (const Shell& shell : test::shells()) {
    INFO(shell.name);
    const Scratch scratch;
    const std::string path = scratch.at("etc/file"), other = scratch.at("etc/other");
    fs::create_directory(scratch.at("etc"));
    test::write_text(path, "theirs\n");
    const std::string digest = digest_of(shell, scratch, path);
    REQUIRE(digest.size() == 64);
    const step::WriteFile write{path, "ours\n", 0600, own_ids(), {}, {}, digest};
    const step::RemoveFile removal{path, {}, {}, digest};
    const auto is_refused = [&](const Step& step) {
      const CommandOutput output = run_locally(shell, command_for(step), scratch);
      return output.exit_status == kFileChanged && says_changed(output) &&
             output.standard_error.starts_with(path + ": ");
    };
    test::write_text(path, "theirs, edited\n");
    CHECK(is_refused(write));
    CHECK(is_refused(removal));
    CHECK(read_text(path) == "theirs, edited\n");
    CHECK(files_in(scratch.at("etc")) == 1);
    // A link to the same bytes is another file.
    test::write_text(other, "theirs\n");
    fs::remove(path);
    fs::create_symlink(other, path);
    CHECK(is_refused(write));
    CHECK(is_refused(removal));
    CHECK(fs::is_symlink(path));
    CHECK(read_text(other) == "theirs\n");
    fs::remove(path);
    CHECK(is_refused(write));
    // Whose answer was lost is sent again.
    test::write_text(path, "theirs\n");
    for (int i = 0; i < 2; ++i) {
      REQUIRE(run_locally(shell, command_for(write), scratch).exit_status == 0);
      CHECK(read_text(path) == "ours\n");
    }
    test::write_text(path, "theirs\n");
    for (int i = 0; i < 2; ++i) {
      REQUIRE(run_locally(shell, command_for(removal), scratch).exit_status == 0);
      CHECK_FALSE(fs::exists(path));
    }
  }
}

TEST_CASE("a link in the place of a file is replaced or removed, never followed", "[remote]") {
  namespace fs = std::filesystem;
  for (const Shell& shell : test::shells()) {
    INFO(shell.name);
    const Scratch scratch;
    const std::string path = scratch.at("file"), other = scratch.at("other");
    test::write_text(other, "theirs");
    fs::create_symlink(other, path);
    const step::WriteFile write{path, "ours", 0600, own_ids()};
    REQUIRE(run_locally(shell, command_for(write), scratch).exit_status == 0);
    CHECK_FALSE(fs::is_symlink(path));
    CHECK(read_text(path) == "ours");
    fs::remove(path);
    fs::create_symlink(other, path);
    REQUIRE(run_locally(shell, command_for(step::RemoveFile{path}), scratch).exit_status == 0);
    CHECK_FALSE(fs::is_symlink(path));
    CHECK(read_text(other) == "theirs");
  }
}

TEST_CASE("an existing file is replaced as a whole, also by an empty one", "[remote]") {
  for (const Shell& shell : test::shells()) {
    INFO(shell.name);
    const Scratch scratch;
    const std::string path = scratch.at("file");
    test::write_text(path, "something longer than the new content");
    for (const std::string content : {"short", ""}) {
      const auto command = command_for(step::WriteFile{path, content, 0600, own_ids()});
      REQUIRE(run_locally(shell, command, scratch).exit_status == 0);
      CHECK(read_text(path) == content);
      CHECK(mode_of(path) == 0600U);
    }
  }
}

TEST_CASE(
    "input that was cut short or is too long replaces nothing and leaves nothing", "[remote]") {
  for (const Shell& shell : test::shells()) {
    for (const std::string arrived : {"", "half of", "all of it and then some more"}) {
      INFO(shell.name << ": " << arrived);
      const Scratch scratch;
      const std::string folder = scratch.at("folder");
      const std::string path = folder + "/file";
      std::filesystem::create_directory(folder);
      test::write_text(path, "as before");
      Command command = command_for(step::WriteFile{path, "all of it", 0644, own_ids()});
      command.standard_input = arrived;
      const CommandOutput output = run_locally(shell, command, scratch);
      CHECK(output.exit_status == 1);
      CHECK(output.standard_error.find("expected 9 bytes, got") != std::string::npos);
      CHECK(read_text(path) == "as before");
      CHECK(files_in(folder) == 1);
    }
  }
}

TEST_CASE("a copy replaces a file only by what has its digest", "[remote]") {
  // Of "test".
  const std::string digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
  for (const Shell& shell : test::shells()) {
    INFO(shell.name);
    const Scratch scratch;
    const std::string folder = scratch.at("folder");
    const step::CopyFile copy{"image", digest, 4, folder + "/file", 0600, own_ids()};
    const CommandOutput changed = run_locally(shell, command_for(copy, "tent"), scratch);
    CHECK(changed.exit_status == 1);
    CHECK(changed.standard_error.find("expected sha256 " + digest) != std::string::npos);
    CHECK(run_locally(shell, command_for(copy, "tes"), scratch).exit_status == 1);
    CHECK(files_in(folder) == 0);
    const CommandOutput copied = run_locally(shell, command_for(copy, "test"), scratch);
    CHECK(copied.standard_error.empty());
    CHECK(copied.exit_status == 0);
    CHECK(read_text(copy.path) == "test");
    CHECK(mode_of(copy.path) == 0600U);
    CHECK(files_in(folder) == 1);
  }
}

TEST_CASE(
    "a file is never written into a folder of its name or with an unknown owner", "[remote]") {
  for (const Shell& shell : test::shells()) {
    INFO(shell.name);
    const Scratch scratch;
    std::filesystem::create_directory(scratch.at("folder"));
    const auto into = command_for(step::WriteFile{scratch.at("folder"), "x", 0644, own_ids()});
    const CommandOutput refused = run_locally(shell, into, scratch);
    CHECK(refused.exit_status == 1);
    CHECK(refused.standard_error.find("is a folder") != std::string::npos);
    CHECK(files_in(scratch.at("folder")) == 0);

    const std::string path = scratch.at("folder/file");
    const auto owned = command_for(step::WriteFile{path, "x", 0644, "no-such-user:no-such-group"});
    CHECK(run_locally(shell, owned, scratch).exit_status == 1);
    CHECK(files_in(scratch.at("folder")) == 0);
  }
}

TEST_CASE("removing a file succeeds whether or not it or its folder is there", "[remote]") {
  for (const Shell& shell : test::shells()) {
    INFO(shell.name);
    const Scratch scratch;
    const std::string path = scratch.at("a file");
    test::write_text(path, "x");
    const Command remove = command_for(step::RemoveFile{path});
    for (int time = 0; time < 2; ++time) {
      CHECK(run_locally(shell, remove, scratch).exit_status == 0);
      CHECK_FALSE(std::filesystem::exists(path));
    }
    const Command nowhere = command_for(step::RemoveFile{scratch.at("none/file")});
    CHECK(run_locally(shell, nowhere, scratch).exit_status == 0);
    CHECK_FALSE(std::filesystem::exists(scratch.at("none")));
  }
}

TEST_CASE("a run step is its own command, and sudo never asks", "[remote]") {
  const Command command{{"networkctl", "reload"}, "input", Duration{5000}};
  CHECK(command_for(step::Run{command}) == command);
  const Command elevated = with_sudo(command);
  CHECK(elevated.argv == Argv{"sudo", "-n", "--", "networkctl", "reload"});
  CHECK(elevated.standard_input == "input");
  CHECK(elevated.timeout == Duration{5000});
}

TEST_CASE("a quoted word reaches the program as it was", "[remote]") {
  for (const Shell& shell : test::shells()) {
    const Scratch scratch;
    for (const std::string word :
         {"",
          "plain",
          "two words",
          "it's",
          "$HOME `id` \\ \"",
          "*?[a]",
          "line\nbreak",
          "~",
          "#x"}) {
      INFO(shell.name << ": " << word);
      const CommandOutput output = run_locally(shell, Command{{"printf", "%s", word}, ""}, scratch);
      CHECK(output.standard_output == word);
    }
  }
}

}  // namespace
}  // namespace fabric::remote
