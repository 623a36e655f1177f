// SPDX-License-Identifier: Apache-2.0
// The scripts by which what somebody else configured is kept, commented out and given back, under
// every shell of this machine.
#include "engine/base/text.hpp"
#include "engine/provider/file_digests.hpp"
#include "engine/remote/file_digest.hpp"
#include "providers/linux/kinds/interface/adoption.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

#include "tests/support/local_shell.hpp"
#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

namespace fs = std::filesystem;
using remote::test::read_text;
using remote::test::run_locally;
using remote::test::Scratch;
using remote::test::Shell;
using remote::test::shells;
using remote::test::write_text;

constexpr std::size_t kFolder = 4, kGiven = 6;

const std::string kMark = "#adopted by fabric cx5.1# ";
const std::string kBefore = "auto eth0\niface eth0 inet dhcp\n\n";
const std::string kStanza = "iface eth1 inet static\n  address 10.1.1.1/24\n  wpa-psk secret\n";
const std::string kMarked = kMark + "iface eth1 inet static\n" + kMark + "  address 10.1.1.1/24\n" +
                            kMark + "  wpa-psk secret\n";
// Without an end of its last line, and with a name that is longer.
const std::string kAfter = "iface eth10 inet static\n  address 10.1.1.1/24";

LinkTarget target() {
  const Resource port = test::resource("pve1/interface/cx5.1", {}, {});
  LinkTarget target{.address = port.address};
  target.name = "eth1";
  return target;
}

// A file of somebody else, and how it is taken over and given back.
struct Theirs {
  explicit Theirs(const Shell& with, const std::string& content) : shell{with} {
    fs::create_directory(scratch.at("etc"));
    write_text(path, content);
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  }

  remote::CommandOutput run(remote::Argv argv) const {
    return run_locally(shell, remote::Command{std::move(argv), {}}, scratch);
  }
  // As a probe finds it; "" = it does not.
  std::string digest() const {
    std::string script{sh::probe_file_digests.text};
    const std::size_t at = script.rfind("file_digests ") + 13;
    script.replace(at, script.find("\nexit", at) - at, remote::quote(path));
    const NodeFacts facts = test::node_facts(
        {{std::string{kFileDigestsProbe}, run({"sh", "-c", script}).standard_output}});
    const FileDigests found = file_digests(facts);
    return found.contains(path) ? found.at(path) : std::string{};
  }
  remote::CommandOutput keep(const char* part, const std::string& digest) const {
    const std::size_t last = part == std::string_view{"part"} ? 5 : 0;
    remote::Argv argv = keep_copies(target(), {{path, 1, last}}, {{path, digest}}).front();
    argv[kFolder] = scratch.at("adopted");
    return run(std::move(argv));
  }
  // As a probe prints it: without what may be a secret.
  remote::CommandOutput comment_out(const std::string& digest) const {
    const FileTexts files{
        {path, kBefore + "iface eth1 inet static\n  address 10.1.1.1/24\n\n" + kAfter}};
    return run(providers::comment_out(target(), {{path, 4, 6}}, files, {{path, digest}}).front());
  }
  remote::CommandOutput put_back(const std::vector<FileCondition>& as_read = {}) const {
    remote::Argv argv = providers::put_back(target(), as_read);
    argv[kFolder] = scratch.at("adopted");
    argv[kGiven] = scratch.at("given-back");
    return run(std::move(argv));
  }
  std::string kept(const std::string& part) const {
    return read_text(scratch.at("adopted/" + part + path));
  }
  std::size_t files_beside() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator{scratch.at("etc")}, fs::directory_iterator{}));
  }

  const Shell& shell;
  Scratch scratch{};
  std::string path = scratch.at("etc/interfaces");
};

bool is_refused(const remote::CommandOutput& output) {
  return output.exit_status == remote::kFileChanged && remote::says_changed(output);
}

}  // namespace

TEST_CASE("every shell comments out stanzas by their text, once, and nothing else", "[providers]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    const Theirs theirs{shell, kBefore + kStanza + kAfter};
    const std::string digest = theirs.digest();
    REQUIRE(digest.size() == 64);
    for (int i = 0; i < 2; ++i) {
      const remote::CommandOutput output = theirs.comment_out(digest);
      INFO(output.standard_error);
      REQUIRE(output.exit_status == 0);
      CHECK(read_text(theirs.path) == kBefore + kMarked + kAfter);
    }
    // What fabric comments out changes no digest.
    CHECK(theirs.digest() == digest);
    CHECK(
        fs::status(theirs.path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    CHECK(theirs.files_beside() == 1);
  }
}

TEST_CASE("every shell leaves a line in the place of what others refer to", "[providers]") {
  const std::string head = "network:\n  ethernets:\n";
  const std::string entry = "    eth1:\n      mtu: 9000\n";
  const std::string marked = kMark + "    eth1:\n" + kMark + "      mtu: 9000\n";
  const std::string stub = "    \"eth1\": {} #adopted by fabric cx5.1#\n";
  const std::string rest = "    eth2: {}\n";
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    const Theirs theirs{shell, head + entry + rest};
    const std::string digest = theirs.digest();
    const FileTexts files{{theirs.path, head + entry + rest}};
    const std::vector<ForeignEntry> entries{{theirs.path, 3, 4, "", "    \"eth1\": {}"}};
    const remote::Argv command =
        comment_out(target(), entries, files, {{theirs.path, digest}}).front();
    for (int i = 0; i < 2; ++i) {
      const remote::CommandOutput output = theirs.run(command);
      INFO(output.standard_error);
      REQUIRE(output.exit_status == 0);
      CHECK(read_text(theirs.path) == head + marked + stub + rest);
    }
    CHECK(theirs.digest() == digest);
  }
}

