// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/file_digest.hpp"

namespace fabric::remote {

namespace {

// The message of the script.
constexpr std::string_view kChanged = "somebody changed it since the plan was made; plan again";

}  // namespace

bool says_changed(const CommandOutput& output) {
  return output.exit_status == kFileChanged &&
         output.standard_error.find(kChanged) != std::string::npos;
}

}  // namespace fabric::remote
