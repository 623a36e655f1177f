// SPDX-License-Identifier: Apache-2.0
// The steps of a rollback beside the files as the plan found them.
#pragma once

#include <string>
#include <vector>

#include "engine/provider/change.hpp"
#include "engine/provider/observation.hpp"
#include "providers/linux/kinds/interface/link_work.hpp"

namespace fabric::providers {

// Files with the wanted text that are not in force: the run that wrote them got no further (it was
// killed, or power failed), so their former text is unknown. The running state works, and a
// rollback must come back to it.
struct TakenBack {
  std::vector<ConfigFile> writes;    // as the interface runs now
  std::vector<std::string> removes;  // where nothing of it runs
  bool empty() const { return writes.empty() && removes.empty(); }
};

// Of the files that stand there as wanted while the change is about what runs.
TakenBack take_back_unconfirmed(
    const Change& change,
    const Observation& observation,
    const LinkOnNode& on_node,
    const FileTexts& files);

// Back ends leave an interface alone that no file is about any more, with the addresses that the
// boot gave it. Its name may be another one by then, its place is not.
remote::Argv empty_after_boot(const LinkTarget& target);

// For a port: the commands that set back values that no former file names and no back end resets.
std::vector<remote::Argv> set_back(const Change& change, const FoundLink& link);

}  // namespace fabric::providers
