// SPDX-License-Identifier: Apache-2.0
// Keeps passwords and keys in memory out of core dumps.
#pragma once

namespace fabric {

// To be called before a secret is read. This process writes no core dump, which would lie in the
// working directory, and in a release build no other program can dump it and no other process of
// the user can read it: only root may look at it in /proc. Its child processes can be looked into
// as usual, but write no core dump either.
void keep_memory_private();

}  // namespace fabric
