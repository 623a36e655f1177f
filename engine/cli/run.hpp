// The program: parses the command line and runs one verb.
#pragma once

namespace fabric::cli {

// Returns the exit code of contract §2.
int run(int argc, char** argv);

}  // namespace fabric::cli
