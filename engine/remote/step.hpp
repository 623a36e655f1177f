// Step: one thing done to one node, as data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "engine/remote/command.hpp"

namespace fabric::remote {

namespace step {

// `gate` of a step: a file of the node without which the step does nothing there but fail (exit
// 75); "" = none. What is sent may arrive late, when a connection that was cut comes back. All that
// the step starts has FABRIC_GATE=file in its environment, for whoever takes the file away to find
// it.

// Runs a command. `fresh_session`: over a new connection, so that an answer proves the node can be
// reached now (after a reboot, before a dead-man timer is disarmed).
struct Run {
  Command command;
  bool fresh_session = false;
  std::string gate{};
  bool operator==(const Run&) const = default;
};

// Replaces a file atomically: temporary in the same directory, fsync, mode and owner, rename.
// Missing parent directories are made with mode 0755.
struct WriteFile {
  std::string path;  // absolute
  std::string content;
  std::uint32_t mode = 0644;
  std::string owner = "root:root";
  std::string gate{};
  bool operator==(const WriteFile&) const = default;
};

// Puts a file of the machine that fabric runs on onto the node, as WriteFile does with content. The
// content is not part of the step, which may stand in a plan: a firmware image has 4 to 32 MB. It
// must still have the size and digest that the step names, else nothing is replaced.
struct CopyFile {
  std::string source;       // path on this machine, relative to the working directory or absolute
  std::string sha256;       // of the whole file: 64 lower-case hex digits
  std::uint64_t bytes = 0;  // its size
  std::string path;         // absolute, on the node
  std::uint32_t mode = 0644;
  std::string owner = "root:root";
  bool operator==(const CopyFile&) const = default;
};

// Removes a file; that it is not there is success.
struct RemoveFile {
  std::string path;
  std::string gate{};
  bool operator==(const RemoveFile&) const = default;
};

// Runs a command about the node on the machine that fabric runs on: a cluster manager that reboots
// it, a BMC.
struct RunHere {
  Command command;
  // On top of what this program itself was given.
  std::map<std::string, std::string> environment{};
  bool operator==(const RunHere&) const = default;
};

// Nothing, for a while. The only way to wait: in the lab it is virtual time.
struct Pause {
  Duration duration{1'000};
  bool operator==(const Pause&) const = default;
};

}  // namespace step

using Step = std::variant<
    step::Run,
    step::WriteFile,
    step::CopyFile,
    step::RemoveFile,
    step::RunHere,
    step::Pause>;

}  // namespace fabric::remote
