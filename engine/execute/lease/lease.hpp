// The lock of a node (I12), as it stands on the node: /var/lib/fabric/lock says which run
// may write there, whose run that is, and until when by the node's own clock. It is taken, renewed
// and given up under flock(1), so that of two who come at once one gets it.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.hpp"
#include "engine/remote/step.hpp"

namespace fabric::execute {

struct LeaseHolder {
  std::string run;      // id of the run; names the lease
  std::string who;      // "root@ops1", for people
  std::string place;    // the kernel and the process namespace that `process` is of
  std::string process;  // pid and start time there: "4711.88213"; not used again, unlike a pid
  bool operator==(const LeaseHolder&) const = default;
};

// What a node says of its lock.
struct Lease {
  LeaseHolder holder;
  Duration age{0};
  Duration left{0};  // not positive: it has run out
  bool is_live() const { return left > Duration{0}; }
};

struct LeaseAnswer {
  bool taken = false;
  std::optional<Lease> found;  // of another run, or what was read; none: the node is not locked
};

// Takes the lease, or makes it last for `length` from now. A lease of another run stands in the way
// while it is live, unless it is that of the run `over`.
remote::Step take_lease_step(
    const LeaseHolder& holder, Duration length, const std::string& over = {});
remote::Step read_lease_step();
// Gives up the lease of `run`; that of any other run stays.
remote::Step release_lease_step(const std::string& run);

// Of any of them. Fails with ErrorCode::locked where there is a lock that can't be read (one that
// is not understood is held), and with ErrorCode::denied where the node could not do it: no
// flock(1), no space, not root.
Result<LeaseAnswer> lease_answer(const remote::CommandOutput& output);

}  // namespace fabric::execute
