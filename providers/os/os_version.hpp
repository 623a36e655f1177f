// SPDX-License-Identifier: Apache-2.0
// The kind "os" for systems with one version, which the document's `os` is compared with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

// Versions of packages, kernels and driver stacks, which have more parts than those of firmware.
// True for "5.8-1.1.2.1" and "5.8-3.0.7.0", false for "6.1.0-26-amd64" and "5.15": compares numbers
// in order, whatever stands between them, up to the first word. nullopt if either has no number.
std::optional<bool> is_older_version(std::string_view found, std::string_view minimum);

}  // namespace fabric::providers
