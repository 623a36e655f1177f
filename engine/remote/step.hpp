// Step: one thing done to one node, as data.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "engine/remote/command.hpp"

namespace fabric::remote {

namespace step {

// Runs a command. `fresh_session`: over a new connection, so that an answer proves the node can be
// reached now (after a reboot, before a dead-man timer is disarmed).
struct Run {
  Command command;
  bool fresh_session = false;
  bool operator==(const Run&) const = default;
};

// Replaces a file atomically: temporary in the same directory, fsync, mode and owner, rename.
// Missing parent directories are made with mode 0755.
struct WriteFile {
  std::string path;  // absolute
  std::string content;
  std::uint32_t mode = 0644;
  std::string owner = "root:root";
  bool operator==(const WriteFile&) const = default;
};

// Removes a file; that it is not there is success.
struct RemoveFile {
  std::string path;
  bool operator==(const RemoveFile&) const = default;
};

// Runs a command about the node on the machine that fabric runs on: a cluster manager that reboots
// it, a BMC.
struct RunHere {
  Command command;
  bool operator==(const RunHere&) const = default;
};

// Nothing, for a while. The only way to wait: in the lab it is virtual time.
struct Pause {
  Duration duration{1'000};
  bool operator==(const Pause&) const = default;
};

}  // namespace step

using Step = std::variant<step::Run, step::WriteFile, step::RemoveFile, step::RunHere, step::Pause>;

}  // namespace fabric::remote
