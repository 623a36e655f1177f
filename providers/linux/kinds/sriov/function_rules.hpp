// SPDX-License-Identifier: Apache-2.0
// The udev rules of fabric that make the virtual functions of a port at every boot.
#pragma once

#include "engine/model/names.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/owned_file.hpp"

namespace fabric::providers {

// The texts of the rule files, by path.
const FileTexts& function_rules(const NodeFacts& facts);
// True if a file of fabric on the node makes the virtual functions of the port at `function`.
bool makes_functions(const NodeFacts& facts, const PciAddress& function);

}  // namespace fabric::providers
