// SPDX-License-Identifier: Apache-2.0
// Subnets that the document leaves to an external manager.
#pragma once

#include "engine/model/spec.hpp"

namespace fabric::verify {

inline bool has_external_manager(const NetworkSpec& network) {
  return network.subnet_manager && network.subnet_manager->external.value;
}

}  // namespace fabric::verify
