// SPDX-License-Identifier: Apache-2.0
// What runs on a port and no file explains: somebody made it by hand, or by a tool of his own.
#pragma once

#include <string>

#include "engine/provider/file_digests.hpp"
#include "providers/linux/interface/link/find_link.hpp"
#include "providers/linux/interface/link/running_state.hpp"

namespace fabric::providers {

// "ens1 is a port of the running bond7", which a change of the port would take it out of; "" if
// there is nothing. Where the node holds a file of ours for the port, whatever differs is drift,
// which is mended.
std::string live_claim(
    const Resource& resource,
    const FoundLink& link,
    const RunningLinks& links,
    const FileTexts& files);

}  // namespace fabric::providers
