// SPDX-License-Identifier: Apache-2.0
// The lines that a change types in configuration mode, and the lines of its rollback.
#pragma once

#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/provider/change.hpp"

namespace fabric::providers::onyx {

struct Typed {
  std::vector<std::string> done, undone;  // the latter in the order they are to be typed

  // `inverse` undoes the line; "" = nothing does, or has to.
  void type(std::string line, std::string inverse = {}) {
    done.push_back(std::move(line));
    if (!inverse.empty()) undone.insert(undone.begin(), std::move(inverse));
  }
};

// First the lines, then, once the switch runs with them, what saves them: until then a reboot
// brings back what was there. Only the latter where it runs with all of it.
Work work_of(std::string title, const Typed& typed, const Change& change, bool may_cut_off);

// All of it is configured, and the switch does not run with it.
Error not_in_force(const Change& change);

}  // namespace fabric::providers::onyx
