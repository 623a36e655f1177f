// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/run.hpp"

int main(int argc, char** argv) {
  return fabric::cli::run(argc, argv);
}
