// SPDX-License-Identifier: Apache-2.0
// The rules of udev's by which a port of ours has its virtual functions at every boot.
#pragma once

#include "engine/model/names.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/owned_file.hpp"

namespace fabric::providers {

// By path.
const FileTexts& function_rules(const NodeFacts& facts);
// A file of ours on the node makes the virtual functions of the port behind `function`.
bool makes_functions(const NodeFacts& facts, const PciAddress& function);

}  // namespace fabric::providers
