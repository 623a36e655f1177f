// SPDX-License-Identifier: Apache-2.0
// Keeps passwords and keys in memory out of core dumps.
#pragma once

namespace fabric {

// To be called before a secret is read. This process writes no core dump, which would lie in the
// working directory, and a build for use is dumped by no other program and read by no other process
// of the user: only root may look at it in /proc. What it starts can be looked into as ever, but
// writes no core dump either.
void keep_memory_private();

}  // namespace fabric
