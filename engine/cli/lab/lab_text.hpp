// The lab's answers for people.
#pragma once

#include <string>

#include "engine/labserver/lab_service.hpp"
#include "engine/report/terminal/style.hpp"

namespace fabric::cli {

// A line per node, of more than twenty the first and last; then how to log in.
std::string lab_addresses_text(const labserver::LabInfo& info);
std::string lab_status_text(const Value& status);

}  // namespace fabric::cli
