// SPDX-License-Identifier: Apache-2.0
// The lab's answers as texts for people.
#pragma once

#include <cstddef>
#include <string>

#include "engine/base/result.hpp"
#include "engine/labserver/lab_service.hpp"
#include "engine/report/terminal/text.hpp"

namespace fabric::cli {

// A line per node, for more than twenty only the first and last; then how to log in.
report::Text lab_addresses_text(const labserver::LabInfo& info);
report::Text lab_status_text(const Value& status);

// The document that `fabric lab up --nodes N` writes: one ring.
// REQUIRES: nodes >= 2.
std::string ring_document(std::size_t nodes);

}  // namespace fabric::cli
