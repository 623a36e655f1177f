// SPDX-License-Identifier: Apache-2.0
// The kind "os" for systems with one version, which `os` is compared with.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

struct OsVersion {
  std::string name;                // of messages: "Cumulus Linux"
  std::vector<std::string> words;  // what documents call it, in lower case: "cumulus"
  std::string version;             // "5.9.1"
};

// "os" of such a system, but for its probes. `version_of` fails where the system does not tell its
// version; the message says why. Diagnostics: os-mismatch.
Provider os_version_provider(Result<OsVersion> (*version_of)(const NodeFacts& facts));

}  // namespace fabric::providers
