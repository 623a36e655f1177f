// SPDX-License-Identifier: Apache-2.0
// Other makers of virtual functions of a card at a boot: files of network services, and foreign
// rules, units and scripts. Two owners would undo each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/platform/probe.hpp"
#include "providers/cards/card.hpp"

namespace fabric::providers {

struct FunctionOwner {
  std::string path;
  std::size_t line = 1;
  std::string text;      // of the line
  std::string function;  // of the port that it is about, by its PCI address
  std::uint32_t port = 1;
  bool of_interface = false;  // it goes with the configuration of the port's interface
};

Probe function_owners_probe();
// The first line of each file that is about a port of the card, or may be: a pattern or a variable
// in it stands for any port.
std::vector<FunctionOwner> function_owners(const Card& card, const NodeFacts& facts);

}  // namespace fabric::providers
