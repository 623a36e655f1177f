// SPDX-License-Identifier: Apache-2.0
// Finds the port among the interfaces behind one PCI function. With the embedded switch of a card
// in switchdev mode, representors of its virtual and sub-functions stand beside the port itself,
// with the same parent and type, under any name (E-switchdev).
#pragma once

#include <cstdint>
#include <string_view>

namespace fabric {

enum class Uplink : std::uint8_t {
  no,     // a representor
  maybe,  // unknown
  yes     // the port itself
};

// "p0" and, of a split port, "p0s1" are the port; "pf0vf0", "pf0sf88", "pf0hpf" and "c1pf0vf0" are
// not, nor is "0", as kernels before 5.1 called representors. "" = unknown to the kernel.
// `switch_id` is set only in switchdev mode.
Uplink uplink_by(std::string_view phys_port_name, std::string_view switch_id);

}  // namespace fabric
