// SPDX-License-Identifier: Apache-2.0
// A session is given its descriptor, and nobody else closes it.
#include <array>
#include <cerrno>

#include <libssh/libssh.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/ssh/environment.hpp"

#include "tests/support/catch.hpp"

TEST_CASE("a session that ends closes the descriptor that it was given", "[ssh]") {
  std::array<int, 2> ends{};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
  fabric::ssh::SessionHandle session{ssh_new()};
  REQUIRE(session);
  const int off = 0;
  ssh_options_set(session.get(), SSH_OPTIONS_PROCESS_CONFIG, &off);
  ssh_options_set(session.get(), SSH_OPTIONS_HOST, "nobody");
  ssh_options_set(session.get(), SSH_OPTIONS_USER, "nobody");
  ssh_options_set(session.get(), SSH_OPTIONS_FD, ends.data());
  ssh_set_blocking(session.get(), 0);
  // It speaks, and waits for an answer.
  CHECK(ssh_connect(session.get()) == SSH_AGAIN);
  std::array<char, 256> spoken{};
  const auto listen = [&] {
    ssize_t read_now = 0;
    do
      read_now = read(ends[1], spoken.data(), spoken.size());
    while (read_now > 0);
    return read_now;
  };
  CHECK(listen() == -1);
  CHECK(errno == EAGAIN);
  session.reset();
  CHECK(listen() == 0);  // the end of the stream: the other end is closed
  close(ends[1]);
}
