// SPDX-License-Identifier: Apache-2.0
// test(1), and [ ].
#pragma once

#include <string>
#include <vector>

#include "providers/linux/lab/host/file_tree.hpp"

namespace fabric::lab {

struct TestContext {
  const FileTree& files;
  std::string user;
  std::string directory;
};

// The exit status: 0 true, 1 false, 2 not an expression (then `problem` says why).
int evaluate_test(
    const std::vector<std::string>& words, const TestContext& context, std::string& problem);

}  // namespace fabric::lab
