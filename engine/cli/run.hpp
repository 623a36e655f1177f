// The program: parses the command line and runs one verb.
#pragma once

namespace fabric::cli {

// Returns an ExitCode.
int run(int argc, char** argv);

}  // namespace fabric::cli