TEST_CASE("every shell leaves a file alone that is not the one of the plan", "[providers]") {
  const std::string text = kBefore + kStanza + kAfter;
  for (const Shell& shell : shells()) {
    const std::string digest = Theirs{shell, text}.digest();
    for (const std::string& edited :
         {"# a line\n" + text, text + "\n", std::string{}, kStanza + kBefore + kAfter}) {
      INFO(shell.name << ": " << edited);
      const Theirs theirs{shell, edited};
      CHECK(is_refused(theirs.comment_out(digest)));
      CHECK(is_refused(theirs.keep("part", digest)));
      CHECK(is_refused(theirs.keep("whole", digest)));
      CHECK(is_refused(theirs.put_back({{theirs.path, digest}})));
      CHECK(read_text(theirs.path) == edited);
      CHECK(theirs.files_beside() == 1);
      CHECK_FALSE(fs::exists(theirs.scratch.at("adopted/whole" + theirs.path)));
    }
  }
}

TEST_CASE("every shell takes a link, a folder and nothing for another file", "[providers]") {
  const std::string text = kBefore + kStanza + kAfter;
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    const Theirs theirs{shell, text};
    const std::string digest = theirs.digest();
    const std::string other = theirs.scratch.at("etc/other");
    fs::rename(theirs.path, other);
    const auto refuses = [&] {
      CHECK(theirs.digest().empty());
      CHECK(is_refused(theirs.comment_out(digest)));
      CHECK(is_refused(theirs.keep("whole", digest)));
    };
    refuses();
    // Its bytes are those of the plan, and it is not the file.
    fs::create_symlink(other, theirs.path);
    refuses();
    CHECK(fs::is_symlink(theirs.path));
    CHECK(read_text(other) == text);
    fs::remove(theirs.path);
    fs::create_directory(theirs.path);
    refuses();
  }
}

TEST_CASE(
    "every shell keeps what it takes over, also what was written there later", "[providers]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    const Theirs theirs{shell, "first\n"};
    REQUIRE(theirs.keep("whole", theirs.digest()).exit_status == 0);
    CHECK(theirs.kept("whole") == "first\n");
    // A copy that is there is the oldest.
    REQUIRE(theirs.keep("whole", theirs.digest()).exit_status == 0);
    write_text(theirs.path, "second\n");
    REQUIRE(theirs.keep("whole", theirs.digest()).exit_status == 0);
    CHECK(theirs.kept("whole") == "first\n");
    CHECK(theirs.kept("later") == "second\n");
  }
}

// Without the temporary file and the rename, what a power cut leaves of a copy would be taken for
// it.
TEST_CASE("every shell takes half of a copy for none", "[providers]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    const Theirs theirs{shell, "first\nsecond\n"};
    const std::string folder = theirs.scratch.at("adopted/whole" + theirs.scratch.at("etc"));
    fs::create_directories(folder);
    write_text(folder + "/.fabric-new.1", "fir");
    REQUIRE(theirs.keep("whole", theirs.digest()).exit_status == 0);
    CHECK(theirs.kept("whole") == "first\nsecond\n");
    fs::remove(theirs.path);
    REQUIRE(theirs.put_back().exit_status == 0);
    CHECK(read_text(theirs.path) == "first\nsecond\n");
    CHECK(theirs.files_beside() == 1);
  }
}

TEST_CASE(
    "every shell gives back a whole file in the place of ours, and of no other", "[providers]") {
  const std::string ours = "# managed by fabric: pve1/interface/cx5.1\n";
  for (const Shell& shell : shells()) {
    for (const std::string& there : {std::string{}, ours, std::string{"somebody's\n"}}) {
      INFO(shell.name << ": " << there);
      const Theirs theirs{shell, "first\n"};
      REQUIRE(theirs.keep("whole", theirs.digest()).exit_status == 0);
      fs::remove(theirs.path);
      if (!there.empty()) write_text(theirs.path, there);
      const remote::CommandOutput output = theirs.put_back();
      INFO(output.standard_error);
      REQUIRE(output.exit_status == 0);
      const bool somebodys = !there.empty() && there != ours;
      CHECK(read_text(theirs.path) == (somebodys ? there : "first\n"));
      CHECK(read_text(theirs.scratch.at("given-back/whole" + theirs.path)) == "first\n");
      CHECK_FALSE(fs::exists(theirs.scratch.at("adopted")));
    }
  }
}

}  // namespace fabric::providers
