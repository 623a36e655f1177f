// SPDX-License-Identifier: Apache-2.0
// Writes a description as a document.
#pragma once

#include <string>
#include <vector>

#include "engine/description/description.hpp"

namespace fabric::description {

// As short as a person would write it, and the same text for the same description. Uncertain values
// have a comment. `sources` are named at the top: "dump.txt (ibnetdiscover)". Text of a source is
// never written as anything but text.
std::string write_document(
    const Description& description,
    const std::string& name,
    const std::vector<std::string>& sources);

}  // namespace fabric::description
