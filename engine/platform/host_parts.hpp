// SPDX-License-Identifier: Apache-2.0
// The parts of a HostPlatform. A part that a platform does not have is null.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/abstract.hpp"
#include "engine/base/clock.hpp"
#include "engine/base/result.hpp"
#include "engine/remote/runner.hpp"
#include "engine/remote/step.hpp"

namespace fabric::platform {

// BootProof: the reboot command of a platform, and the proof that a node has booted.
// The marks of its boot that a running node shows.
struct Boot {
  // A mark that no other boot has: its id, or a mark in memory that only a boot wipes.
  std::string mark;
  // The time since the system started. Known where a mark may also be gone without a boot; then
  // both have to show one.
  std::optional<Duration> uptime{};
};

class BootProof : public Abstract {
 public:
  // True if each reading has an id of the boot (Identity::boot_id); else only ask() shows the boot.
  virtual bool has_boot_id() const { return true; }
  // The command of a reboot action, run on the node.
  virtual remote::Argv reboot_command() const = 0;
  // Asks over a new session which boot runs. On a platform without an id of a boot
  // (Identity::boot_id is empty), it leaves a mark in memory if there is none yet.
  virtual remote::Step ask() const = 0;
  // The answer to ask(); nullopt if the result is no answer. The mark is Identity::boot_id on a
  // platform that has it.
  virtual std::optional<Boot> boot(const remote::StepResult& result) const = 0;
};

// Fencing: the node itself refuses a changing step when the lease of the run that sent it is not in
// force there. A run that was held up while its lease ran out, or that another run has taken over,
// can't know that: a step that it has sent may still arrive, and only the node's own clock decides.
class Fencing : public Abstract {
 public:
  // A step that does the same, but changes nothing and fails unless the lease of `run`
  // (LeaseHolder::run) is in force on the node at the moment when the node begins it.
  virtual remote::Step while_leased(const std::string& run, remote::Step step) const = 0;
  // True if a step of while_leased() failed because the lease was not in force: then nothing of it
  // was done.
  virtual bool is_refusal(const remote::StepResult& result) const = 0;
};

// FileWriter: writes, copies and removes files on a platform. The steps it names are idempotent:
// each may be sent again until it has ended well.
class FileWriter : public Abstract {
 public:
  // A reader sees the old file or the new one, whenever the node loses its power.
  virtual remote::Step write(const remote::step::WriteFile& file) const = 0;
  virtual remote::Step copy(const remote::step::CopyFile& file) const = 0;
  // Succeeds if the file is not there.
  virtual remote::Step remove(const remote::step::RemoveFile& file) const = 0;
};

// MaintenanceMode: a state of a node in which it has no workload, so that it may be disrupted. The
// commands may be repeated.
class MaintenanceMode : public Abstract {
 public:
  // Records on the node, to survive boots, that a run is about to enter the mode, and whether the
  // node was in it already: another operator then leaves it. The provider of kind "drain" reads the
  // record as `drained`, and the mode as `in_maintenance`.
  virtual remote::Argv note() const = 0;
  // Fails after `within`, and names the obstacle.
  virtual remote::Argv enter(Duration within) const = 0;
  // Leaves it if the note says that a run entered it, and forgets the note.
  virtual remote::Argv leave() const = 0;
};

// NodeLock: the lock of a node as its platform keeps it, on the node itself: the run that may write
// there, the owner of that run, and the end of the lease. If two runs ask at the same time, one
// gets it. Time is measured by a clock of the node that nothing sets and that goes on while the
// node sleeps; a lease outlasts a boot of its node, and only then may it last longer than it was
// taken for.
struct LeaseHolder {
  std::string run;      // id of the run; names the lease
  std::string who;      // "root@ops1", for people
  std::string place;    // kernel and process namespace of `process`
  std::string process;  // pid and start time: "4711.88213"; unlike a pid never used again
  bool operator==(const LeaseHolder&) const = default;
};

// The lock of a node as the node shows it.
struct Lease {
  LeaseHolder holder;
  Duration age{0};
  Duration left{0};  // not positive: it has run out
  bool is_live() const { return left > Duration{0}; }
};

struct LeaseAnswer {
  bool taken = false;
  std::optional<Lease> found;  // another run's lease; by read(): any; nullopt: not locked
};

class NodeLock : public Abstract {
 public:
  // Takes the lease, or makes it last for `length` from now. Not taken while another run's lease is
  // live, unless it is that of the run `over` ("" = none).
  virtual remote::Step take(
      const LeaseHolder& holder, Duration length, const std::string& over) const = 0;
  virtual remote::Step read() const = 0;
  // Gives up the lease of `run`; that of any other run stays.
  virtual remote::Step release(const std::string& run) const = 0;
  // The answer to any of these steps. REQUIRES: the outcome is `succeeded`. Fails with
  // ErrorCode::locked if the lock can't be read or understood, for then it counts as held, and with
  // ErrorCode::denied if the node could not do it.
  virtual Result<LeaseAnswer> answer(const remote::StepResult& result) const = 0;
};

// PlanRecord: the plans that were carried out wholly on a node, kept on the node itself: a machine
// that applies a plan may exist for that one run only.
struct AppliedPlan {
  std::string digest;  // plans::Plan::digest
  std::string run;     // id of the run that completed it
  bool operator==(const AppliedPlan&) const = default;
};

class PlanRecord : public Abstract {
 public:
  virtual remote::Step read() const = 0;
  // The plans, the newest last; none on a node where nothing was applied. REQUIRES: the outcome of
  // read() is `succeeded`. Fails with ErrorCode::invalid if the record can't be read or understood.
  virtual Result<std::vector<AppliedPlan>> plans(const remote::StepResult& result) const = 0;
  // Replaces the record as a whole; only the newest are kept.
  virtual remote::Step write(const std::vector<AppliedPlan>& plans) const = 0;
};

}  // namespace fabric::platform
