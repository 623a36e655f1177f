// SPDX-License-Identifier: Apache-2.0
// The documents of the simulation, one kind of fabric each.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/base/random.hpp"

namespace fabric::simulation {

// A ring in mode chain, a pair with a bond, hosts at one switch, a pair with its subnet managers,
// ESXi hosts, hosts with bonds at a switch that is configured too.
enum class Kind : std::uint8_t { ring, lag, star, infiniband, esxi, leaf };

// An interface that ifupdown shall configure must have a name before it exists.
struct Shape {
  std::uint64_t nodes = 3;
  bool ifupdown = false;
  Kind kind = Kind::ring;
  bool old_card = false;      // a ConnectX-3, which the firmware tools dropped with 4.26
  bool ethernet_now = false;  // ports that a boot has to make InfiniBand
  bool hidden_card = false;   // one that the firmware tools may not see
};

template <class T, std::size_t count>
T pick(Random& random, const std::array<T, count>& choices) {
  return choices[random.below(count)];
}

// Each draws for itself, so that the seeds of the others keep their stories.
std::string document_of(const Shape& shape, Random& random);
std::string pair_document(const Shape& shape, Random& random);
std::string star_document(const Shape& shape, Random& random);
std::string subnet_document(const Shape& shape, Random& random);
std::string esxi_document(const Shape& shape, Random& random);
// `onyx`: draws for the Onyx switches alone.
std::string leaf_document(const Shape& shape, Random& random, Random& onyx);

}  // namespace fabric::simulation
