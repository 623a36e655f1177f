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

  // `inverse`: the line that undoes `line`; "" = none does, or none is needed.
  void type(std::string line, std::string inverse = {}) {
    done.push_back(std::move(line));
    if (!inverse.empty()) undone.insert(undone.begin(), std::move(inverse));
  }
};

// The lines, then, once the switch runs with them, a save: until then a reboot restores the former
// configuration. Only the save where the switch runs with all lines already.
Work work_of(std::string title, const Typed& typed, const Change& change, bool may_cut_off);

// The error for lines that are configured and that the switch does not run with.
Error not_in_force(const Change& change);

}  // namespace fabric::providers::onyx
