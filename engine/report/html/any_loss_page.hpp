// SPDX-License-Identifier: Apache-2.0
// The fabric as a page; the components on which a host depends are in colour.
#pragma once

#include <string>

#include "engine/model/spec.hpp"
#include "engine/verify/what_if/any_loss.hpp"

namespace fabric::report {

// The page of the losses of one component at a time. REQUIRES: `all` is of this document.
std::string any_loss_page(const FabricSpec& spec, const verify::AnyLoss& all);

}  // namespace fabric::report
