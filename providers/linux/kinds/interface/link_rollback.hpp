// SPDX-License-Identifier: Apache-2.0
// The steps of a rollback in addition to the files as the plan found them.
#pragma once

#include <string>
#include <vector>

#include "engine/provider/change.hpp"
#include "engine/provider/observation.hpp"
#include "providers/linux/kinds/interface/link_work.hpp"

namespace fabric::providers {

// Files that have the wanted text but are not in force: the run that wrote them was killed, or
// power failed, so their former text is unknown. The running state works, and a rollback must
// restore it.
struct TakenBack {
  std::vector<ConfigFile> writes;    // as the interface runs now
  std::vector<std::string> removes;  // files to remove, if nothing of them runs
  bool empty() const { return writes.empty() && removes.empty(); }
};

// Finds such files where the change is only about the running state.
TakenBack take_back_unconfirmed(
    const Change& change,
    const Observation& observation,
    const LinkOnNode& on_node,
    const FileTexts& files);

// Removes addresses that the boot gave an interface without files, which back ends leave as it is.
// The interface is found by its place, because its name may have changed by then.
remote::Argv empty_after_boot(const LinkTarget& target);

// For a port: sets back running values that no former file has and no back end resets.
std::vector<remote::Argv> set_back(const Change& change, const FoundLink& link);

}  // namespace fabric::providers
