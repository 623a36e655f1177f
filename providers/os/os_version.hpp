// SPDX-License-Identifier: Apache-2.0
// The kind "os" for systems with one version, which the document's `os` is compared with.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

struct OsVersion {
  std::string name;                // of messages: "Cumulus Linux"
  std::vector<std::string> words;  // names in documents, in lower case: "cumulus"
  std::string version;             // "5.9.1"
};

// The provider of "os" for such a system, without its probes. `version_of` fails, saying why, where
// the system does not tell its version. Diagnostics: os-mismatch.
Provider os_version_provider(Result<OsVersion> (*version_of)(const NodeFacts& facts));

}  // namespace fabric::providers
