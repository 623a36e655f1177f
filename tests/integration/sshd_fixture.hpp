// SPDX-License-Identifier: Apache-2.0
// A real OpenSSH server on a loopback port, with keys of its own, for as long as an object lives.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/ssh/runner.hpp"

namespace fabric::test {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void write_text(const std::string& path, const std::string& text);
std::string read_text(const std::string& path);
// REQUIREs that the shell line succeeds.
void shell(const std::string& line);

// A child process, killed at the end.
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  bool has_ended();

 private:
  pid_t pid_ = -1;
};

// A listening socket on 127.0.0.1; who connects is answered with `greeting` and then nothing.
class Listener {
 public:
  explicit Listener(std::string greeting = "");
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  std::uint32_t port() const { return port_; }
  // Takes one waiting connection and greets it.
  void greet();

 private:
  std::string greeting_;
  std::uint32_t port_ = 0;  // before descriptor_, whose making sets it
  int descriptor_ = -1;
  int taken_ = -1;
};

// A port of 127.0.0.1 that refuses connections, and that nobody else gets meanwhile.
class ClosedPort {
 public:
  ClosedPort();
  ~ClosedPort();
  ClosedPort(const ClosedPort&) = delete;
  ClosedPort& operator=(const ClosedPort&) = delete;
  std::uint32_t number() const { return number_; }

 private:
  std::uint32_t number_ = 0;  // before descriptor_, whose making sets it
  int descriptor_ = -1;
};

class Sshd {
 public:
  // `extra`: further lines of sshd_config.
  explicit Sshd(const std::string& extra = "");

  std::uint32_t port() const { return port_; }
  std::string host_key_file() const { return folder_ / "host_key"; }
  std::string identity_file() const { return folder_ / "id"; }
  std::string known_hosts_file() const { return folder_ / "known_hosts"; }
  // "[127.0.0.1]:port ssh-ed25519 ..."
  std::string known_hosts_line() const;
  std::string file(const std::string& name) const { return folder_ / name; }

  // How this server is reached with its key; options that know its host key.
  ssh::Target target() const;
  ssh::Options options() const;

 private:
  // False if somebody else was faster at the port.
  bool listens(const std::string& extra);

  TemporaryFolder folder_;
  std::uint32_t port_ = 0;
  std::optional<Process> process_;
};

}  // namespace fabric::test
