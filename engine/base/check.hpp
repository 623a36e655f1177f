// SPDX-License-Identifier: Apache-2.0
// FABRIC_CHECK: an invariant of the program itself. On in every build: a plan made by a program
// that has contradicted itself must not reach a node.
#pragma once

namespace fabric {

// Prints "fabric: bug: ..." with the place to standard error and aborts.
[[noreturn]] void report_bug(const char* file, int line, const char* why);

}  // namespace fabric

#define FABRIC_CHECK(condition, why)                                   \
  do {                                                                 \
    if (!(condition)) ::fabric::report_bug(__FILE__, __LINE__, (why)); \
  } while (false)
