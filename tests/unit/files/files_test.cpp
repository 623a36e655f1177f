// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <stdlib.h>  // mkdtemp is POSIX
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/files/beneath.hpp"
#include "engine/files/read.hpp"

#include "tests/support/catch.hpp"

namespace fabric::files {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "fabric-files-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
    fs::create_directories(path_ / "document/sub");
    write("document/a.yaml", "a: 1\n");
    write("document/sub/b.yaml", "b: 1\n");
    write("secret", "token: hunter2\n");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string at(const std::string& name) const { return (path_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream{path_ / name} << text;
  }
  void link(const std::string& name, const std::string& target) const {
    fs::create_symlink(target, path_ / name);
  }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("a file is read whole, and one that is too large not at all", "[files]") {
  const Folder folder;
  CHECK(*read_regular(folder.at("document/a.yaml"), 5) == "a: 1\n");
  CHECK(read_regular(folder.at("document/a.yaml"), 4).error().code == ErrorCode::invalid);
  CHECK(read_regular(folder.at("nowhere"), 10).error().code == ErrorCode::not_found);
  // A hole of a terabyte: reading any of it would take its time.
  REQUIRE(truncate(folder.at("secret").c_str(), off_t{1} << 40U) == 0);
  CHECK(
      read_regular(folder.at("secret"), 100).error().message ==
      folder.at("secret") + ": expected at most 100 bytes");
}

TEST_CASE("a pipe, a socket, a device and a folder are refused without waiting", "[files]") {
  const Folder folder;
  REQUIRE(mkfifo(folder.at("document/pipe").c_str(), 0600) == 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  folder.at("document/socket").copy(std::data(address.sun_path), sizeof address.sun_path - 1);
  REQUIRE(bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  for (const char* name : {"pipe", "socket", "sub"}) {
    CHECK(read_regular(folder.at("document/") + name, 10).error().code == ErrorCode::invalid);
    CHECK(read_beneath(folder.at("document"), name, 10).error().code == ErrorCode::invalid);
  }
  close(socket);
  CHECK(
      read_regular("/dev/zero", 10).error().message ==
      "/dev/zero: expected a file, found a device");
  CHECK(read_regular("/dev/null", 10)->empty());
}

TEST_CASE("an argument may be a pipe, and is read to its end or to the limit", "[files]") {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  REQUIRE(write(ends[1], "a: 1\n", 5) == 5);
  close(ends[1]);
  CHECK(*read_argument("/dev/fd/" + std::to_string(ends[0]), 100) == "a: 1\n");
  close(ends[0]);
  for (const char* open :
       {"/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/7", "/proc/self/fd/7"})
    CHECK(is_open_file(open));
  for (const char* path : {"/dev/null", "/dev/stdout.sig", "stdout", "./dev/fd/1"})
    CHECK_FALSE(is_open_file(path));
  CHECK(read_argument("/dev/zero", 1'000'000).error().code == ErrorCode::invalid);
  CHECK(read_argument("/", 10).error().code == ErrorCode::invalid);
}

TEST_CASE("a file may have more than it says that it has", "[files]") {
  CHECK(read_regular("/proc/version", 10'000)->starts_with("Linux"));  // of no bytes
  const std::string much(200'000, 'x');
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  REQUIRE(fcntl(ends[1], F_SETPIPE_SZ, 1 << 18) > 0);
  REQUIRE(write(ends[1], much.data(), much.size()) == 200'000);
  close(ends[1]);
  CHECK(*read_argument("/dev/fd/" + std::to_string(ends[0]), 200'000) == much);
  close(ends[0]);
}

TEST_CASE("a link is followed as far as it stays below the folder", "[files]") {
  const Folder folder;
  folder.link("document/inside", "sub/b.yaml");
  folder.link("document/round", "sub/../sub/./b.yaml");
  folder.link("document/chain", "inside");
  folder.link("document/other", "sub");
  const auto text = [&](const std::string& name, Walk walk) {
    Beneath opened = open_beneath(folder.at("document"), name, walk);
    if (!opened.file) return "errno " + std::to_string(opened.error);
    std::array<char, 100> read{};
    const ssize_t got = ::read(opened.file.get(), read.data(), read.size());
    return std::string{read.data(), static_cast<std::size_t>(got)};
  };
  for (const Walk walk : {Walk::by_kernel, Walk::by_ourselves}) {
    CHECK(text("a.yaml", walk) == "a: 1\n");
    for (const char* name : {"inside", "round", "chain", "other/b.yaml", "sub/../sub/b.yaml"})
      CHECK(text(name, walk) == "b: 1\n");
    CHECK(text("nowhere", walk) == "errno " + std::to_string(ENOENT));
    CHECK(text("a.yaml/x", walk) == "errno " + std::to_string(ENOTDIR));
  }
}

TEST_CASE("a link that leaves the folder is refused, whatever it points to", "[files]") {
  const Folder folder;
  folder.link("document/out", "../secret");
  folder.link("document/absolute", folder.at("secret"));
  folder.link("document/home", folder.at("document/a.yaml"));  // inside, but by an absolute path
  folder.link("document/up", "..");
  folder.link("document/deep", "sub/../../secret");
  folder.link("document/self", "self");
  folder.link("document/process", "/proc/self/environ");
  for (const Walk walk : {Walk::by_kernel, Walk::by_ourselves}) {
    for (const char* name :
         {"out", "absolute", "home", "up/secret", "deep", "../secret", "process"}) {
      const Beneath opened = open_beneath(folder.at("document"), name, walk);
      CHECK_FALSE(opened.file);
      CHECK(opened.error == EXDEV);
    }
    CHECK(open_beneath(folder.at("document"), "self", walk).error == ELOOP);
  }
  const Result<std::string> refused = read_beneath(folder.at("document"), "out", 100);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::invalid);
  CHECK(refused.error().message.find("hunter2") == std::string::npos);
}

}  // namespace fabric::files
