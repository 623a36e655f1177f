// SPDX-License-Identifier: Apache-2.0
// What every script about the lock of a Linux host begins with: the lock is read, and its time is
// told by the clock that is fit for it.
#pragma once

namespace fabric::platform {

inline constexpr const char* kLockFile = "/var/lib/fabric/lock";

// Sets $file, $boot, $now (seconds since the boot), and of the lock that is there $held, $who,
// $left, $age; $left is "unreadable" where there is a lock that is not understood.
//
// A wall clock is set by hand, by NTP after the boot and by a host that wakes up, so that a lease
// by it ends at once or never. /proc/uptime is CLOCK_BOOTTIME: nobody sets it, and it goes on while
// the machine sleeps (E-boottime). What stands in the lock counts for the boot in which it was
// written. After another boot, nobody knows how much of it is over: it lasts for its whole length
// from that boot on. So the node of a run that has it rebooted stays that run's. An uptime that
// went back within a boot, as a container shows it that was started again, is another boot too.
// A lock without a boot was written by fabric before it knew better, and goes by the wall clock.
// NOLINTNEXTLINE(readability-identifier-naming): a constant
extern const char* const kReadLock;

// line() prints a line of the lock: echo would make something else of a backslash, as in a user's
// name with a domain. put() puts standard input in the place of the lock: beside and renamed, so
// that a node that loses its power in between has the old lock or the new one, and what is said to
// be taken is there afterwards. Needs kFlush before it.
// NOLINTNEXTLINE(readability-identifier-naming): a constant
extern const char* const kPutLock;

}  // namespace fabric::platform
