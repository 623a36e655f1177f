// SPDX-License-Identifier: Apache-2.0
// The program: parses the command line and runs one verb.
#pragma once

namespace fabric::cli {

// Returns the exit code, one of those that `fabric --help` lists.
int run(int argc, char** argv);

}  // namespace fabric::cli
