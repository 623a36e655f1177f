// SPDX-License-Identifier: Apache-2.0
// Step: one thing done to one node, as data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/remote/command.hpp"

namespace fabric::remote {

namespace step {

// `gate` of a step: a file of the node without which the step does nothing there but fail (exit
// 75); "" = none. A step may arrive late, when a connection that was cut comes back. Every process
// that the step starts has FABRIC_GATE=file in its environment, so that a run that removes the file
// can find it.

// `fence` of a step: the words before its command on the node, which end instead of it when the run
// that sent it has lost its lease there (platform/fencing); empty = none.

// `former` of a step: the digest of the foreign file that it replaces or removes
// (remote/file_digest); if another file is there it does nothing but fail. "" = any file.

// Runs a command. `reads_only`: it changes nothing on the node, so it needs no lease.
// `fresh_session`: over a new connection, so that an answer proves the node can be reached now
// (after a reboot, before a dead-man timer is disarmed).
struct Run {
  Command command;
  bool fresh_session = false;
  std::string gate{};
  bool reads_only = false;
  Argv fence{};
  bool operator==(const Run&) const = default;
};

// Replaces a file atomically: temporary in the same directory, fsync, mode and owner, rename. Makes
// missing parent directories with mode 0755.
struct WriteFile {
  std::string path;  // absolute
  std::string content;
  std::uint32_t mode = 0644;
  std::string owner = "root:root";
  std::string gate{};
  Argv fence{};
  std::string former{};
  bool operator==(const WriteFile&) const = default;
};

// Copies a file of the machine that fabric runs on to the node, as WriteFile does with content. The
// content is not part of the step, which may stand in a plan: a firmware image has 4 to 32 MB. It
// must still have the size and digest of the step, else nothing is replaced.
struct CopyFile {
  std::string source;       // path on this machine, relative to the working directory or absolute
  std::string sha256;       // digest of the whole file: 64 lower-case hex digits
  std::uint64_t bytes = 0;  // its size
  std::string path;         // absolute, on the node
  std::uint32_t mode = 0644;
  std::string owner = "root:root";
  Argv fence{};
  bool operator==(const CopyFile&) const = default;
};

// Removes a file; succeeds if there is none.
struct RemoveFile {
  std::string path;
  std::string gate{};
  Argv fence{};
  std::string former{};
  bool operator==(const RemoveFile&) const = default;
};

// Runs a command about the node on the machine that fabric runs on: a cluster manager that reboots
// it, a BMC.
struct RunHere {
  Command command;
  // Variables in addition to this program's own environment.
  std::map<std::string, std::string> environment{};
  bool changes_node = false;  // for example a reboot
  bool operator==(const RunHere&) const = default;
};

// The dialect of a machine with a prompt in place of a shell: a switch's command line. Data, so
// that a transport needs to know no system by name.
struct Dialect {
  // A last line without line end that ends with one of these is the prompt: " > ", " # ".
  std::vector<std::string> prompts;
  // Sent after the login, before anything else; an answer that is an error does no harm: what
  // switches the pager off differs between releases.
  std::vector<std::string> preparation;
  // Sent after those; an error ends the conversation: "enable", "configure terminal".
  std::vector<std::string> entry;
  // Sent when the work is done, or was refused: "exit".
  std::vector<std::string> leave;
  // The begin of a last line without line end at which the machine waits for a key, and the key
  // that is sent: the pager ("lines " -> " ").
  std::map<std::string, std::string> pauses;
  // A part of such a line that is a question, and the answer, sent as a line.
  std::map<std::string, std::string> questions;
  // A line of an answer that begins with one of these says that the command was refused: "%". There
  // is no exit status, and an empty answer is no proof of success.
  std::vector<std::string> refusals;
  // The placeholder in lines for the machine's own name, which is the first word of its prompt
  // ("leaf1 [standalone: master] # "); "" = none.
  std::string own_name{};
  bool operator==(const Dialect&) const = default;
};

// Lines sent to a prompt, each when the prompt is back; over a PTY of its own that is closed
// afterwards, so that no mode of the session outlasts the step. Ends at the first line that is
// refused, unless `each_alone`. Echo, escape sequences and pager are taken out of the answers.
// Result: one StepResult::replies for each line that was answered; exit_status 0 if none was
// refused, else 1; standard_output the answers in order, standard_error the refusal. `timeout` is
// of the whole conversation; one that was cut, or out of time after a line was sent, is
// Outcome::unknown.
struct Converse {
  Dialect dialect;
  std::vector<std::string> lines;
  Duration timeout{30'000};
  bool fresh_session = false;  // as Run
  // Goes on after a line that was refused: each is a question of its own.
  bool each_alone = false;
  bool reads_only = false;  // as Run
  bool operator==(const Converse&) const = default;
};

// Waits. The only way to wait: in the lab it is virtual time.
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
    step::Converse,
    step::Pause>;

// True if the step may change something on the node, or have another machine do so. A step that
// does not declare that it only reads may.
bool may_change(const Step& step);

// True if any part of the step is sent to the node.
bool is_sent(const Step& step);
// has_gate(): true if the kind of step can have a gate; set_gate() sets it.
bool has_gate(const Step& step);
void set_gate(Step& step, const std::string& gate);

// "a command", "lines at a prompt": for messages.
std::string_view kind_of(const Step& step);

}  // namespace fabric::remote
