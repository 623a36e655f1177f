// What verify found, for people: the broken things first, the rest as counts.
#pragma once

#include <string>

#include "engine/base/source.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::report {

std::string verify_text(const verify::Report& report, const SourceMap& sources, const Style& style);

}  // namespace fabric::report
