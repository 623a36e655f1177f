// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/sshd_fixture.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/ssh/config/config.hpp"

#include "tests/support/catch.hpp"

namespace fabric::test {
namespace {

int bind_to_loopback(std::uint32_t& port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  socklen_t size = sizeof address;
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return descriptor;
}

int listen_on_loopback(std::uint32_t& port) {
  const int descriptor = bind_to_loopback(port);
  REQUIRE(listen(descriptor, 16) == 0);
  return descriptor;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "fabric-sshd-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream{path, std::ios::binary} << text;
}

std::string read_text(const std::string& path) {
  std::ifstream stream{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

void shell(const std::string& line) {
  INFO(line);
  REQUIRE(std::system(line.c_str()) == 0);
}

Process::Process(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.c_str()));  // NOLINT
  pointers.push_back(nullptr);
  pid_ = fork();
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // also when the test dies
    execv(pointers[0], pointers.data());
    _exit(127);
  }
}

bool Process::has_ended() {
  if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
  return pid_ < 0;
}

Process::~Process() {
  if (pid_ < 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

Listener::Listener(std::string greeting)
    : greeting_{std::move(greeting)}, descriptor_{listen_on_loopback(port_)} {}

Listener::~Listener() {
  if (taken_ >= 0) close(taken_);
  close(descriptor_);
}

void Listener::greet() {
  taken_ = accept(descriptor_, nullptr, nullptr);
  REQUIRE(send(taken_, greeting_.data(), greeting_.size(), MSG_NOSIGNAL) == std::ssize(greeting_));
}

ClosedPort::ClosedPort() : descriptor_{bind_to_loopback(number_)} {}

ClosedPort::~ClosedPort() {
  close(descriptor_);
}

Sshd::Sshd(const std::string& extra) {
  if (geteuid() == 0) std::filesystem::create_directories("/run/sshd");  // its own start-up check
  shell("ssh-keygen -q -t ed25519 -N '' -f " + host_key_file());
  shell("ssh-keygen -q -t ed25519 -N '' -f " + identity_file());
  std::filesystem::copy_file(identity_file() + ".pub", file("authorized_keys"));
  std::filesystem::create_directory(file("home"));
  for (int tries = 0; !listens(extra); ++tries) {
    INFO(read_text(file("log")));
    REQUIRE(tries < 20);
  }
  write_text(known_hosts_file(), known_hosts_line());
}

bool Sshd::listens(const std::string& extra) {
  port_ = ClosedPort{}.number();
  write_text(
      file("sshd_config"),
      // The first value of a keyword wins. A home without start files of whoever runs this.
      extra + "SetEnv HOME=" + file("home") + "\nListenAddress 127.0.0.1\nPort " +
          std::to_string(port_) + "\nHostKey " + host_key_file() + "\nAuthorizedKeysFile " +
          file("authorized_keys") + "\nPidFile " + file("listens") +
          "\nUsePAM no\nStrictModes no\nPasswordAuthentication no\nPermitRootLogin "
          "yes\n"
          "KbdInteractiveAuthentication no\nMaxStartups 100\nLogLevel ERROR\n");
  process_.emplace(std::vector<std::string>{
      "/bin/sh",
      "-c",
      "exec /usr/sbin/sshd -D -e -f " + file("sshd_config") + " 2>" + file("log")});
  // Written when it has its port; until then whoever answers there is somebody else.
  while (!std::filesystem::exists(file("listens"))) {
    if (process_->has_ended()) return false;
    poll(nullptr, 0, 10);
  }
  return true;
}

std::string Sshd::known_hosts_line() const {
  return "[127.0.0.1]:" + std::to_string(port_) + " " + read_text(host_key_file() + ".pub");
}

ssh::Target Sshd::target() const {
  ssh::Target target;
  target.host = "127.0.0.1";
  target.port = port_;
  target.user = ssh::local_user();
  target.identity_files = {identity_file()};
  target.use_agent = false;
  return target;
}

ssh::Options Sshd::options() const {
  ssh::Options options;
  options.config_file = "";
  options.known_hosts_files = {known_hosts_file()};
  return options;
}

}  // namespace fabric::test
