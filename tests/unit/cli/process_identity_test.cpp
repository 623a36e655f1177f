// SPDX-License-Identifier: Apache-2.0
// Whether the holder of a lock has ended: only the kernel can say so.
#include "engine/cli/state/process_identity.hpp"

#include <unistd.h>

#include "tests/support/catch.hpp"

using namespace fabric;
using namespace fabric::cli;

namespace {

constexpr pid_t kPid = 4711;
constexpr const char* kPlace = "boot-1/pid:[4026531836]/time:[4026531834]";

class FakeKernel final : public Kernel {
 public:
  std::string is_place = kPlace;
  ProcessState state = ProcessState::exists;
  std::string start = "88213";
  std::string place() const override { return is_place; }
  ProcessState ask(pid_t pid) const override { return pid == kPid ? state : ProcessState::none; }
  std::string start_time(pid_t pid) const override { return pid == kPid ? start : ""; }
};

execute::LeaseHolder holder(const std::string& process = "4711.88213") {
  return {"run-1", "root@ops1", kPlace, process};
}

}  // namespace

TEST_CASE("a holder has ended when its kernel has no such process, or another one", "[cli]") {
  FakeKernel kernel;
  CHECK_FALSE(has_ended(holder(), kernel));
  kernel.start = "99999";
  CHECK(has_ended(holder(), kernel));
  kernel.start = "";
  kernel.state = ProcessState::none;
  CHECK(has_ended(holder(), kernel));
}

TEST_CASE("a holder of which nothing can be seen is alive", "[cli]") {
  FakeKernel kernel;
  // /proc is mounted with hidepid, or not mounted: the process exists and is somebody else's.
  kernel.start = "";
  CHECK_FALSE(has_ended(holder(), kernel));
  // Nor does a filter of system calls prove anything.
  kernel.state = ProcessState::unknown;
  CHECK_FALSE(has_ended(holder(), kernel));
  // It could not read its own start time when it noted itself.
  kernel.state = ProcessState::exists;
  kernel.start = "88213";
  CHECK_FALSE(has_ended(holder("4711."), kernel));
}

TEST_CASE("of another machine, boot, container or clock nothing is known", "[cli]") {
  FakeKernel kernel;
  kernel.state = ProcessState::none;
  for (const char* place :
       {"boot-2/pid:[4026531836]/time:[4026531834]",
        "boot-1/pid:[4026532500]/time:[4026531834]",
        "boot-1/pid:[4026531836]/time:[4026532501]"}) {
    kernel.is_place = place;
    CHECK_FALSE(has_ended(holder(), kernel));
  }
  // Two machines that can tell nothing of themselves are not the same.
  kernel.is_place = "";
  execute::LeaseHolder nowhere = holder();
  nowhere.place = "";
  CHECK_FALSE(has_ended(nowhere, kernel));
}

TEST_CASE("what is no process id is no dead process", "[cli]") {
  FakeKernel kernel;
  kernel.state = ProcessState::none;
  for (const char* process :
       {"", "4711", ".88213", "0.88213", "-1.88213", "99999999999.1", "4294967296.1", "x.y"})
    CHECK_FALSE(has_ended(holder(process), kernel));
}

TEST_CASE("this very process lives, and one that was waited for does not", "[cli]") {
  const execute::LeaseHolder self = this_holder("run-1");
  CHECK(self.run == "run-1");
  CHECK_FALSE(has_ended(self));
  // The first process is there for all, and mostly somebody else's.
  execute::LeaseHolder first = self;
  first.process = "1." + ThisKernel{}.start_time(1);
  CHECK_FALSE(has_ended(first));
}
