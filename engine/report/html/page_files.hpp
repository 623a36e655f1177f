// SPDX-License-Identifier: Apache-2.0
// The style and the script of a page, from engine/report/html/page/.
#pragma once

#include <vector>

#include "engine/schema/embedded.hpp"

namespace fabric::report {

const std::vector<schema::EmbeddedFile>& page_files();

}  // namespace fabric::report
