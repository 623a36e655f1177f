// SPDX-License-Identifier: Apache-2.0
// usage: fabric_served: the program as `fabric`, for tests that run it some hundred times. An
// instrumented program takes a fifth of a second to start; this one starts once. It carries out by
// itself what contacts nobody, and is a copy of itself for each other command line that it is sent:
// three quarters of a short command are the copying.
//
// Standard input is a SOCK_SEQPACKET socket (tests/support/served.py). A request carries standard
// input, output and error as descriptors, and as text with a zero byte behind each: the working
// directory, how many arguments there are, these (the name of the program first), then the
// environment. The answer is the exit code in decimal, or the number of the signal with a minus.
// Ends when the other side has closed the socket.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/cli/run.hpp"

namespace {

constexpr std::size_t kLongest = 1 << 18;  // of a request; run.py sends some kilobytes
constexpr int kNotRun = 127;

struct Request {
  std::array<int, 3> descriptors{};
  std::vector<std::string> words;
};

// False at the end of all requests.
bool receive(int socket, Request& request) {
  clearenv();
  request.words.clear();
  static std::array<char, kLongest> text;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof request.descriptors)> ancillary{};
  iovec place{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &place;
  message.msg_iovlen = 1;
  message.msg_control = ancillary.data();
  message.msg_controllen = ancillary.size();
  const ssize_t got = recvmsg(socket, &message, 0);
  const cmsghdr* control = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (control == nullptr || control->cmsg_type != SCM_RIGHTS) return false;
  std::memcpy(request.descriptors.data(), CMSG_DATA(control), sizeof request.descriptors);
  std::string_view rest{text.data(), static_cast<std::size_t>(got)};
  while (!rest.empty()) {
    const std::size_t end = rest.find('\0');
    request.words.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return request.words.size() > 2;
}

// Commands that start nothing and change nothing of the process.
bool is_pure(const Request& request) {
  constexpr std::array<std::string_view, 10> kPure{
      "--facts",
      "validate",
      "fmt",
      "show",
      "explain",
      "graph",
      "export",
      "schema",
      "parse",
      "import"};
  return request.words.size() > 3 && std::ranges::find(kPure, request.words[3]) != kPure.end();
}

int run_as_program(Request& request) {
  for (int i = 0; i < 3; ++i)
    dup2(request.descriptors[static_cast<std::size_t>(i)], i);
  for (const int descriptor : request.descriptors)
    close(descriptor);
  if (chdir(request.words[0].c_str()) != 0) return kNotRun;
  const std::size_t arguments = std::stoul(request.words[1]);
  std::vector<char*> argv;
  clearenv();
  for (std::size_t i = 2; i < request.words.size(); ++i) {
    if (i < arguments + 2) {
      argv.push_back(request.words[i].data());
    } else {
      putenv(request.words[i].data());
    }
  }
  argv.push_back(nullptr);
  const int code = fabric::cli::run(static_cast<int>(arguments), argv.data());
  std::cout.flush();
  std::fflush(nullptr);
  return code;
}

// The schema, the table of hardware and the rules are read once, so that the copies have them.
void read_tables() {
  std::array<char, 7> name{"fabric"};
  std::array<char, 9> verb{"validate"};
  std::array<char, 10> document{"/dev/null"};
  std::array<char*, 4> argv{name.data(), verb.data(), document.data(), nullptr};
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const int output = dup(STDOUT_FILENO);
  const int error = dup(STDERR_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  // It is no document, which the program says and ends with: what it read to tell that remains.
  fabric::cli::run(3, argv.data());
  std::cout.flush();
  std::fflush(nullptr);
  dup2(output, STDOUT_FILENO);
  dup2(error, STDERR_FILENO);
  for (const int descriptor : {nothing, output, error})
    close(descriptor);
}

}  // namespace

int main() {
  read_tables();
  // Standard input is that of the commands.
  constexpr int kSocket = 100;
  dup2(STDIN_FILENO, kSocket);
  // The environment points into it.
  static Request request;
  while (receive(kSocket, request)) {
    int code = 0;
    if (is_pure(request)) {
      code = run_as_program(request);
    } else if (const pid_t child = fork(); child == 0) {
      // What ends with the process is what the server began: taking that down is half of the time.
      _exit(run_as_program(request));
    } else {
      for (const int descriptor : request.descriptors)
        close(descriptor);
      int status = 0;
      waitpid(child, &status, 0);
      code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    const std::string answer = std::to_string(code);
    if (send(kSocket, answer.data(), answer.size(), 0) < 0) return 1;
  }
  return 0;
}
